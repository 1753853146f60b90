import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import type { ProgramRow, Said } from "./program-backend.ts";

/** `claude -p` with one JSON event a line. The prompt is read from standard input. */
export const claudeCode: ProgramRow = {
  id: "claude-code",
  title: "Claude Code",
  command: ["claude"],
  provenVersion: "2.1.325",
  args: ({ session, model, more }) => [
    ...["-p", "--output-format", "stream-json", "--verbose"],
    ...(model ? ["--model", model] : []),
    ...more,
    ...(session ? ["--resume", session.id] : []),
  ],
  efforts: {
    low: ["--effort", "low"],
    medium: ["--effort", "medium"],
    high: ["--effort", "high"],
    xhigh: ["--effort", "xhigh"],
    max: ["--effort", "max"],
  },
  permissions: {
    unrestricted: ["--dangerously-skip-permissions"],
    restricted: ["--permission-mode", "acceptEdits", "--allowedTools=Bash(holdfast task:*)"],
  },
  foreignEnv: ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CLAUDE_PID"],
  read,
  unknownSession: /No conversation found with session ID/,
};

function read(line: JsonObject): Said {
  switch (line.type) {
    case "system":
      return line.subtype === "init" && typeof line.session_id === "string" ? { session: line.session_id } : {};
    case "assistant":
      // A sub-agent's words are not the agent's.
      return line.parent_tool_use_id === null && isJsonObject(line.message) ? spoken(line.message.content) : {};
    case "result":
      return line.is_error === true ? { problem: problemOf(line) } : {};
    default:
      return {};
  }
}

function spoken(content: Json | undefined): Said {
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const text = parts.flatMap((part) => (part.type === "text" && typeof part.text === "string" ? [part.text] : []));
  const tool = parts.find((part) => part.type === "tool_use");
  return {
    ...(text.length > 0 ? { text: text.join("\n") } : {}),
    ...(tool ? { tool: { name: String(tool.name), input: tool.input } } : {}),
  };
}

function problemOf({ result, errors, subtype }: JsonObject): string {
  if (Array.isArray(errors) && errors.length > 0) return errors.join("; ");
  return String(result ?? subtype);
}
