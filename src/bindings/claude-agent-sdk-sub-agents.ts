/** The sub-agents of a query: whose session each acts in, and what it was asked. */
import type { AgentEvent, EventOf } from "../core/event.ts";
import type { JsonObject } from "../core/json.ts";
import type { Session } from "../embed/session.ts";

export class SubAgents {
  readonly #session: Session;
  readonly #children = new Map<string, Session>();
  /** Objectives of delegations that have not begun, by agent; of those that have, by the child's id. */
  readonly #requested = new Map<string, string[]>();
  readonly #objectives = new Map<string, string>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** The session of the sub-agent that a payload is about, or of the main agent. */
  actor({ agent_id, agent_type }: JsonObject): Session {
    if (typeof agent_id !== "string" || agent_id === "") return this.#session;
    return this.#childOf(agent_id, typeof agent_type === "string" && agent_type !== "" ? agent_type : agent_id);
  }

  #childOf(id: string, agent: string): Session {
    const known = this.#children.get(id);
    if (known) return known;
    const child = this.#session.child({ agent });
    child.startTurn();
    this.#children.set(id, child);
    return child;
  }

  requested({ targetAgentId, objective }: EventOf<"pre_delegation">): void {
    this.#requested.set(targetAgentId, [...(this.#requested.get(targetAgentId) ?? []), objective]);
  }

  delegationOf(event: AgentEvent, { agent_id, agent_type }: JsonObject): JsonObject {
    const id = String(agent_id ?? "");
    const agent = String(agent_type ?? "");
    if (event.name === "delegation_start") {
      this.#objectives.set(id, this.#requested.get(agent)?.shift() ?? "");
      return { objective: this.#objectives.get(id) ?? "" };
    }
    return { objective: this.#objectives.get(id) ?? "", childSessionId: this.#childOf(id, agent).id };
  }
}
