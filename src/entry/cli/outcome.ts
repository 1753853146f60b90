/** A decision and how it came about, for a person's eyes. */
import type { Plan } from "../../config/plan.ts";
import type { TraceStep } from "../../core/decision.ts";
import type { Outcome, Support } from "../../hosts/host.ts";
import { deliveredOf, deliveredWords, hostTexts } from "./delivered.ts";
import { observedIn, observedWords } from "./observed.ts";
import { type Colour, type Output, table } from "./output.ts";

export const DECISION_COLOURS: Readonly<Record<string, Colour>> = {
  block: "red",
  ask: "yellow",
  allow: "green",
  none: "green",
  continue: "yellow",
  halt: "red",
  reinvoke: "yellow",
};

export function printOutcome(outcome: Outcome, output: Output, plan: Pick<Plan, "hooks">, support: Support): void {
  const { event, decision } = outcome;
  const what =
    "tool" in event
      ? `${event.tool.name} (${event.tool.kind})${event.tool.kind === "shell" ? `  ${event.tool.command}` : ` ${event.tool.paths.join(" ")}`}`
      : "";
  output.line(`${event.name}  ${what}`.trimEnd());
  const observed = observedIn(decision);
  const delivered = deliveredOf([outcome], support, decision.kind);
  const words = [delivered && deliveredWords(delivered), observedWords(observed)].filter(Boolean).join("; ");
  const aside = words || (decision.kind === "none" ? "nothing objects" : "");
  const decided = aside === "" ? decision.kind : `${decision.kind} (${aside})`;
  output.line(`decision  ${output.paint(DECISION_COLOURS[decision.kind] ?? "dim", decided)}`);
  for (const { hook, rule, text } of decision.reasons) {
    const [first, ...more] = text.split("\n");
    output.line(`because   ${first}   ${output.paint("dim", rule ?? hook)}`);
    for (const line of more) output.line(`          ${line}`);
  }
  for (const { rule, reason } of observed)
    if (reason !== "")
      output.line(`observed  ${reason.replaceAll("\n", "\n          ")}   ${output.paint("dim", rule)}`);
  for (const text of hostTexts(outcome, support)) output.line(`host      ${text.replaceAll("\n", "\n          ")}`);
  if (decision.rewrite !== undefined) output.line(`rewritten ${JSON.stringify(decision.rewrite)}`);
  for (const { hook, text } of decision.context) output.line(`context   ${text}   ${output.paint("dim", hook)}`);
  output.line();
  const rows = decision.trace.map((step, index) => [
    `${index + 1}`,
    step.hook,
    step.layer,
    step.skipped ? output.paint("dim", `not asked: ${step.skipped}`) : saidBy(step, output),
    step.skipped ? "" : `${step.ms.toFixed(1)} ms`,
    whereOf(step, plan),
  ]);
  for (const line of table([["#", "hook", "layer", "said", "took", "from"], ...rows])) output.line(line);
}

function saidBy(step: TraceStep, output: Output): string {
  const kind = step.opinion?.kind ?? "none";
  const parts = [
    output.paint(DECISION_COLOURS[kind] ?? "dim", kind === "none" ? "nothing" : kind),
    ...(step.rewrite !== undefined ? ["rewrote"] : []),
    ...(step.context ? ["context"] : []),
    ...(step.failure ? [output.paint("red", `failed: ${step.failure.code}`)] : []),
    ...(step.observed ? ["observed only"] : []),
    ...(step.askedAgain ? ["asked again on the final input"] : []),
    ...(step.effects?.length ? [`effects: ${step.effects.map(({ type }) => type).join(", ")}`] : []),
  ];
  return parts.join(", ");
}

function whereOf(step: TraceStep, plan: Pick<Plan, "hooks">): string {
  const place = plan.hooks.find(({ name, layer }) => name === step.hook && layer === step.layer)?.place;
  return place ? `${place.file}${place.line ? `:${place.line}` : ""}` : step.source;
}
