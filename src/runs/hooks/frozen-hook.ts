/** A hook of an assignment, as the engine asks it: in its time, by its code as it was pinned. */
import type { Effect } from "../../core/effect.ts";
import type { AgentEvent } from "../../core/event.ts";
import { HookFailure } from "../../core/failure.ts";
import type { Hook, JudgeContext } from "../../core/hook.ts";
import { canonicalJson, isJsonObject, type Json } from "../../core/json.ts";
import { NO_OPINION, type Verdict } from "../../core/verdict.ts";
import { pinFiles } from "../../sources/pins.ts";
import type { FrozenHook, HookSource } from "../run.ts";
import type { RunEvent } from "./builtins/builtin.ts";
import { RUN_BUILTINS } from "./builtins/registry.ts";
import type { RunMachine } from "./engine.ts";
import { EVENT_OF } from "./phase-event.ts";

export function hookOf(frozen: FrozenHook, machine: RunMachine): Hook {
  const { id, source, phase, onError, timeoutMs } = frozen;
  return {
    name: id,
    source: source.type === "builtin" ? "builtin" : source.file,
    layer: "local",
    priority: 0,
    on: [EVENT_OF[phase]],
    // Until somebody says otherwise a failure that people are asked about stops the phase.
    onError: onError === "continue" ? "continue" : "block",
    judge: (event, context) =>
      source.type === "builtin"
        ? within(timeoutMs, context.signal, (signal) => askBuiltin(source.name, frozen, event, signal, machine))
        : askModule(source, frozen, event, context, machine),
  };
}

async function askBuiltin(
  name: string,
  { phase, timeoutMs }: FrozenHook,
  event: AgentEvent,
  signal: AbortSignal,
  machine: RunMachine,
): Promise<Verdict> {
  const builtin = RUN_BUILTINS.find((candidate) => candidate.name === name);
  if (!builtin) throw new HookFailure("missing", `this version of Holdfast has no built-in hook ${name}`);
  return builtin.judge({ event: event as RunEvent, phase, config: configOf(event), signal, timeoutMs }, machine);
}

/** Time and cancelling are its worker's: loading has a limit of its own. */
async function askModule(
  source: ModuleSource,
  frozen: FrozenHook,
  event: AgentEvent,
  context: JudgeContext,
  machine: RunMachine,
): Promise<Verdict> {
  if (source.index === null) return NO_OPINION;
  const { file, index, pins } = source;
  const drift = driftOf(file, pins);
  if (drift && frozen.onDrift === "refuse") {
    throw new HookFailure("untrusted", `${drift}; put it back, or make a new run`);
  }
  const config = configOf(event);
  const options = isJsonObject(config) ? config : {};
  const verdict = await machine.modules.judge({
    file,
    index,
    pins: known(drift ? pinFiles([file]) : pins),
    event,
    context: { now: context.now, signal: context.signal, options },
    timeoutMs: frozen.timeoutMs,
  });
  return drift ? { ...verdict, effects: [...(verdict.effects ?? []), driftNotice(frozen, event, drift)] } : verdict;
}

const MAX_KNOWN = 500;
const knownPins = new Map<string, Readonly<Record<string, string>>>();

/** One object for the same pins: a worker loads code anew for every other one, also if it holds the same. */
function known(pins: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const key = canonicalJson(pins);
  const same = knownPins.get(key) ?? pins;
  if (knownPins.size >= MAX_KNOWN) knownPins.clear();
  knownPins.set(key, same);
  return same;
}

type ModuleSource = Extract<HookSource, { type: "module" }>;

const configOf = (event: AgentEvent): Json => ("config" in event ? event.config : null);

/** What of a hook's code is no longer what it was when the run was made. */
export function driftOf(file: string, pins: Readonly<Record<string, string>>): string | undefined {
  const now = pinFiles([file]);
  if (now[file] === "unreadable") return `its code ${file} is gone`;
  const changed = Object.keys({ ...pins, ...now }).filter((path) => pins[path] !== now[path]);
  return changed.length > 0 ? `its code has changed since the run was made: ${changed.join(", ")}` : undefined;
}

const driftNotice = ({ id }: FrozenHook, { name }: AgentEvent, drift: string): Effect => ({
  type: "notice",
  notice: { event_name: name, message: `hook ${id}: ${drift}`, is_error: false, code: "drift", hook: id },
});

/** The hook hears of its end; whether it listens or not, nobody waits longer. */
async function within(
  timeoutMs: number,
  outer: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Verdict>,
): Promise<Verdict> {
  const ending = new AbortController();
  const calledOff = () => ending.abort(new HookFailure("timeout", "the phase was called off"));
  const timer = setTimeout(
    () => ending.abort(new HookFailure("timeout", `did not answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  if (outer.aborted) calledOff();
  outer.addEventListener("abort", calledOff);
  const { signal } = ending;
  const ended = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  try {
    return await Promise.race([ask(signal), ended]);
  } catch (error) {
    // What a hook throws because it was told to end is not what ended it.
    throw signal.aborted ? signal.reason : error;
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", calledOff);
  }
}
