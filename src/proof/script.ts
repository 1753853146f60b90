import type { Answer, CallsMade, IdentifiedCall, ToolCall, Turn, Wire } from "./wire.ts";

/** What the model answers to one request. */
export type Step = { readonly text: string } | { readonly text?: string; readonly tools: readonly ToolCall[] };

export interface ModelScript {
  /** The conversation with the person. */
  readonly script: readonly Step[];
  /** Conversations that sub-agents open: each is known by a text of its opening. */
  readonly subAgents?: readonly { readonly opening: string; readonly script: readonly Step[] }[];
  /** What is said to turns without tools, by a text of their opening; to all others "ok". */
  readonly asides?: readonly { readonly opening: string; readonly text: string }[];
}

export interface Player {
  /** Each lane goes through its own steps; a side request moves nothing on. */
  answer(turn: Turn): { readonly lane: string; readonly answer: Answer };
  readonly callsMade: CallsMade;
}

export function playScript({ script, subAgents = [], asides = [] }: ModelScript): Player {
  const lanes = new Map<string, { steps: number; calls: IdentifiedCall[] }>();
  let messages = 0;
  let calls = 0;

  const subAgentOf = (opening: string) => subAgents.find((subAgent) => opening.includes(subAgent.opening));
  const laneOf = (opening: string) => subAgentOf(opening)?.opening ?? "main";

  function answerWith(step: Step): Answer {
    const tools = "tools" in step ? step.tools : [];
    return {
      id: `msg_${++messages}`,
      ...(step.text === undefined ? {} : { text: step.text }),
      tools: tools.map((call) => ({ ...call, id: call.id ?? `toolu_${++calls}` })),
    };
  }

  return {
    answer({ offersTools, opening }) {
      if (!offersTools) {
        const aside = asides.find((aside) => opening.includes(aside.opening));
        return { lane: "side", answer: answerWith({ text: aside?.text ?? "ok" }) };
      }
      const lane = laneOf(opening);
      const played = lanes.get(lane) ?? { steps: 0, calls: [] };
      const step = (subAgentOf(opening)?.script ?? script)[played.steps] ?? { text: "(the script is over)" };
      const answer = answerWith(step);
      lanes.set(lane, { steps: played.steps + 1, calls: [...played.calls, ...answer.tools] });
      return { lane, answer };
    },
    callsMade: (opening) => lanes.get(laneOf(opening))?.calls ?? [],
  };
}

/** A field that the wire would drop is a mistake in the script. */
export function rejectWhatCannotBeSent({ script, subAgents = [] }: ModelScript, { name, carries }: Wire): void {
  const steps = [script, ...subAgents.map((subAgent) => subAgent.script)].flat();
  for (const call of steps.flatMap((step) => ("tools" in step ? step.tools : []))) {
    for (const field of ["namespace", "freeform"] as const) {
      if (call[field] === undefined || carries.includes(field)) continue;
      throw new Error(
        `The call of ${call.name} has a ${field}, for which the ${name} wire has no place: leave it out.`,
      );
    }
  }
}
