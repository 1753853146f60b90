/** `holdfast hook`: what hosts call. One native payload in, one native answer out; whatever fails, the path is closed. */
import { randomUUID } from "node:crypto";
import type { HostAnswer } from "../../hosts/host.ts";
import { type Call, chosenHost, failedAnswer, judgeHostCall, silenceOf } from "./call.ts";
import { readPayload } from "./payload.ts";
import { startDaemonIfMissing } from "./start-daemon.ts";

export async function main(argv: readonly string[], distDir: string): Promise<void> {
  // Law 11: a process that Holdfast starts for itself is not judged by Holdfast.
  const internal = process.env.HOLDFAST_INTERNAL === "1";
  // A warning of Node's own would be a stray byte.
  process.removeAllListeners("warning");
  const chosen = chosenHost(argv);
  if (internal) return respond(silenceOf("host" in chosen ? chosen.host : undefined));
  if ("answer" in chosen) return respond(chosen.answer);
  const call: Call = { ...chosen, cwd: standingIn() };
  const closed = (error: unknown) => respond(failedAnswer(error, call, process.env));
  process.on("uncaughtException", closed);
  const answer = await answerPayload(call, distDir).catch((error: unknown) => failedAnswer(error, call, process.env));
  startDaemonIfMissing(process.env, distDir);
  await respond(answer);
}

async function answerPayload(call: Call, distDir: string): Promise<HostAnswer> {
  const payload = await readPayload(process.stdin);
  // A client that handed the call to a daemon first has given it an id, and may have let the daemon record it. None of
  // that is for hooks: they see the host's environment, whoever starts them.
  const {
    HOLDFAST_FALLBACK: _why,
    HOLDFAST_CALL_ID: id,
    HOLDFAST_CALL_STATE: state,
    HOLDFAST_CALL_ELAPSED_MS: clientMs,
    ...env
  } = process.env;
  const judged = await judgeHostCall(call, payload, {
    id: id || randomUUID(),
    at: new Date().toISOString(),
    env,
    distDir,
    ended: endedByHost(),
    elapsedMs: performance.now() + (Number(clientMs) || 0),
    maybeRecorded: state === "granted",
  });
  const answer = await judged.record();
  await judged.close();
  return answer;
}

/** Commands run in sessions of their own and would outlive us: a host that ends us ends them too. */
function endedByHost(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

/** An agent can remove the directory it stands in. */
function standingIn(): string {
  try {
    return process.cwd();
  } catch {
    return "/";
  }
}

let answered = false;

async function respond({ stdout, stderr, exitCode }: HostAnswer): Promise<void> {
  if (answered) return;
  answered = true;
  await Promise.all([flushed(process.stdout, stdout), flushed(process.stderr, stderr)]);
  process.exit(exitCode);
}

/** A host that no longer listens is no failure of ours. */
const flushed = (stream: NodeJS.WriteStream, text: string) =>
  new Promise<void>((resolve) => {
    if (text === "") return resolve();
    stream.on("error", () => resolve());
    stream.write(text, () => resolve());
  });
