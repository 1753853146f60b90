/** A few calls of a made-up agent, so that the code they need is compiled: for who keeps it (scripts/cold-start.mjs). */
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../core/json.ts";
import { answerPayload } from "./answer-payload.ts";
import { chosenHost } from "./call.ts";
import { Ending } from "./ending.ts";
import { readPayloadFile } from "./payload.ts";

const bash = (command: string) => ({ tool_name: "Bash", tool_input: { command } });

const PAYLOADS: readonly JsonObject[] = [
  { hook_event_name: "PreToolUse", ...bash('git status && ls -l "$HOME" | head -3 > out.txt; cd src; npm test') },
  { hook_event_name: "PreToolUse", ...bash("git push --force origin main") },
  { hook_event_name: "PostToolUse", ...bash("npm test"), tool_response: { stdout: "ok", stderr: "" } },
  { hook_event_name: "PreToolUse", tool_name: "Write", tool_input: { file_path: "a.txt", content: "a" } },
  { hook_event_name: "Stop", stop_hook_active: false },
];

/** Nothing that belongs to one process may be remembered here: processes that have nothing in common begin with it. */
export async function rehearse(cwd: string, env: NodeJS.ProcessEnv, distDir: string): Promise<void> {
  const chosen = chosenHost(["--host", "claude-code"]);
  if (!("host" in chosen)) throw new Error("claude-code is no host");
  for (const payload of PAYLOADS) {
    const read = throughFile(join(cwd, "payload.json"), { session_id: "rehearsal", cwd, ...payload });
    await answerPayload({ ...chosen, cwd }, read, { env, distDir, ending: new Ending(), isAnswered: () => false });
  }
}

/** As the client hands it on. */
function throughFile(file: string, payload: JsonObject): JsonObject {
  writeFileSync(file, JSON.stringify(payload));
  const descriptor = openSync(file, "r");
  try {
    return readPayloadFile(descriptor) ?? payload;
  } finally {
    closeSync(descriptor);
  }
}
