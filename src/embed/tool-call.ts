/** One tool call of an agent, from the first hook to the last. What every agent and every binding does alike. */
import { type Decision, leadingReason } from "../core/decision.ts";
import type { EventOf } from "../core/event.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { ToolCall } from "../core/tool.ts";
import type { EngineHost } from "./engine-host.ts";
import { ownCall } from "./own-json.ts";
import type { Session, ToolUse } from "./session.ts";

export interface CalledTool extends ToolUse {
  /** Runs the tool with the input as hooks left it. Throwing means that it failed. */
  run(input: JsonObject): Promise<Json> | Json;
  /** The agent itself would ask a person before it runs this. */
  readonly needsPermission?: boolean;
  /** Why the agent itself will not run this. Hooks look at the call all the same. */
  readonly refusal?: string;
  readonly signal?: AbortSignal;
  /** Says what is wrong with an input, where the tool's schema is known only now; besides its description's. */
  readonly problem?: InputProblem;
  /** Asks a person about this call, instead of whom Holdfast was created with. What it throws is passed on. */
  readonly ask?: (question: Question) => Promise<PersonAnswer> | PersonAnswer;
  /** What a person said to the question that the run was suspended with (`suspendedWith`). It answers nothing else. */
  readonly answered?: PersonAnswer;
  /** What to do where `answered` is to something else and nobody can be asked; default: to make the call again. */
  readonly notAsked?: string;
  /** What hooks said already, where the SDK wants to know before it runs the tool. */
  readonly judged?: JudgedCall;
  /** false: a call that waits for people is not held: it is blocked with `pendingApproval`, for SDKs that can suspend it. */
  readonly hold?: boolean;
  /** Errors by which an SDK suspends a run: they are passed on, and no hook looks at the call yet. */
  readonly isSuspension?: (error: unknown) => boolean;
}

/** Thrown by a tool's `run` where a failure is more than a message. */
export class ToolFailure extends Error {
  readonly response: Json;
  constructor(response: Json) {
    super("the tool failed");
    this.response = response;
  }
}

export type InputProblem = (input: JsonObject) => string | undefined;

/** A call that hooks have looked at and that has not run. */
export interface JudgedCall {
  readonly kind: "run" | "ask" | "block";
  /** Why it is blocked, or what a person is asked. */
  readonly reason: string;
  /** With block: the approval it waits for. Judged again when people have decided, the very same call runs. */
  readonly pendingApproval?: string;
  /** What the person at the agent is asked, each question by itself; with a pending approval: besides it. */
  readonly questions?: readonly string[];
  /** The call as hooks left it. */
  readonly tool: ToolUse;
  readonly context: readonly string[];
  /** With ask: what a person's "always" is about. */
  readonly rememberAs?: string;
  /** With ask: the event under which the answer is recorded. */
  readonly question?: EventOf<"permission_request">;
}

export interface Question {
  readonly session: Session;
  readonly tool: ToolUse;
  /** Why a person is asked. */
  readonly reason: string;
  readonly signal?: AbortSignal;
}

/** A person's answer. `always`: the agent need not ask about this again in this session; hooks may. */
export type PersonAnswer =
  | { readonly allow: true; readonly always?: boolean }
  | { readonly allow: false; readonly always?: boolean; readonly reason?: string };

export type ToolOutcome =
  | {
      readonly status: "ran";
      readonly input: JsonObject;
      /** What the model sees. */
      readonly output: Json;
      readonly failed: boolean;
      readonly context: readonly string[];
    }
  | {
      readonly status: "blocked";
      readonly input: JsonObject;
      readonly reason: string;
      readonly context: readonly string[];
    };

export async function callTool(session: Session, host: EngineHost, called: CalledTool): Promise<ToolOutcome> {
  const { signal } = called;
  const judged = called.judged ?? (await judgeCall(session, called));
  const { tool } = judged;
  const refusal = judged.kind === "run" ? undefined : await refusalOf(session, host, called, judged);
  const cancelled = signal?.aborted ? "it was cancelled before it ran" : undefined;
  const reason = refusal ?? cancelled;
  const over = () => called.answered && host.questions.forget(session.id, tool.id);
  if (reason !== undefined) {
    over();
    return { status: "blocked", input: tool.input, reason, context: judged.context };
  }
  const startedMs = performance.now();
  const { response, failed } = await ran(called, ownCall(tool).input);
  over();
  const durationMs = Math.round(performance.now() - startedMs);
  const seen = { tool, response, failed, outcomeUnknown: false, durationMs };
  // Without the signal: what ran is looked at and recorded, even where the turn was cancelled meanwhile.
  const after = await session.fire("post_tool_use", seen);
  const context = [...judged.context, ...after.context];
  // the block replaces what the model sees; that the tool ran stays in the records.
  if (after.kind === "block")
    return { status: "ran", input: tool.input, output: `Error: ${after.reason}`, failed: true, context };
  return { status: "ran", input: tool.input, output: after.final.response, failed: after.final.failed, context };
}

/**
 * What hooks say of a call before it runs, and of the question whether it may. An allow of pre_tool_use spares the person
 * the question, never the hooks on permission_request; what a person said once and for all spares both, unless a hook asks.
 */
export async function judgeCall(session: Session, called: Omit<CalledTool, "run">): Promise<JudgedCall> {
  const { name, input, id, metadata, mcp, signal, problem, refusal, needsPermission, hold } = called;
  const given: ToolUse = {
    name,
    input,
    ...(id === undefined ? {} : { id }),
    ...(metadata ? { metadata } : {}),
    ...(mcp ? { mcp } : {}),
  };
  const before = await session.fire("pre_tool_use", { tool: given }, signal, problem, hold);
  const tool = { ...given, input: before.final.tool.input };
  const { context } = before;
  const run: JudgedCall = { kind: "run", reason: "", tool, context };
  const blocked = (reason: string): JudgedCall => ({ kind: "block", reason, tool, context });
  const waiting = waitingOf(before.decision, tool);
  if (hold === false && waiting?.pendingApproval !== undefined) return { ...waiting, context };
  if (before.kind === "block") return blocked(before.reason);
  if (refusal !== undefined) return blocked(refusal);
  // The predicate of a tool was asked about the input as the model wrote it; what will run may be another.
  const confirms = before.kind === "ask" || (before.isRewritten && (await session.requiresConfirmation(tool, signal)));
  if (!confirms && !needsPermission) return run;
  const rememberAs = answerKey(before.final.tool);
  const known = confirms ? undefined : session.answers.get(rememberAs);
  if (known) return known.allow ? run : blocked(saidNo(tool, known.reason));
  const asked = await session.fire("permission_request", { tool }, signal);
  if (asked.kind === "block") return blocked(asked.reason);
  if (asked.kind === "allow" || (before.kind === "allow" && !confirms)) return run;
  const { reason, questions } = waiting ?? permissionFor(tool);
  return { kind: "ask", reason, questions, tool, context, rememberAs, question: asked.final };
}

/** What is put to the person at the agent about a call; undefined: it waits for nobody. */
export function waitingOf(decision: Decision, tool: ToolUse): Waiting | undefined {
  const { kind, reasons } = decision;
  const texts = distinct(reasons.map(({ text }) => text));
  if (kind === "ask") return { kind, reason: texts.join("\n"), questions: texts, tool, context: [] };
  const pendingApproval = kind === "block" ? pendingIn(decision) : undefined;
  if (pendingApproval === undefined) return undefined;
  const questions = askedBesides(decision);
  return { kind: "block", reason: leadingReason(decision), pendingApproval, questions, tool, context: [] };
}
type Waiting = JudgedCall & Required<Pick<JudgedCall, "questions">>;

function permissionFor({ name }: ToolUse): Pick<Waiting, "reason" | "questions"> {
  const reason = `${name} needs a person's permission`;
  return { reason, questions: [reason] };
}

/** All that is put to the person, for SDKs that show one text. */
export const questionText = ({ kind, reason, questions = [] }: JudgedCall): string =>
  kind === "ask" ? reason : [reason, ...questions].join("\n");

/** What hooks of people ask of a call that waits for an approval: a yes to the approval does not answer it. */
function askedBesides({ trace }: Decision): string[] {
  const last = new Map(trace.map((step) => [`${step.layer} ${step.hook}`, step]));
  return distinct(
    [...last.values()].flatMap(({ opinion, observed, source }) =>
      opinion?.kind === "ask" && !observed && source !== "builtin" ? [opinion.reason] : [],
    ),
  );
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];

function pendingIn({ effects }: Decision): string | undefined {
  for (const effect of effects) {
    if (effect.type !== "note" || !isJsonObject(effect.data)) continue;
    const { approval, status } = effect.data;
    if (status === "pending" && typeof approval === "string") return approval;
  }
  return undefined;
}

/** Why the call may not run; undefined: it may. */
export async function refusalOf(
  session: Session,
  host: EngineHost,
  {
    signal,
    ask = host.ask,
    answered,
    notAsked = ANSWERED_ELSE,
  }: Pick<CalledTool, "signal" | "ask" | "answered" | "notAsked">,
  judged: JudgedCall,
): Promise<string | undefined> {
  const { kind, tool, reason, rememberAs, question } = judged;
  if (kind === "block") return reason;
  const given = answered && host.questions.covers(session.id, judged) ? answered : undefined;
  if (!given && !ask) return `${reason} ${answered ? notAsked : NOBODY}`;
  const answer = given ?? (await ask?.({ session, tool: ownCall(tool), reason, ...(signal ? { signal } : {}) }));
  if (!answer) return `${reason} ${NOBODY}`;
  if (question) await host.recordAnswer(question, answer);
  if (answer.always && rememberAs !== undefined) session.answers.set(rememberAs, answer);
  return answer.allow ? undefined : saidNo(tool, answer.reason);
}

const NOBODY = "Nobody is there to be asked; do something else, or stop and say what you need.";
const ANSWERED_ELSE =
  "The person who answered was not asked this, as far as is known here; make the call again, and it is put to them.";

const saidNo = ({ name }: ToolUse, reason: string | undefined) => reason ?? `a person said no to ${name}`;

/** "Always" is about a tool; of a shell, about one command: a yes to `ls` is none to `rm`. */
const answerKey = (tool: ToolCall) => (tool.kind === "shell" ? `${tool.name} ${tool.command}` : tool.name);

async function ran({ run, isSuspension }: CalledTool, input: JsonObject): Promise<{ response: Json; failed: boolean }> {
  try {
    return { response: await run(input), failed: false };
  } catch (error) {
    if (isSuspension?.(error)) throw error;
    if (error instanceof ToolFailure) return { response: error.response, failed: true };
    return { response: error instanceof Error ? error.message : String(error), failed: true };
  }
}
