/** `holdfast hook`: what hosts call. One native payload in, one native answer out; whatever fails, the path is closed. */
import type { HostAnswer } from "../../hosts/host.ts";
import { answerPayload } from "./answer-payload.ts";
import { type Call, chosenHost, failedAnswer, silenceOf } from "./call.ts";
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
  // Said once: what fails because the process is ending is no second failure.
  const failure = (error: unknown) => (isAnswered ? undefined : failedAnswer(error, call, process.env));
  const closed = (error: unknown) => respond(failure(error));
  process.on("uncaughtException", closed);
  stayUntilAnswered(closed);
  const answer = await answered(call, distDir).catch(failure);
  if (!isAnswered) startDaemonIfMissing(process.env, distDir);
  respond(answer);
}

async function answered(call: Call, distDir: string): Promise<HostAnswer | undefined> {
  const payload = readPayloadFile(STDIN) ?? (await readPayload(process.stdin));
  return answerPayload(call, payload, {
    env: process.env,
    distDir,
    ending: endedByHost(),
    isAnswered: () => isAnswered,
  });
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
    if (!isAnswered) closed(new Error("the process ended before it had answered"));
  });
}

const LONGEST_INTERVAL_MS = 2 ** 31 - 1;

let isAnswered = false;
/** Made by the call: what an image of a process remembers belongs to nobody. */
let leaving: PromptExit | undefined;

/** Written at once: the machinery of streams would cost a process milliseconds. */
function respond(answer: HostAnswer | undefined): void {
  if (isAnswered || !answer) return;
  isAnswered = true;
  const { stdout, stderr, exitCode } = answer;
  writeWhole(STDOUT, stdout);
  writeWhole(STDERR, stderr);
  leaving ??= new PromptExit();
  leaving.now(exitCode);
}
