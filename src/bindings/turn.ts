/** The turns of a session, for SDKs without a word for them: how one begins, and what keeps it going. Nothing here throws. */
import type { EventOf } from "../core/event.ts";
import type { Session } from "../embed/session.ts";
import { failureText, opinionText } from "../hosts/answer-text.ts";
import { messageOf } from "./hook-context.ts";
import { reminder } from "./reminder.ts";

type Source = EventOf<"session_start">["source"];

const begun = new WeakSet<Session>();

export type Begun =
  | { readonly status: "blocked"; readonly reason: string }
  | { readonly status: "go"; readonly context: readonly string[] };

/** Fires session_start, once a session, and the prompt. */
export async function beginTurn(session: Session, prompt: string, source: Source = "startup"): Promise<Begun> {
  session.startTurn();
  try {
    const started = await startSession(session, source);
    const submitted = await session.fire("user_prompt_submit", { prompt });
    if (submitted.kind === "block") return { status: "blocked", reason: submitted.reason };
    return { status: "go", context: [...started, ...submitted.context] };
  } catch (error) {
    return { status: "blocked", reason: failureText(messageOf(error), true) };
  }
}

export async function startSession(session: Session, source: Source): Promise<readonly string[]> {
  if (begun.has(session)) return [];
  begun.add(session);
  return (await session.fire("session_start", { source })).context;
}

/** Fires session_end, where session_start was fired. */
export async function endSession(session: Session, reason: string): Promise<void> {
  if (!begun.delete(session)) return;
  await observed(() => session.fire("session_end", { reason }), "the end of the session");
}

/** The message that keeps the turn going; undefined: it ends. */
export async function continuation(
  session: Session,
  lastAssistantMessage: string,
  continuations: number,
): Promise<string | undefined> {
  const stop = { stopReason: "end_turn", lastAssistantMessage, continuations };
  const stopped = await observed(() => session.fire("stop", stop), "the end of the turn");
  if (stopped?.kind !== "continue") return undefined;
  return reminder([opinionText("continue", stopped.decision.reasons), ...stopped.context]);
}

/** Our own failure where nothing is guarded: said, and passed. */
async function observed<T>(fire: () => Promise<T>, what: string): Promise<T | undefined> {
  try {
    return await fire();
  } catch (error) {
    process.stderr.write(`holdfast: ${what} was not looked at: ${messageOf(error)}\n`);
    return undefined;
  }
}
