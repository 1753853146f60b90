/** A few calls of a made-up agent, so that the code they need is compiled: for who keeps it (entry/native/make-image.ts). */
import { EventEmitter } from "node:events";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../core/json.ts";
import { PACKS } from "../../hooks/destructive-command/packs.ts";
import { forgetProcessScope } from "../../process/process-scope.ts";
import { answerOneCall } from "./one-call.ts";
import type { OwnProcess } from "./own-process.ts";

const bash = (command: string) => ({ tool_name: "Bash", tool_input: { command } });

/** What most sessions begin with, and then do most. */
const PAYLOADS: readonly (JsonObject & { readonly hook_event_name: string })[] = [
  { hook_event_name: "SessionStart", source: "startup" },
  { hook_event_name: "UserPromptSubmit", prompt: "Fix the login test" },
  { hook_event_name: "PreToolUse", ...bash('git status && ls -l "$HOME" | head -3 > out.txt; cd src; npm test') },
  { hook_event_name: "PreToolUse", ...bash("git push --force origin main") },
  { hook_event_name: "PostToolUse", ...bash("npm test"), tool_response: { stdout: "ok", stderr: "" } },
  { hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { file_path: "a.txt" } },
  { hook_event_name: "PreToolUse", tool_name: "Write", tool_input: { file_path: "a.txt", content: "a" } },
  { hook_event_name: "Stop", stop_hook_active: false },
];

/** Nothing that belongs to one process may be remembered here: processes that have nothing in common begin with it. */
export async function rehearse(cwd: string, env: NodeJS.ProcessEnv, distDir: string): Promise<void> {
  for (const payload of PAYLOADS) {
    const exitCode = await rehearseCall({ session_id: "rehearsal", cwd, ...payload }, cwd, env, distDir);
    if (exitCode !== 0) throw new Error(`the rehearsed ${payload.hook_event_name} call failed`);
  }
  forgetCases();
  forgetProcessScope();
}

/** As the client hands it on: in a file. What is answered is for nobody. */
async function rehearseCall(payload: JsonObject, cwd: string, env: NodeJS.ProcessEnv, distDir: string) {
  const file = join(cwd, "payload.json");
  writeFileSync(file, JSON.stringify(payload));
  const [stdin, nowhere] = [openSync(file, "r"), openSync("/dev/null", "w")];
  const own = standIn(env, cwd, stdin, nowhere);
  try {
    await answerOneCall(["--host", "claude-code"], distDir, own);
  } finally {
    for (const descriptor of [stdin, nowhere]) closeSync(descriptor);
  }
  return own.process.exitCode;
}

/** Has nothing of a process but what is called, so that nothing of this one is left in those that begin with it. */
function standIn(env: NodeJS.ProcessEnv, cwd: string, stdin: number, nowhere: number): OwnProcess {
  const parts = { env, cwd: () => cwd, exitCode: undefined, exit: () => {} };
  return {
    process: Object.assign(new EventEmitter(), parts) as unknown as OwnProcess["process"],
    stdin,
    stdout: nowhere,
    stderr: nowhere,
    stayOpen: () => {},
  };
}

/** What proves the rules is a third of their memory, and no call asks for it. */
function forgetCases(): void {
  for (const rule of PACKS.flatMap(({ rules }) => rules)) Object.assign(rule, { stops: [], passes: [] });
}
