/** Compaction in Strands: a conversation manager reduces the messages, and tells nobody. */
import type { Session } from "../embed/session.ts";
import { failureText } from "../hosts/answer-text.ts";
import { messageOf } from "./hook-context.ts";

interface Message {
  readonly content: readonly { readonly text?: string }[];
}

interface Reduction {
  readonly agent: { readonly messages: readonly Message[] };
  /** Why the messages must become fewer now; absent: they will soon be too many. */
  readonly error?: Error;
}

export interface ConversationManager {
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
  reduce(options: any): boolean | Promise<boolean>;
}

/** Guards the manager given: pass it to the agent as `conversationManager`. */
export function guardCompaction<M extends ConversationManager>(session: Session, manager: M): M {
  const reduce = manager.reduce.bind(manager);
  manager.reduce = async (options: Reduction) => {
    const { agent, error } = options;
    const trigger = error ? "overflow" : "auto";
    const messageCount = agent.messages.length;
    const refusal = await refusalOf(session, trigger, messageCount);
    if (refusal !== undefined) {
      // The request cannot be made as it is: the turn ends, and it is the reason that ends it.
      if (error) throw new Error(`The messages were not compacted. ${refusal}`, { cause: error });
      return false;
    }
    const [first] = agent.messages;
    const reduced = await reduce(options);
    const [now] = agent.messages;
    const summary = now === first ? "" : textOf(now);
    if (reduced) await tell(session, { trigger, messageCount, summary });
    return reduced;
  };
  return manager;
}

async function refusalOf(session: Session, trigger: string, messageCount: number): Promise<string | undefined> {
  try {
    const asked = await session.fire("pre_compaction", { trigger, tokenEstimate: null, messageCount });
    return asked.kind === "block" ? asked.reason : undefined;
  } catch (error) {
    return failureText(messageOf(error), true);
  }
}

async function tell(
  session: Session,
  done: { readonly trigger: string; readonly messageCount: number; readonly summary: string },
): Promise<void> {
  try {
    await session.fire("post_compaction", { ...done, originalTokenCount: null, summaryTokenCount: null });
  } catch (error) {
    process.stderr.write(`holdfast: a compaction was not looked at: ${messageOf(error)}\n`);
  }
}

const textOf = (message: Message | undefined): string =>
  (message?.content ?? []).flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n");
