/** What the plugin remembers of each session: who asked for it, what it last said, what it is still to be told. */
import type { JsonObject } from "../../core/json.ts";
import type { Voice } from "./plugin-api.ts";

export interface Session {
  readonly id: string;
  /** The session that asked for this one; only sub-agents have one. */
  parent?: string;
  /** OpenCode made it while we were there; otherwise it goes on from an earlier run. */
  created: boolean;
  started: boolean;
  compacting: boolean;
  voice: Voice;
  lastText: string;
  /** Prompts of ours, by which hooks continue a turn. */
  readonly queued: Set<string>;
  /** Context that waits for the next thing the model is told. */
  waiting: readonly string[];
}

export interface Sessions {
  of(id: string): Session;
  all(): readonly Session[];
  /** The fields of a payload that say who acts: a sub-agent's session is part of the one it works for. */
  actor(id: string): JsonObject;
}

export function sessionBook(): Sessions {
  const book = new Map<string, Session>();
  const of = (id: string): Session => {
    const known = book.get(id);
    if (known) return known;
    const fresh: Session = {
      ...{ id, created: false, started: false, compacting: false, voice: {}, lastText: "" },
      ...{ queued: new Set<string>(), waiting: [] },
    };
    book.set(id, fresh);
    return fresh;
  };
  const rootOf = (id: string): string => {
    const { parent } = of(id);
    return parent === undefined ? id : rootOf(parent);
  };
  return {
    of,
    all: () => [...book.values()],
    actor(id) {
      const { parent } = of(id);
      const root = rootOf(id);
      if (parent === undefined) return { session_id: id };
      return { session_id: root, agent_id: id, ...(parent === root ? {} : { parent_agent_id: parent }) };
    },
  };
}
