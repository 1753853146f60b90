/** pi's own tools, as declared by the program itself (dist/core/tools of 0.87.1). Extensions bring others. */
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { type ToolRow, type Vocabulary, vocabulary } from "../tool-vocabulary.ts";

const TOOLS: Readonly<Record<string, ToolRow>> = {
  bash: { kind: "shell", required: ["command"] },
  powershell: { kind: "shell", required: ["command"] },
  read: { kind: "read", paths: ["path"], required: ["path"] },
  write: { kind: "write", paths: ["path"], content: ["content"], required: ["path", "content"] },
  edit: { kind: "edit", paths: ["path"], content: ["edits[].newText"], required: ["path"] },
  grep: { kind: "search", paths: ["path"], required: ["pattern"] },
  find: { kind: "search", paths: ["path"], required: ["pattern"] },
  ls: { kind: "search", paths: ["path"] },
};

const rowOf = (name: string) => (Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined);

// pi has no MCP servers: where an extension brings them, it names their tools as it likes.
const plain = vocabulary({ names: Object.keys(TOOLS), rowOf, mcpNames: () => undefined });

export const tools: Vocabulary = {
  ...plain,
  read(name, input, id) {
    const call = plain.read(name, input, id);
    return rowOf(name) ? { ...call, paths: call.paths.map(opened) } : call;
  },
  problem: (name, input) => plain.problem?.(name, input) ?? (name === "edit" ? editsProblem(input) : undefined),
};

/** The path that pi's tools open for a path as the model wrote it; they take a home's ~ as we do. */
function opened(path: string): string {
  const spaced = path.replace(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, " ");
  const named = spaced.startsWith("@") ? spaced.slice(1) : spaced;
  if (!named.startsWith("file://")) return named;
  try {
    return decodeURIComponent(new URL(named).pathname);
  } catch {
    return named;
  }
}

/** pi checks a call before hooks change it, and not again. */
function editsProblem({ edits }: JsonObject): string | undefined {
  const whole =
    Array.isArray(edits) &&
    edits.length > 0 &&
    edits.every((edit) => isJsonObject(edit) && typeof edit.oldText === "string" && typeof edit.newText === "string");
  return whole ? undefined : `"edits" must be a list of { oldText, newText }`;
}
