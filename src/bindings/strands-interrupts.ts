/** Interrupts of Strands, as a call that waits uses them. */
import type { Json } from "../core/json.ts";
import { questionText } from "../embed/tool-call.ts";
import type { Interruptible } from "./interrupts.ts";
import { answerOf } from "./strands-values.ts";

export type StrandsInterrupt = (params: { readonly name: string; readonly reason: Json }) => unknown;

/** Each by a name of its own: the SDK keeps an answer under it for as long as the call is not over. */
export const interruptsOf = (event: { interrupt: StrandsInterrupt }): Interruptible => ({
  interrupt(judged, at) {
    const { pendingApproval: approval, tool } = judged;
    const asked = { reason: questionText(judged), tool: tool.name, input: tool.input };
    return event.interrupt({
      name: at === 0 ? "holdfast" : `holdfast-${at + 1}`,
      reason: approval === undefined ? asked : { ...asked, approval },
    });
  },
  isSuspension: (error) => error instanceof Error && error.name === "InterruptError",
  answerOf,
});
