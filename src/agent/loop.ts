/**
 * What an agent with hooks is, from top to bottom: a prompt is submitted, the model speaks, its tools are called, until
 * it has nothing left to call and no hook wants more. Hooks are asked at every turn of the road; what they say is done.
 */
import { compactIfFull } from "./compaction.ts";
import type { Conversation } from "./conversation.ts";
import { contextMessages, continuationMessage } from "./message.ts";
import { callTools } from "./tool-calls.ts";
import { unlessAborted } from "./unless-aborted.ts";

export interface TurnResult {
  /** refused: a hook blocked the prompt. stopped: a hook kept the full context from being compacted. */
  readonly status: "completed" | "refused" | "stopped" | "limit" | "failed" | "cancelled";
  /** The agent's last words, or why there are none. */
  readonly text: string;
}

export interface TurnOptions {
  readonly signal: AbortSignal;
  /** A prompt that another agent wrote is no person's: no hook on user_prompt_submit sees it. */
  readonly from: "person" | "agent";
}

export async function runTurn(agent: Conversation, prompt: string, { signal, from }: TurnOptions): Promise<TurnResult> {
  const { session, model, messages, tell } = agent;

  // One turn has one id and one permission mode, whatever is set meanwhile.
  tell({ type: "turn_started", turn: session.startTurn(), mode: session.permissionMode });

  // A prompt that a hook blocks was never said: it is not stored, and no model sees it.
  if (from === "person") {
    const submitted = await session.fire("user_prompt_submit", { prompt }, signal);
    if (submitted.kind === "block") {
      tell({ type: "error", message: submitted.reason });
      return { status: "refused", text: submitted.reason };
    }
    agent.tellModelNext(submitted.context);
  }
  messages.push(...contextMessages(agent.takeContext()));
  messages.push(agent.promptMessage(prompt, from));
  tell({ type: "prompt", text: prompt });

  let continuations = 0;
  for (let step = 0; step < agent.maxSteps; step += 1) {
    signal.throwIfAborted();

    // A context that is full is compacted. Where a hook says no, the turn ends with its reason: it is not asked again.
    const refusal = await compactIfFull(agent, signal);
    if (refusal !== undefined) return { status: "stopped", text: refusal };

    // The model sees the whole conversation, and answers with words and calls.
    const tools = agent.offeredTools;
    const answer = await unlessAborted(model.answer({ messages, tools, signal }), signal);
    messages.push({ role: "assistant", ...answer });
    if (answer.text !== "") tell({ type: "assistant", text: answer.text });

    // Calls run side by side, each through its own hooks. A blocked one is an error the model reads; the turn goes on.
    if (answer.calls.length > 0) {
      messages.push(...(await callTools(agent, answer.calls, signal)));
      continue;
    }

    // The turn would end. A hook that has seen the last words may ask for one more step, a bounded number of times.
    signal.throwIfAborted();
    const last = { stopReason: "end_turn", lastAssistantMessage: answer.text, continuations };
    const stop = await session.fire("stop", last, signal);
    if (stop.kind !== "continue") {
      agent.tellModelNext(stop.context);
      return { status: "completed", text: answer.text };
    }
    continuations += 1;
    const again = continuationMessage(stop.reason, stop.context);
    messages.push(again);
    tell({ type: "continuation", reason: stop.reason, text: again.text });
  }
  return { status: "limit", text: `the turn was ended after ${agent.maxSteps} steps` };
}
