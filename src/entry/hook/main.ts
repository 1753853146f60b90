/** `holdfast hook`: what hosts call. One native payload in, one native answer out; whatever fails, the path is closed. */
import { randomUUID } from "node:crypto";
import type { Environment } from "../../config/places.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Host, HostAnswer, Native } from "../../hosts/host.ts";
import { HOSTS, hostById } from "../../hosts/registry.ts";
import { withPassOffer } from "../engine/one-time-pass.ts";
import { judgeUnderRules } from "../engine/overrides.ts";
import { performOutcomes } from "../engine/perform.ts";
import { readyEngine } from "../engine/ready.ts";
import { sessionMemory } from "../engine/session-memory.ts";
import { deadlinesOf } from "./deadline.ts";
import { PayloadError, readPayload } from "./payload.ts";
import { recordUnknown } from "./unknown.ts";

export async function main(argv: readonly string[], distDir: string): Promise<void> {
  // Law 11: a process that Holdfast starts for itself is not judged by Holdfast.
  if (process.env.HOLDFAST_INTERNAL === "1") return;
  const chosen = chosenHost(argv);
  if ("answer" in chosen) return respond(chosen.answer);
  await respond(await answerPayload(chosen.host, distDir, process.env));
}

function chosenHost(argv: readonly string[]): { host: Host | undefined } | { answer: HostAnswer } {
  const [flag, id, ...rest] = argv;
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

async function answerPayload(named: Host | undefined, distDir: string, env: Environment): Promise<HostAnswer> {
  let host = named;
  let event: string | undefined;
  try {
    const payload = await readPayload(process.stdin);
    host ??= guessHost(payload, env);
    event = host.codec.eventName(JSON.stringify(payload).slice(0, 4096));
    const native = host.codec.parse(payload, {
      id: randomUUID(),
      at: new Date().toISOString(),
      env,
      cwd: process.cwd(),
    });
    event = native.event;
    return await beforeDeadline(host, native, (signal) => answerNative(host as Host, native, distDir, env, signal));
  } catch (error) {
    const speaker = host ?? (HOSTS[0] as Host);
    if (error instanceof PayloadError) event ??= speaker.codec.eventName(error.head);
    return speaker.codec.fail(event, failureText(error));
  }
}

async function answerNative(
  host: Host,
  native: Native,
  distDir: string,
  env: Environment,
  signal: AbortSignal,
): Promise<HostAnswer> {
  const [first] = native.events;
  const cwd = first?.cwd || process.cwd();
  const engine = await readyEngine(cwd, env, distDir, host.projectDir?.(env));
  try {
    recordUnknown(host, native, engine);
    if (!first) return host.codec.render(native, []);
    const memory = sessionMemory(first, engine.places);
    const starts = first.name === "session_start" && first.source !== "resume";
    if (starts || first.name === "session_end") memory.forget();
    const judged = await judgeUnderRules(host, native, engine, {
      signal,
      maxContextCharacters: engine.plan.settings.maxContextCharacters,
      told: memory.knows,
    });
    const outcomes = judged.map((outcome) => withPassOffer(outcome, engine.hooks));
    const answer = host.codec.render(native, outcomes);
    const problems = performOutcomes(outcomes, answer.undelivered ?? [], {
      plan: engine.plan,
      places: engine.places,
      memory,
    });
    return problems.length > 0
      ? { ...answer, stderr: `${answer.stderr}${problems.map((text) => `holdfast: not recorded: ${text}\n`).join("")}` }
      : answer;
  } finally {
    await engine.close();
  }
}

/** Our answer always comes before the host gives up on us: many hosts run the tool when a hook times out. */
async function beforeDeadline(
  host: Host,
  native: Native,
  work: (signal: AbortSignal) => Promise<HostAnswer>,
): Promise<HostAnswer> {
  const { softMs, hardMs } = deadlinesOf(host, native.event);
  const controller = new AbortController();
  const soft = setTimeout(() => controller.abort(), softMs);
  // Commands run in sessions of their own and would outlive us: a host that ends us ends them too.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => controller.abort());
  let hard: NodeJS.Timeout | undefined;
  const late = new Promise<HostAnswer>((resolve) => {
    hard = setTimeout(
      () => resolve(host.codec.fail(native.event, `no decision after ${Math.round(hardMs / 1000)} s`)),
      hardMs,
    );
  });
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(soft);
    clearTimeout(hard);
  }
}

/** Registered without --host: the environment tells, else the spelling of the event's name. */
function guessHost(payload: JsonObject, env: Environment): Host {
  const marked = HOSTS.find(({ markers }) => markers.some((name) => env[name] !== undefined));
  if (marked) return marked;
  const event = typeof payload.hook_event_name === "string" ? payload.hook_event_name : "";
  const camelCase = /^[a-z]/.test(event);
  return (camelCase ? hostById("kiro") : hostById("claude-code")) as Host;
}

function failureText(error: unknown): string {
  if (error instanceof PayloadError) return `${error.message} (${error.code})`;
  return `holdfast itself failed: ${error instanceof Error ? error.message : String(error)}`;
}

async function respond({ stdout, stderr, exitCode }: HostAnswer): Promise<void> {
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
