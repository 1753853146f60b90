/** `holdfast hook`: what hosts call. One native payload in, one native answer out; whatever fails, the path is closed. */
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { Environment } from "../../config/places.ts";
import type { Host, HostAnswer, Native } from "../../hosts/host.ts";
import { HOSTS, hostById } from "../../hosts/registry.ts";
import { withPassOffer } from "../engine/one-time-pass.ts";
import { judgeUnderRules } from "../engine/overrides.ts";
import { performOutcomes } from "../engine/perform.ts";
import { readyEngine } from "../engine/ready.ts";
import { memoryOf } from "../engine/session-memory.ts";
import { beforeDeadline, deadlinesOf } from "./deadline.ts";
import { guessHost } from "./guess-host.ts";
import { ownFailure } from "./own-failure.ts";
import { PayloadError, readPayload } from "./payload.ts";
import { recordUnknown } from "./unknown.ts";

export async function main(argv: readonly string[], distDir: string): Promise<void> {
  // Law 11: a process that Holdfast starts for itself is not judged by Holdfast.
  if (process.env.HOLDFAST_INTERNAL === "1") return;
  // A warning of Node's own would be a stray byte.
  process.removeAllListeners("warning");
  const chosen = chosenHost(argv);
  if ("answer" in chosen) return respond(chosen.answer);
  const call: Call = { host: chosen.host, event: undefined, cwd: standingIn() };
  const closed = (error: unknown) => respond(failedAnswer(error, call));
  process.on("uncaughtException", closed);
  await answerPayload(call, distDir, process.env).then(respond, closed);
}

/** What is known of the call so far: a failure is answered from here. */
interface Call {
  host: Host | undefined;
  event: string | undefined;
  cwd: string;
}

function chosenHost(argv: readonly string[]): { host: Host | undefined } | { answer: HostAnswer } {
  const [flag, id, ...rest] = argv.flatMap((arg) => (arg.startsWith("--host=") ? ["--host", arg.slice(7)] : [arg]));
  if (flag === undefined) return { host: undefined };
  const host = flag === "--host" && id !== undefined ? hostById(id) : undefined;
  if (host && rest.length === 0) return { host };
  const known = HOSTS.map((known) => known.id).join(", ");
  return {
    answer: {
      stdout: "",
      stderr: `error HF302  holdfast hook --host <id>: unknown host or arguments; hosts: ${known}\n`,
      exitCode: 2,
    },
  };
}

async function answerPayload(call: Call, distDir: string, env: Environment): Promise<HostAnswer> {
  const payload = await readPayload(process.stdin);
  const moment = { id: randomUUID(), at: new Date().toISOString(), env, cwd: call.cwd };
  if (typeof payload.hook_event_name === "string") call.event = payload.hook_event_name;
  if (typeof payload.cwd === "string" && payload.cwd !== "") call.cwd = resolve(call.cwd, payload.cwd);
  const host = call.host ?? guessHost(payload, moment);
  call.host = host;
  const native = host.codec.parse(payload, moment);
  const ended = endedByHost();
  return beforeDeadline(deadlinesOf(host, native.event), (signal) =>
    answerNative(host, native, { cwd: call.cwd, distDir, env, signal: AbortSignal.any([signal, ended]) }),
  );
}

interface Setting {
  readonly cwd: string;
  readonly distDir: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

async function answerNative(host: Host, native: Native, setting: Setting): Promise<HostAnswer> {
  const { cwd, distDir, env, signal } = setting;
  const engine = await readyEngine(cwd, env, distDir, host.projectDir?.(env));
  try {
    const remarks = [...engine.remarks, ...recordUnknown(host, native, engine)];
    const [first] = native.events;
    if (!first) return withRemarks(host.codec.render(native, []), remarks);
    const memory = memoryOf(first, engine);
    const starts = first.name === "session_start" && first.source !== "resume";
    if (starts || first.name === "session_end") memory.forget();
    const judged = await judgeUnderRules(host, native, engine, {
      signal,
      maxContextCharacters: engine.plan.settings.maxContextCharacters,
      told: memory.knows,
    });
    const outcomes = judged.map((outcome) => withPassOffer(outcome, engine.hooks));
    const answer = host.codec.render(native, outcomes);
    return withRemarks(answer, [...remarks, ...performOutcomes(outcomes, answer, { ...engine, memory })]);
  } finally {
    await engine.close();
  }
}

/** For the person, beside the answer and below it. */
function withRemarks(answer: HostAnswer, remarks: readonly string[]): HostAnswer {
  if (remarks.length === 0) return answer;
  const lines = [...new Set(remarks)].map((text) => `holdfast: ${text}\n`).join("");
  return { ...answer, stderr: answer.stderr === "" ? lines : `${answer.stderr}\n${lines}` };
}

function failedAnswer(error: unknown, { host = HOSTS[0] as Host, event, cwd }: Call): HostAnswer {
  const made = event ?? (error instanceof PayloadError ? host.codec.eventName(error.head) : undefined);
  return ownFailure(error, { host, event: made, cwd }, process.env);
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
