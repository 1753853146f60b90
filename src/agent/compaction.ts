/** A context that has grown too long is replaced by a summary of it. Hooks may refuse, and add to the summary. */
import type { Conversation } from "./conversation.ts";
import { contextBlock, estimateTokens, type Message, withAppended } from "./message.ts";
import { unlessAborted } from "./unless-aborted.ts";

/** Why it may not be compacted; undefined: nothing is in the way of the next step. */
export async function compactIfFull(agent: Conversation, signal: AbortSignal): Promise<string | undefined> {
  const isFull = estimateTokens(agent.messages) > agent.contextTokens;
  return isFull && agent.hasGrownSinceCompaction ? compact(agent, "context_threshold", signal) : undefined;
}

/** The reason of the hook that refused; undefined: it is done. */
export async function compact(agent: Conversation, trigger: string, signal: AbortSignal): Promise<string | undefined> {
  const { session, messages, model, tell } = agent;
  const [tokenEstimate, messageCount] = [estimateTokens(messages), messages.length];
  const before = await session.fire("pre_compaction", { trigger, tokenEstimate, messageCount }, signal);
  if (before.kind === "block") return withAppended(before.reason, before.context);

  tell({ type: "compaction_started", trigger, tokens: tokenEstimate });
  const request: Message = { role: "user", from: "agent", text: summaryRequest(before.context) };
  const shown = { messages: [...messages, request], tools: agent.offeredTools, signal };
  const { text: summary } = await unlessAborted(model.answer(shown), signal);
  if (summary.trim() === "") throw new Error("the model gave no summary of the conversation, so it was not compacted");

  const after = await session.fire("post_compaction", {
    trigger,
    summary,
    originalTokenCount: tokenEstimate,
    summaryTokenCount: estimateTokens([{ role: "user", text: summary }]),
    messageCount,
  });
  const stored = withAppended(summary, after.context);
  agent.replaceBySummary({ role: "user", from: "agent", text: `Summary of the conversation so far:\n\n${stored}` });
  tell({ type: "compaction_finished", summary: stored });
  return undefined;
}

const SUMMARY_REQUEST =
  "The conversation is about to be replaced by a summary. Call no tools. Write down what the user wants, what was done and found, what is left to do, and every path, name and number that will be needed.";

const summaryRequest = (context: readonly string[]) =>
  context.length === 0 ? SUMMARY_REQUEST : `${SUMMARY_REQUEST}\n\n${contextBlock(context)}`;
