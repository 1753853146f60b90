/** `holdfast explain`: the real decision on a payload or command, with its trace. Effects are shown, not performed. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type Decision, leadingReason } from "../../core/decision.ts";
import { HoldfastError } from "../../core/errors.ts";
import type { Hook } from "../../core/hook.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { judgeNative } from "../../engine/judge.ts";
import { type ReadyEngine, readyEngine } from "../../engine/ready.ts";
import type { Host, Native, Outcome } from "../../hosts/host.ts";
import { hostById } from "../../hosts/registry.ts";
import { PAYLOAD_LIMITS, PayloadError, readPayload } from "../hook/payload.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { deliveredOf } from "./delivered.ts";
import { printOutcome } from "./outcome.ts";
import { unknownHost } from "./registration.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  if (call.flags.jsonl) return (await import("./explain-lines.ts")).explainLines(call);
  const command = textFlag(call, "command");
  const event = textFlag(call, "event");
  if (command !== undefined && event !== undefined)
    throw new HoldfastError(
      "HF701",
      "--event names the event of a payload on stdin; --command is a call that is to run",
      {
        hint: "leave one of them out",
      },
    );
  if (command?.trim() === "") throw nothingToExplain();
  if (command !== undefined) return explainPayload(shellPayload(command, standing(call), chosenHost(call)), call);
  if (process.stdin.isTTY) throw nothingToExplain();
  const payload = await readPayload(process.stdin, { ...PAYLOAD_LIMITS, timeoutMs: PATIENCE_MS }).catch(
    (error: unknown) => {
      throw error instanceof PayloadError ? new HoldfastError("HF301", error.message, { hint: WHAT_TO_GIVE }) : error;
    },
  );
  return explainPayload({ payload, event }, call);
}

const WHAT_TO_GIVE = "give --command, or a host's payload on stdin";

const nothingToExplain = () => new HoldfastError("HF701", "nothing to explain", { hint: WHAT_TO_GIVE });

/** Nobody waits for this answer as a host does. */
const PATIENCE_MS = 60_000;

export async function explainPayload(payload: NamedPayload, call: CommandCall): Promise<ExitCode> {
  const host = chosenHost(call);
  const native = parseNative(host, payload, call);
  if (native.events.length === 0) {
    throw new HoldfastError("HF301", `${host.title} has no event ${native.event} that Holdfast judges`);
  }
  const engine = await readyEngine(
    resolve(standing(call), native.events[0]?.cwd ?? ""),
    call.env,
    call.distDir,
    undefined,
    { rehearsal: true },
  );
  try {
    const outcomes = await judge(native, host, engine, showStatus(call));
    const verdict = verdictOf(outcomes, host);
    if (call.output.json)
      call.output.data(
        outcomes.length === 1
          ? explained(outcomes[0] as Outcome, host)
          : { ...verdict, events: outcomes.map((outcome) => explained(outcome, host)) },
      );
    else for (const outcome of outcomes) printOutcome(outcome, call.output, engine.plan, host.support);
    return verdict.decision === "block" || verdict.delivered === "block" ? 2 : 0;
  } finally {
    await engine.close();
  }
}

export function parsePayloadText(text: string, where: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Said below, the same way for both.
  }
  throw new HoldfastError("HF301", `${where} is not a JSON object: ${text.slice(0, 80)}`);
}

export function standing(call: CommandCall): string {
  const dir = resolve(call.cwd, textFlag(call, "cwd") ?? ".");
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return dir;
  throw new HoldfastError("HF701", `--cwd ${dir} is no directory`);
}

export function chosenHost(call: CommandCall): Host {
  const id = textFlag(call, "host") ?? "claude-code";
  const host = hostById(id);
  if (!host) throw unknownHost(id);
  return host;
}

/** A shell call as the host would send it. */
export function shellPayload(command: string, cwd: string, host: Host): NamedPayload {
  const native = host.support.pre_tool_use?.native[0] ?? "";
  const call = host.probes.shell(command);
  const payload = host.codec.compose({ on: "pre_tool_use", native, session: "explain", cwd, id: "explain", call });
  return { payload: payload ?? {}, event: native };
}

/** `event`: its native name, where the payload does not say it. */
export interface NamedPayload {
  readonly payload: JsonObject;
  readonly event?: string | undefined;
}

export function parseNative(host: Host, { payload, event }: NamedPayload, call: CommandCall): Native {
  const moment = { id: "explain", at: new Date().toISOString(), env: call.env, cwd: call.cwd };
  try {
    return host.codec.parse(payload, { ...moment, event });
  } catch (error) {
    throw new HoldfastError("HF301", `not a payload of ${host.title}: ${(error as Error).message}`);
  }
}

const NEVER = new AbortController();

export const judge = (native: Native, host: Host, { hooks, plan }: ReadyEngine, onAsk?: (hook: Hook) => void) =>
  judgeNative(host, native, hooks, {
    abort: NEVER,
    maxContextCharacters: plan.settings.maxContextCharacters,
    ...(onAsk ? { onAsk } : {}),
  });

/** a person who waits sees what is being done. */
const showStatus =
  ({ output }: CommandCall) =>
  (hook: Hook) => {
    if (process.stderr.isTTY && hook.statusMessage) output.note(output.paint("dim", `${hook.statusMessage} …`));
  };

const ORDER = ["block", "ask", "allow", "none"] as const;

function strongest(outcomes: readonly Outcome[]): Decision {
  const decisions = outcomes.map(({ decision }) => decision);
  const found = ORDER.map((kind) => decisions.find((decision) => decision.kind === kind)).find(Boolean);
  return found ?? (decisions[0] as Decision);
}

export interface ExplainedVerdict {
  readonly decision: string;
  /** What the agent is told, where that is something else. */
  readonly delivered?: string;
  readonly rules: readonly string[];
  readonly reason: string;
}

export function verdictOf(outcomes: readonly Outcome[], { support }: Pick<Host, "support">): ExplainedVerdict {
  if (outcomes.length === 0) return { decision: "none", rules: [], reason: "" };
  const decision = strongest(outcomes);
  const delivered = deliveredOf(outcomes, support, decision.kind);
  return {
    decision: decision.kind,
    ...(delivered === undefined ? {} : { delivered }),
    rules: decision.reasons.map(({ rule, hook }) => rule ?? hook),
    reason: leadingReason(decision),
  };
}

function explained(outcome: Outcome, host: Host) {
  const { event, decision } = outcome;
  const { final: _final, ...rest } = decision;
  return {
    ...verdictOf([outcome], host),
    host: event.host,
    cwd: event.cwd,
    ...("tool" in event ? { tool: event.tool } : {}),
    ...rest,
  };
}
