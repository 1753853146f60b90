/** Kiro reads an exit code and one of two streams: 2 and stderr is a block, 0 and stdout is context (K-5). */
import { contextText, opinionText, withContext } from "../answer-text.ts";
import { deliver, shortfall, strongest } from "../delivery.ts";
import type { HostAnswer, Native, Outcome } from "../host.ts";
import { canonicalEvent } from "./parse.ts";
import { support } from "./support.ts";

export function render(native: Native, outcomes: readonly Outcome[]): HostAnswer {
  const answers = outcomes.map((outcome) => deliver(outcome, support));
  const { kind, reasons, instructions } = strongest(answers);
  const context = answers.flatMap((answer) => answer.context);
  const undelivered = answers.flatMap((answer) => answer.undelivered);
  const event = canonicalEvent(native.event);

  if (kind === "block") {
    const text = withContext(opinionText(kind, reasons, instructions), context);
    if (event !== "user_prompt_submit" || stopsPrompts(native)) return answer({ stderr: text }, undelivered);
    const advice = "Do not act on the prompt above. Tell the person that it was blocked and why.";
    return answer({ stdout: `${text}\n${advice}` }, [...undelivered, shortfall(support, event, "block")]);
  }
  if (context.length === 0) return answer({}, undelivered);
  if (event === "pre_tool_use") return answer({}, [...undelivered, shortfall(support, event, "context")]);
  return answer({ stdout: contextText(context) }, undelivered);
}

/** By its documentation CLI 3 and the IDE do, and CLI 2.x does not. */
const stopsPrompts = ({ event }: Native) => /^[A-Z]/.test(event);

function answer(said: { stdout?: string; stderr?: string }, undelivered: readonly string[]): HostAnswer {
  const { stdout = "", stderr = "" } = said;
  return { stdout, stderr, exitCode: stderr ? 2 : 0, ...(undelivered.length > 0 ? { undelivered } : {}) };
}
