/** Compaction in LangChain is a middleware that replaces messages by a summary: hooks stand around what it returns. */
import type { Session } from "../embed/session.ts";
import type { LangChainModule } from "./langchain.ts";

interface Message {
  readonly content?: unknown;
  readonly text?: string;
  getType?(): string;
}
interface State {
  readonly messages: readonly Message[];
}
type Update = { readonly messages?: readonly Message[] } | undefined;
type Hook = (state: State, runtime: unknown) => Promise<Update> | Update;

export interface GuardedSummaryOptions {
  readonly langchain: LangChainModule;
  readonly session: Session;
  /** What `summarizationMiddleware(…)` returned. */
  // biome-ignore lint/suspicious/noExplicitAny: a middleware in the SDK's own types
  readonly summarization: any;
}

/**
 * pre_compaction is fired when the summary is made and has not replaced anything: LangChain decides and summarizes in
 * one step. A block leaves the messages as they are.
 */
// biome-ignore lint/suspicious/noExplicitAny: a middleware in the SDK's own types
export function guardedSummary({ langchain, session, summarization }: GuardedSummaryOptions): any {
  const given: Hook | { hook: Hook } = summarization.beforeModel;
  const summarize = typeof given === "function" ? given : given.hook;
  return {
    ...summarization,
    async beforeModel(state: State, runtime: unknown): Promise<Update> {
      const update = await summarize(state, runtime);
      const summary = update?.messages?.find((message) => message.getType?.() !== "remove");
      if (!update?.messages || !summary) return update;
      const messageCount = state.messages.length;
      const before = await session.fire("pre_compaction", { trigger: "auto", tokenEstimate: null, messageCount });
      if (before.kind === "block") return undefined;
      const text = summary.text ?? String(summary.content);
      const counts = { originalTokenCount: null, summaryTokenCount: null, messageCount };
      const after = await session.fire("post_compaction", { trigger: "auto", summary: text, ...counts });
      const told = [...before.context, ...after.context];
      if (told.length === 0) return update;
      const extended = new langchain.HumanMessage([text, ...told].join("\n\n")) as Message;
      return { ...update, messages: update.messages.map((message) => (message === summary ? extended : message)) };
    },
  };
}
