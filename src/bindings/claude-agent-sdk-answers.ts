import type { JsonObject } from "../core/json.ts";
import type { HostAnswer } from "../hosts/host.ts";

/** Claude Code's own form of an answer, as a callback gives it. */
export function answered(event: string, { stdout, stderr, exitCode, undelivered = [] }: HostAnswer): JsonObject {
  if (exitCode === 2) return { decision: "block", reason: stderr };
  const lost = [...undelivered];
  const isJson = stdout.startsWith("{");
  if (stdout !== "" && !isJson) lost.push(`context at ${event} was not sent: a callback has no form for it`);
  for (const text of lost) process.stderr.write(`holdfast: ${text}\n`);
  return isJson ? (JSON.parse(stdout) as JsonObject) : {};
}

/** Our own failure: a block where the event guards, otherwise a message on the side. Never `continue: false`: tools run all the same. */
export function failed(event: string, answer: HostAnswer): JsonObject {
  if (event === "PreToolUse") {
    return {
      hookSpecificOutput: {
        hookEventName: event,
        permissionDecision: "deny",
        permissionDecisionReason: answer.stderr,
      },
    };
  }
  return answer.exitCode === 1 ? { systemMessage: answer.stderr } : answered(event, answer);
}
