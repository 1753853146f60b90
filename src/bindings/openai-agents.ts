/**
 * OpenAI Agents (@openai/agents 0.20). The SDK has no one place where all tools pass, so every tool of an agent is
 * wrapped: its own, those of MCP servers, agents as tools, handoffs. What cannot be wrapped is refused, not passed.
 */
import type { Session } from "../embed/session.ts";
import type { PersonAnswer } from "../embed/tool-call.ts";
import { saidSince } from "./new-prompt.ts";
import { AgentGuard, type OpenAiGuardOptions, questionAbout } from "./openai-agents-guard.ts";
import type { OpenAiAgent } from "./openai-agents-shapes.ts";
import { jsonOf, textOf } from "./openai-agents-values.ts";
import { reminder } from "./reminder.ts";
import { beginTurn, continuation } from "./turn.ts";

export { support } from "./openai-agents-support.ts";

export type { OpenAiGuardOptions };

/** The agent, guarded: use it in place of the one given, which stays as it is. */
export function guardAgent<A extends OpenAiAgent>(session: Session, agent: A, options: OpenAiGuardOptions = {}): A {
  return new AgentGuard(session, options).agent(agent, session) as A;
}

/** What a person is to be asked about an interruption, in the words of the hook that asks. */
export function questionOf(interruption: {
  readonly agent: object;
  readonly rawItem: { readonly callId?: string };
}): string | undefined {
  return questionAbout(interruption.agent, interruption.rawItem.callId ?? "");
}

/** A person's answer to an interruption, told to the state that is then run again. */
export function answerInterruption<I extends { readonly name?: string | undefined }>(
  state: { approve(item: I): void; reject(item: I, options: { readonly message: string }): void },
  interruption: I,
  answer: PersonAnswer,
): void {
  if (answer.allow) state.approve(interruption);
  else state.reject(interruption, { message: answer.reason ?? `a person said no to ${interruption.name}` });
}

type Item = { readonly role?: string; readonly type?: string; readonly content?: unknown };

interface Result {
  readonly history: readonly Item[];
  readonly finalOutput?: unknown;
  readonly interruptions?: readonly Interruption[];
  readonly lastAgent?: unknown;
}

export interface GuardedTurn<R> {
  readonly session: Session;
  /** The SDK's `run`, or that of a Runner. */
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  run(agent: any, input: any, options?: any): Promise<R>;
  /** As guardAgent gave it. */
  readonly agent: OpenAiAgent;
  /** A prompt, or the RunState of a run that waited. */
  readonly input: string | readonly Item[] | object;
  readonly options?: { readonly stream?: false; readonly session?: unknown } & Readonly<Record<string, unknown>>;
}

export type TurnResult<R> =
  | { readonly status: "blocked"; readonly reason: string }
  | { readonly status: "done" | "suspended"; readonly result: R };

/** One turn: the prompt looked at before it, and its end after it. */
export async function runGuarded<R extends Result>(turn: GuardedTurn<R>): Promise<TurnResult<R>> {
  const { session, run, agent, options = {} } = turn;
  if ((options as { readonly stream?: unknown }).stream) throw new Error(STREAMED);
  let input: unknown = turn.input;
  if (typeof input === "string" || Array.isArray(input)) {
    const items: readonly Item[] = typeof input === "string" ? [{ role: "user", content: input }] : input;
    // The SDK's own session has what was said before: all of the input is new.
    const isNew = options.session !== undefined;
    const begun = await beginTurn(session, promptOf(isNew ? items.filter(isPersons) : saidSince(items, ITEMS)));
    if (begun.status === "blocked") return begun;
    // Part of the input, not of one request: so it is in the history, in every request and after a restart.
    if (begun.context.length > 0) input = [...items, { role: "user", content: reminder(begun.context) }];
  } else if (session.turn === "") session.startTurn();
  const waited = waitingIn(input);
  let result = await run(agent, input, options);
  // What a person said no to comes past no tool of ours.
  const stillWaits = result.interruptions?.map(callIdOf) ?? [];
  for (const id of waited) if (!stillWaits.includes(id)) session.forgetQuestions(id);
  for (let continuations = 0; ; continuations++) {
    if (result.interruptions?.length) return { status: "suspended", result };
    const message = await continuation(session, textOf(jsonOf(result.finalOutput)), continuations);
    if (message === undefined) return { status: "done", result };
    const said = { role: "user", content: message };
    // The SDK's own session has the history already.
    const next = options.session === undefined ? [...result.history, said] : [said];
    result = await run(result.lastAgent ?? agent, next, options);
  }
}

const STREAMED =
  "runGuarded looks at the end of a turn, and a stream has none when it begins: leave `stream` out, or call the SDK's own run on the guarded agent, where tools are guarded and prompts and stops are not.";

interface Interruption {
  readonly rawItem?: { readonly callId?: string };
}

const callIdOf = ({ rawItem }: Interruption): string => rawItem?.callId ?? "";

/** The calls that a RunState waits with. */
function waitingIn(input: unknown): readonly string[] {
  const { getInterruptions } = (input ?? {}) as { getInterruptions?: () => readonly Interruption[] };
  return getInterruptions?.call(input).map(callIdOf) ?? [];
}

const isPersons = ({ role }: Item): boolean => role === "user";
const ITEMS = { isPersons, isAgents: ({ role, type }: Item) => role === "assistant" || type === "function_call" };

const promptOf = (items: readonly Item[]): string => items.map(textOfItem).join("\n");

function textOfItem({ content }: Item): string {
  if (typeof content === "string") return content;
  const parts: readonly { readonly text?: unknown }[] = Array.isArray(content) ? content : [];
  return parts.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n");
}
