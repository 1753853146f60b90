import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { ProgramRow, Said } from "./program-backend.ts";

/** `codex exec --json`. The prompt is read from standard input, which `-` asks for. */
export const codex: ProgramRow = {
  id: "codex",
  title: "Codex",
  command: ["codex"],
  provenVersion: "0.166.0",
  args: ({ session, model, more }) => [
    ...["exec", ...(session ? ["resume"] : []), "--json", "--skip-git-repo-check"],
    // A login shell would set the PATH anew, and with it lose the Holdfast that drives the run.
    ...["-c", "allow_login_shell=false"],
    ...(model ? ["--model", model] : []),
    ...more,
    ...(session ? [session.id] : []),
    "-",
  ],
  efforts: {
    off: ["-c", `model_reasoning_effort="none"`],
    minimal: ["-c", `model_reasoning_effort="minimal"`],
    low: ["-c", `model_reasoning_effort="low"`],
    medium: ["-c", `model_reasoning_effort="medium"`],
    high: ["-c", `model_reasoning_effort="high"`],
    xhigh: ["-c", `model_reasoning_effort="xhigh"`],
  },
  permissions: {
    unrestricted: ["--dangerously-bypass-approvals-and-sandbox"],
    // As configuration, because `exec resume` has no flag for it.
    restricted: ["-c", `sandbox_mode="workspace-write"`, "-c", `approval_policy="never"`],
  },
  read,
  unknownSession: /no rollout found for thread id/,
};

function read(line: JsonObject): Said {
  if (line.type === "thread.started") return { session: String(line.thread_id) };
  if (line.type === "error") return { problem: String(line.message) };
  if (line.type === "turn.failed") {
    return { problem: isJsonObject(line.error) ? String(line.error.message) : "the turn failed" };
  }
  const { item } = line;
  if (!isJsonObject(item)) return {};
  if (line.type === "item.started") {
    return item.type === "command_execution" ? { tool: { name: "exec_command", input: item.command } } : {};
  }
  if (line.type !== "item.completed") return {};
  switch (item.type) {
    case "agent_message":
      return { text: String(item.text) };
    case "file_change":
      return { tool: { name: "apply_patch", input: item.changes } };
    case "mcp_tool_call":
      return { tool: { name: `${item.server}/${item.tool}` } };
    case "error":
      return { problem: String(item.message) };
    default:
      return {};
  }
}
