/** `holdfast hook`: what hosts call. One native payload in, one native answer out; whatever fails, the path is closed. */
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { Environment } from "../../config/places.ts";
import type { Host, HostAnswer } from "../../hosts/host.ts";
import { HOSTS, hostById } from "../../hosts/registry.ts";
import { answerNative } from "../engine/answer.ts";
import { answersElsewhere, callerOf } from "./caller.ts";
import { beforeDeadline, deadlinesOf } from "./deadline.ts";
import { guessHost } from "./guess-host.ts";
import { ownFailure } from "./own-failure.ts";
import { PayloadError, readPayload } from "./payload.ts";

export async function main(argv: readonly string[], distDir: string): Promise<void> {
  // Law 11: a process that Holdfast starts for itself is not judged by Holdfast.
  const internal = process.env.HOLDFAST_INTERNAL === "1";
  // A warning of Node's own would be a stray byte.
  process.removeAllListeners("warning");
  const chosen = chosenHost(argv);
  if (internal) return respond(silenceOf("host" in chosen ? chosen.host : undefined));
  if ("answer" in chosen) return respond(chosen.answer);
  const call: Call = { ...chosen, cwd: standingIn() };
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

/** `--event` is for hosts whose payloads do not name theirs. */
function chosenHost(argv: readonly string[]): Omit<Call, "cwd"> | { answer: HostAnswer } {
  const words = argv.flatMap((arg) => (arg.startsWith("--host=") ? ["--host", arg.slice(7)] : [arg]));
  if (words.length === 0) return { host: undefined, event: undefined };
  const [flag, id, eventFlag, event, ...rest] = words;
  const host = flag === "--host" && id !== undefined ? hostById(id) : undefined;
  const named = eventFlag === undefined || (eventFlag === "--event" && event !== undefined);
  if (host && named && rest.length === 0) return { host, event };
  const known = HOSTS.map((known) => known.id).join(", ");
  return {
    answer: {
      stdout: "",
      stderr: `error HF302  holdfast hook --host <id> [--event <name>]: unknown host or arguments; hosts: ${known}\n`,
      exitCode: 2,
    },
  };
}

async function answerPayload(call: Call, distDir: string, env: Environment): Promise<HostAnswer> {
  const payload = await readPayload(process.stdin);
  const moment = { id: randomUUID(), at: new Date().toISOString(), env, cwd: call.cwd, event: call.event };
  if (typeof payload.hook_event_name === "string") call.event = payload.hook_event_name;
  if (typeof payload.cwd === "string" && payload.cwd !== "") call.cwd = resolve(call.cwd, payload.cwd);
  const registered = call.host ?? guessHost(payload, moment);
  const host = callerOf(registered, payload, env);
  call.host = host;
  const native = host.codec.parse(payload, moment);
  // A host may start us in a directory of its own and say in other words where the agent stands.
  call.cwd = resolve(call.cwd, native.events[0]?.cwd ?? "");
  const second = host !== registered || host.repeats?.(payload, moment) === true;
  if (second && answersElsewhere(host, call.cwd, env)) return silenceOf(host);
  const ended = endedByHost();
  const { answer, remarks } = await beforeDeadline(deadlinesOf(host, native.event), (signal) =>
    answerNative(host, native, { cwd: call.cwd, distDir, env, signal: AbortSignal.any([signal, ended]) }),
  );
  return withRemarks(answer, remarks);
}

const silenceOf = (host: Host | undefined): HostAnswer => ({ stdout: host?.silence ?? "", stderr: "", exitCode: 0 });

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
