/** Calls of the Claude Agent SDK that wait outside the process: `defer` ends the query, and answers come with the next one. */
import type { Decision } from "../core/decision.ts";
import type { JsonObject } from "../core/json.ts";
import type { Session } from "../embed/session.ts";
import { type JudgedCall, type PersonAnswer, questionText, waitingOf } from "../embed/tool-call.ts";
import type { Outcome } from "../hosts/host.ts";

export interface Decided {
  readonly permissionDecision: "allow" | "deny" | "defer";
  readonly permissionDecisionReason: string;
}

export class Deferrals {
  readonly #session: Session;
  readonly #answers: Readonly<Record<string, PersonAnswer>>;
  readonly #questions = new Map<string, string>();
  #deferred: string | undefined;

  constructor(session: Session, answers: Readonly<Record<string, PersonAnswer>>) {
    this.#session = session;
    this.#answers = answers;
  }

  startTurn(): void {
    this.#deferred = undefined;
  }

  questionOf(callId: string): string | undefined {
    return this.#questions.get(callId);
  }

  /** A call that people answered to goes its way by what hooks say, without their answer. */
  isOver(id: string): void {
    if (Object.hasOwn(this.#answers, id)) this.#session.forgetQuestions(id);
  }

  /** What becomes of a call that waits: a person's no ends it, their yes to all that is asked now lets it run. */
  async decide(waiting: JudgedCall, permission: () => Promise<Decision | undefined>): Promise<Decided> {
    const { tool, pendingApproval } = waiting;
    const id = tool.id ?? "";
    const person = Object.hasOwn(this.#answers, id) ? this.#answers[id] : undefined;
    if (person?.allow === false) return this.#over(id, "deny", person.reason ?? `a person said no to ${tool.name}`);
    // What resumes the query is no answer to an approval: people's is found by judging again.
    if (pendingApproval !== undefined) return this.#deferring(id, waiting);
    if (person && this.#session.wasAsked(waiting)) return this.#over(id, "allow", "a person said yes");
    const asked = await permission();
    if (asked?.kind === "allow") return this.#over(id, "allow", "allowed by a hook");
    if (asked?.kind === "block") return this.#over(id, "deny", asked.reasons[0]?.text ?? waiting.reason);
    return this.#deferring(id, waiting);
  }

  #over(id: string, what: "allow" | "deny", why: string): Decided {
    this.#session.forgetQuestions(id);
    return decided(what, why);
  }

  #deferring(id: string, waiting: JudgedCall): Decided {
    const question = questionText(waiting);
    // Of several deferred calls the SDK hands out one and forgets the others.
    if (this.#deferred !== undefined && this.#deferred !== id) {
      return decided("deny", `${question} Another call waits for a person; make this one again after it.`);
    }
    this.#deferred = id;
    this.#questions.set(id, question);
    this.#session.suspendedWith(waiting);
    return decided("defer", question);
  }
}

const decided = (permissionDecision: Decided["permissionDecision"], permissionDecisionReason: string): Decided => ({
  permissionDecision,
  permissionDecisionReason,
});

/** The call, if people are to be waited for and nothing else blocks it. `runs`: its input after all that hooks changed. */
export function waitingIn(outcomes: readonly Outcome[], id: string, runs?: JsonObject): JudgedCall | undefined {
  const waits = ({ decision }: Outcome): JudgedCall | undefined => {
    if (!("tool" in decision.final)) return undefined;
    const { name, input } = decision.final.tool;
    return waitingOf(decision, { name, input: runs ?? input, id });
  };
  const blocks = outcomes.filter(({ decision }) => decision.kind === "block");
  const stopping = blocks.length > 0 ? blocks : outcomes.filter(({ decision }) => decision.kind === "ask");
  const waiting = stopping.map(waits);
  return waiting.includes(undefined) ? undefined : waiting[0];
}
