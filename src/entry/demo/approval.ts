/** The last act of the demo: a call that truly waits, until a person has said yes or no in the inbox. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { DemoAgent, HookAnswer } from "./agent.ts";
import type { DemoProject } from "./project.ts";

export const PUBLISH = "./publish.sh 1.4.0";

export interface Inbox {
  readonly url: string;
  /** Signs a person in, once. */
  readonly signIn: string;
  close(): Promise<void>;
}

/** The same command a person would run. */
export async function openInbox({ program, projectDir, env }: DemoProject): Promise<Inbox> {
  const child = spawn(process.execPath, [program, "serve", "--port", "0", "--json"], {
    cwd: projectDir,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  // Ctrl-C reaches it too, by the terminal; whatever else ends this process does not.
  const kill = () => child.kill();
  process.once("exit", kill);
  const { url, signIn } = JSON.parse(await firstLine(child)) as { url: string; signIn: string };
  return {
    url,
    signIn,
    async close() {
      process.off("exit", kill);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error("the inbox has no output");
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error("the inbox did not start");
}

/** How long the demo's agent comes back to its call before it gives up. */
const PATIENCE_MS = 10 * 60_000;

/** What a model does that is told its call is pending: it repeats the very same one. */
export async function publishOnceApproved(agent: DemoAgent): Promise<{ answer: HookAnswer; after?: HookAnswer }> {
  const input = { command: PUBLISH };
  const endsAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await agent.send("PreToolUse", {
      tool_name: "Bash",
      tool_input: input,
      tool_use_id: "demo-publish",
      prompt_id: "demo-1",
    });
    if (answer.decision === "allowed") {
      const { event, payload } = agent.perform("Bash", input);
      return { answer, after: await agent.send(event, payload) };
    }
    if (!/approval A-\w+ is pending/.test(answer.reason) || performance.now() > endsAtMs) return { answer };
  }
}

/** A person's click, made by a script: signs in by the link, finds the question and says yes, as the page does. */
export async function clickApprove({ url, signIn }: Inbox, reason: string): Promise<void> {
  const signedIn = await fetch(signIn, { redirect: "manual" });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ");
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(new URL(path, url), { ...init, headers: { cookie, origin: url, ...init.headers } });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as { csrfToken: string; approvals: { id: string }[] };
  };
  const { csrfToken } = await ask("/api/me");
  for (;;) {
    const [asked] = (await ask("/api/approvals?status=pending")).approvals;
    if (!asked) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      continue;
    }
    const headers = { "content-type": "application/json", "x-csrf-token": csrfToken };
    const body = JSON.stringify({ decision: "approve", reason });
    await ask(`/api/approvals/${asked.id}/respond`, { method: "POST", headers, body });
    return;
  }
}
