/** A few calls of a made-up agent, so that the code they need is compiled: for who keeps it (scripts/cold-start.mjs). */
import type { JsonObject } from "../../core/json.ts";
import { hostById } from "../../hosts/registry.ts";
import { judgeHostCall } from "./call.ts";
import { Ending } from "./ending.ts";

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
  for (const [index, payload] of PAYLOADS.entries()) {
    const judged = await judgeHostCall(
      { host: hostById("claude-code"), event: undefined, cwd },
      { session_id: "rehearsal", cwd, ...payload },
      { id: `rehearsal-${index}`, at: new Date().toISOString(), env, distDir, ending: new Ending(), elapsedMs: 0 },
    );
    await judged.record();
    await judged.close();
  }
}
