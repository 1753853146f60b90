/** Whether and how a conversation is handed over, from the first hook to the last. A handoff does not come back. */
import { sameJson } from "../core/json.ts";
import { promptOf } from "../embed/delegation.ts";
import type { Session } from "../embed/session.ts";
import { failureText } from "../hosts/answer-text.ts";
import { messageOf } from "./hook-context.ts";
import type { Handoff, OpenAiAgent, RunContext } from "./openai-agents-shapes.ts";
import { objectiveOf, objectOf } from "./openai-agents-values.ts";
import { rewriteProblem } from "./rewrite-problem.ts";

export interface HandedOver {
  /** Who goes on; undefined: the conversation stays where it is. */
  readonly to?: OpenAiAgent;
  /** What whoever goes on is told. */
  readonly notes: readonly string[];
}

export async function handOver(
  handoff: Handoff,
  session: Session,
  context: RunContext,
  args: string,
): Promise<HandedOver> {
  const decided = await decideHandoff(handoff, session, args);
  const { context: told } = decided;
  if ("refusal" in decided) return { notes: [...told, decided.refusal] };
  const { args: runs, objective } = decided;
  let to: OpenAiAgent;
  try {
    to = await handoff.onInvokeHandoff(context, runs);
  } catch (error) {
    // It ends the run where the model wrote the input; here hooks did.
    if (runs === args || !isUnfit(error)) throw error;
    const why = `Hooks changed its input, and the SDK does not take it: ${messageOf(error)}`;
    return { notes: [...told, refusalOf(handoff, why)] };
  }
  try {
    // Only now: what the SDK does not take has not begun.
    const request = { ...requestTo(handoff, objective), status: "requested" };
    const started = await session.fire("delegation_start", { delegationId: handoff.toolName, ...request });
    return { to, notes: [...told, ...started.context] };
  } catch (error) {
    const why = `${ALREADY_DONE} ${failureText(messageOf(error), true)}`;
    return { notes: [...told, refusalOf(handoff, why)] };
  }
}

const ALREADY_DONE = "What the program does when one is made (onHandoff) was done already, and is not undone.";

/** How the SDK says that it could not parse an input. */
const isUnfit = (error: unknown) => error instanceof Error && error.name === "ModelBehaviorError";

const refusalOf = ({ agent }: Handoff, reason: string) => `The handoff to ${agent.name} did not take place. ${reason}`;

const requestTo = ({ agent }: Handoff, objective: string) => ({
  targetAgentId: agent.name,
  objective,
  context: null,
  constraints: null,
  expectedOutput: null,
});

/** `context`: what hooks tell whoever goes on. */
type DecidedHandoff =
  | { readonly refusal: string; readonly context: readonly string[] }
  /** The input and what is asked by it, as hooks left them. */
  | { readonly args: string; readonly objective: string; readonly context: readonly string[] };

const DISAGREE =
  "Hooks on the call and hooks on the delegation each want another input, so neither is known to be harmless.";

/** A person cannot be waited for here. */
async function decideHandoff(handoff: Handoff, session: Session, args: string): Promise<DecidedHandoff> {
  const { toolName, agent, inputJsonSchema } = handoff;
  const told: string[] = [];
  const refused = (reason: string): DecidedHandoff => ({
    refusal: refusalOf(handoff, reason),
    context: told,
  });
  try {
    const given = objectOf(args);
    if (!given) return refused("Its input is not a JSON object, so no hook could look at it.");
    const problem = rewriteProblem(inputJsonSchema, given);
    const call = { name: toolName, input: given, needsPermission: false };
    const judged = await session.judgeTool({ ...call, ...(problem ? { problem } : {}) });
    told.push(...judged.context);
    if (judged.kind !== "run") return refused(judged.reason);
    const { input } = judged.tool;
    const { field, text: objective } = objectiveOf(input);
    const asked = await session.fire("pre_delegation", { toolUseId: "", ...requestTo(handoff, objective) });
    const { targetAgentId, context } = asked.final;
    told.push(...(context === null ? [] : [context]), ...asked.context);
    if (asked.kind === "block") return refused(asked.reason);
    if (targetAgentId !== agent.name) return refused(`Hand over to ${targetAgentId} instead.`);
    const prompt = promptOf({ ...asked.final, context: null });
    const isChanged = prompt !== objective;
    if (isChanged && field === undefined) {
      return refused("Hooks changed what is asked, and this handoff has no one text to change.");
    }
    const runs = isChanged && field !== undefined ? { ...input, [field]: prompt } : input;
    if (isChanged) {
      // Neither its schema nor the guards of the call have seen this.
      const unfit = problem?.(runs);
      if (unfit !== undefined) return refused(`Hooks changed what is asked, but ${unfit}`);
      const again = await session.judgeTool({ ...call, input: runs, ...(problem ? { problem } : {}) });
      told.push(...again.context.filter((text) => !told.includes(text)));
      if (again.kind !== "run") return refused(again.reason);
      if (!sameJson(again.tool.input, runs)) return refused(DISAGREE);
    }
    const made = sameJson(runs, given) ? args : JSON.stringify(runs);
    return { args: made, objective: asked.final.objective, context: told };
  } catch (error) {
    return refused(failureText(messageOf(error), true));
  }
}
