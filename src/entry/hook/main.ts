/** `holdfast hook`: what hosts call. One native payload in, one native answer out; whatever fails, the path is closed. */
import { randomBytes } from "node:crypto";
import type { HostAnswer } from "../../hosts/host.ts";
import { type Call, chosenHost, failedAnswer, judgeHostCall, silenceOf } from "./call.ts";
import { Ending } from "./ending.ts";
import { readPayload, readPayloadFile } from "./payload.ts";
import { PromptExit } from "./prompt-exit.ts";
import { STDERR, STDIN, STDOUT, writeWhole } from "./standard-streams.ts";
import { startDaemonIfMissing } from "./start-daemon.ts";

export { rehearse } from "./rehearsal.ts";

export async function main(argv: readonly string[], distDir: string): Promise<void> {
  // Law 11: a process that Holdfast starts for itself is not judged by Holdfast.
  const internal = process.env.HOLDFAST_INTERNAL === "1";
  // A warning of Node's own would be a stray byte.
  process.removeAllListeners("warning");
  leaving = new PromptExit();
  const chosen = chosenHost(argv);
  if (internal) return respond(silenceOf("host" in chosen ? chosen.host : undefined));
  if ("answer" in chosen) return respond(chosen.answer);
  const call: Call = { ...chosen, cwd: standingIn() };
  const closed = (error: unknown) => respond(failedAnswer(error, call, process.env));
  process.on("uncaughtException", closed);
  stayUntilAnswered(closed);
  const answer = await answerPayload(call, distDir).catch((error: unknown) => failedAnswer(error, call, process.env));
  startDaemonIfMissing(process.env, distDir);
  respond(answer);
}

async function answerPayload(call: Call, distDir: string): Promise<HostAnswer> {
  const payload = readPayloadFile(STDIN) ?? (await readPayload(process.stdin));
  // A client that handed the call to a daemon first has given it an id, and may have let the daemon record it. None of
  // that is for hooks: they see the host's environment, whoever starts them.
  const {
    HOLDFAST_FALLBACK: _why,
    HOLDFAST_CALL_ID: id,
    HOLDFAST_CALL_STATE: state,
    HOLDFAST_CALL_ELAPSED_MS: clientMs,
    HOLDFAST_CALL_CA_CERTS: certificates,
    HOLDFAST_CALL_NODE_OPTIONS: nodeOptions,
    ...own
  } = process.env;
  const env = {
    ...own,
    ...(certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificates }),
    ...(nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }),
  };
  const judged = await judgeHostCall(call, payload, {
    id: id || randomBytes(16).toString("hex"),
    at: new Date().toISOString(),
    env,
    distDir,
    ending: endedByHost(),
    elapsedMs: process.uptime() * 1000 + (Number(clientMs) || 0),
    maybeRecorded: state === "granted",
  });
  const answer = await judged.record();
  await judged.close();
  return answer;
}

/** Commands run in sessions of their own and would outlive us: a host that ends us ends them too. */
function endedByHost(): Ending {
  const ending = new Ending();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => ending.end());
  return ending;
}

/** An agent can remove the directory it stands in. */
function standingIn(): string {
  try {
    return process.cwd();
  } catch {
    return "/";
  }
}

/** A process whose last open handle is not counted ends with 0, which hosts take for consent. */
function stayUntilAnswered(closed: (error: unknown) => void): void {
  setInterval(() => {}, LONGEST_INTERVAL_MS);
  process.once("exit", () => {
    if (!answered) closed(new Error("the process ended before it had answered"));
  });
}

const LONGEST_INTERVAL_MS = 2 ** 31 - 1;

let answered = false;
/** Made by the call: what an image of a process remembers belongs to nobody. */
let leaving: PromptExit | undefined;

/** Written at once: the machinery of streams would cost a process milliseconds. */
function respond({ stdout, stderr, exitCode }: HostAnswer): void {
  if (answered) return;
  answered = true;
  writeWhole(STDOUT, stdout);
  writeWhole(STDERR, stderr);
  leaving ??= new PromptExit();
  leaving.now(exitCode);
}
