/** One call of a host, in a process that is there for it alone: whatever fails, there is one answer, and the path is closed. */
import type { HostAnswer } from "../../hosts/host.ts";
import { answerPayload } from "./answer-payload.ts";
import { type Call, chosenHost, failedAnswer, silenceOf } from "./call.ts";
import { Ending } from "./ending.ts";
import type { OwnProcess } from "./own-process.ts";
import { readPayload, readPayloadFile } from "./payload.ts";
import { PromptExit } from "./prompt-exit.ts";
import { writeWhole } from "./standard-streams.ts";
import { startDaemonIfMissing } from "./start-daemon.ts";

export async function answerOneCall(argv: readonly string[], distDir: string, own: OwnProcess): Promise<void> {
  const { env } = own.process;
  // Law 11: a process that Holdfast starts for itself is not judged by Holdfast.
  const internal = env.HOLDFAST_INTERNAL === "1";
  // A warning of Node's own would be a stray byte.
  own.process.removeAllListeners("warning");
  const reply = new Reply(own);
  const chosen = chosenHost(argv);
  if (internal) return reply.give(silenceOf("host" in chosen ? chosen.host : undefined));
  if ("answer" in chosen) return reply.give(chosen.answer);
  const call: Call = { ...chosen, cwd: standingIn(own) };
  // Said once: what fails because the process is ending is no second failure.
  const failure = (error: unknown) => (reply.isGiven ? undefined : failedAnswer(error, call, env));
  const closed = (error: unknown) => reply.give(failure(error));
  own.process.on("uncaughtException", closed);
  own.stayOpen();
  own.process.once("exit", () => {
    if (!reply.isGiven) closed(new Error("the process ended before it had answered"));
  });
  const answer = await answered(call, distDir, own, reply).catch(failure);
  if (!reply.isGiven) startDaemonIfMissing(env, distDir);
  reply.give(answer);
}

async function answered(call: Call, distDir: string, own: OwnProcess, reply: Reply): Promise<HostAnswer | undefined> {
  const payload = readPayloadFile(own.stdin) ?? (await readPayload(process.stdin));
  return answerPayload(call, payload, {
    env: own.process.env,
    distDir,
    ending: endedByHost(own),
    isAnswered: () => reply.isGiven,
  });
}

/** Commands run in sessions of their own and would outlive us: a host that ends us ends them too. */
function endedByHost({ process }: OwnProcess): Ending {
  const ending = new Ending();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => ending.end());
  return ending;
}

/** An agent can remove the directory it stands in. */
function standingIn({ process }: OwnProcess): string {
  try {
    return process.cwd();
  } catch {
    return "/";
  }
}

/** A block that cannot be said would end as consent. */
const UNSAID = "holdfast: the answer could not be written to standard output, so the call is blocked\n";
const BLOCKS = 2;

/** Written at once: the machinery of streams would cost a process milliseconds. */
class Reply {
  readonly #own: OwnProcess;
  readonly #leaving: PromptExit;
  #isGiven = false;

  constructor(own: OwnProcess) {
    this.#own = own;
    this.#leaving = new PromptExit(own.process);
  }

  get isGiven(): boolean {
    return this.#isGiven;
  }

  give(answer: HostAnswer | undefined): void {
    if (this.#isGiven || !answer) return;
    this.#isGiven = true;
    const isSaid = writeWhole(this.#own.stdout, answer.stdout);
    writeWhole(this.#own.stderr, isSaid ? answer.stderr : UNSAID);
    this.#leaving.now(isSaid ? answer.exitCode : BLOCKS);
  }
}
