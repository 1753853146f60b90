/** Nothing is written: a call passes only where it can be told that it reads. */
import type { EventOf } from "../../core/event.ts";
import { flag, list, type ShapeOf, text } from "../../core/fields.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { NO_OPINION, type Verdict } from "../../core/verdict.ts";
import { sqlUse } from "../../shell/sql-use.ts";
import type { BuiltinHook, Machine } from "../builtin.ts";
import { wildcardMatches } from "../path-glob.ts";
import { readOnlyHint } from "../tool-annotations.ts";
import { namesTool } from "../tool-glob.ts";
import { writingCommand } from "./reading-commands.ts";

const OPTIONS = {
  organisations: list(text(), "only for users of these organisations; empty: for everybody"),
  "by-switch": flag("only while the admins of the user's organisation have it switched on (holdfast serve)"),
  reads: list(text(), "globs of tools that are known to only read, such as `mcp:crm/get_*`"),
  commands: list(text(), "globs of whole shell commands that may run although nobody can tell that they only read"),
};
type Options = ShapeOf<typeof OPTIONS>;

export const readOnly: BuiltinHook = {
  name: "read-only",
  doc: "blocks every call that writes, or of which nobody can tell that it only reads",
  on: ["pre_tool_use"],
  answers: ["block"],
  guards: true,
  optIn: true,
  onError: "block",
  priority: 5,
  options: OPTIONS,
  defaults: { organisations: [], "by-switch": false, reads: [], commands: [] },
  loosening: ["organisations", "by-switch", "reads", "commands"],
  judge(event, { options }, machine) {
    if (event.name !== "pre_tool_use") return NO_OPINION;
    const settings = options as unknown as Options;
    if (!isFor(settings, event)) return NO_OPINION;
    const why = whyNotReading(event, settings, machine);
    if (why === undefined) return NO_OPINION;
    if (!settings["by-switch"]) return blocked(why, "only reading is allowed here");
    return machine
      .isSwitchedReadOnly(event.organisation)
      .then((isOn) => (isOn ? blocked(why, "the organisation is switched to reading only") : NO_OPINION));
  },
};

type Call = EventOf<"pre_tool_use">;

const blocked = (why: string, rule: string): Verdict => ({
  opinion: {
    kind: "block",
    rule: "read-only",
    reason: `${why}, and ${rule}.\nDo instead: read what you need, and describe the change in your answer so that a person can make it.`,
  },
});

const isFor = ({ organisations }: Options, { organisation }: Call) =>
  organisations.length === 0 || (organisation !== undefined && organisations.includes(organisation));

/** undefined: it only reads. What says that it writes is believed before what says that it reads. */
function whyNotReading(event: Call, { reads, commands }: Options, machine: Machine): string | undefined {
  const { tool, cwd } = event;
  if (tool.kind === "write" || tool.kind === "edit") return `${tool.name} writes files`;
  if (tool.kind === "shell") {
    if (commands.some((glob) => wildcardMatches(glob, tool.command))) return undefined;
    const { invocations, effects } = machine.analyse(tool.command, cwd);
    return writingCommand(tool.command, invocations, effects);
  }
  if (namesTool(reads, tool)) return undefined;
  const hint = readOnlyHint(event.metadata);
  if (hint === false) return `${tool.name} is annotated as a tool that writes`;
  const sql = sqlIn(tool.input);
  if (sql === "writes") return `this SQL writes`;
  const method = httpMethod(tool.input);
  if (method !== undefined && !SAFE_METHODS.has(method)) return `an HTTP ${method} writes`;
  if (READING_KINDS.has(tool.kind) || hint === true || sql === "reads" || method !== undefined) return undefined;
  return `nobody knows whether ${tool.name} writes (the person can list it under guards.read-only.reads)`;
}

/** A delegation only starts another agent, whose own calls are judged. */
const READING_KINDS: ReadonlySet<string> = new Set(["read", "search", "fetch", "delegate"]);
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"]);
const METHODS = new Set([...SAFE_METHODS, "POST", "PUT", "PATCH", "DELETE", "CONNECT"]);

const SQL_FIELDS = ["sql", "query", "statement", "statements", "queries", "command"];

function sqlIn(input: JsonObject) {
  let use: ReturnType<typeof sqlUse> | undefined;
  for (const field of SQL_FIELDS) {
    if (input[field] === undefined) continue;
    for (const text of textsOf(input[field])) {
      const found = sqlUse(text);
      if (found === "writes") return found;
      use = use === undefined || use === found ? found : "unknown";
    }
  }
  return use ?? "unknown";
}

const textsOf = (value: Json | undefined): string[] =>
  typeof value === "string" ? [value] : Array.isArray(value) ? value.flatMap(textsOf) : [];

const textOf = (value: Json | undefined) => (typeof value === "string" ? value : undefined);

const ADDRESS_FIELDS = ["url", "uri", "path", "endpoint", "route"];

/** Only beside an address: elsewhere `method` may mean anything. */
function httpMethod(input: JsonObject): string | undefined {
  const method = textOf(input.method) ?? textOf(input.http_method) ?? textOf(input.httpMethod);
  if (method === undefined) return undefined;
  const named = method.toUpperCase();
  if (!METHODS.has(named)) return undefined;
  return !SAFE_METHODS.has(named) || ADDRESS_FIELDS.some((field) => typeof input[field] === "string")
    ? named
    : undefined;
}
