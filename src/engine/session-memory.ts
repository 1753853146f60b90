/** What a session was already told, and how often hooks continued its turn. Forgotten when its context is. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileNameFor, type Places, sha256 } from "../config/places.ts";
import { writePrivateFile } from "../config/private-file.ts";
import type { AgentEvent } from "../core/event.ts";
import type { ReadyEngine } from "./ready.ts";

export interface SessionMemory {
  knows(text: string): boolean;
  /** Never fails the call: a text told twice is better than a call lost. */
  learn(texts: readonly string[]): void;
  /** How often hooks continued the turn that is running. */
  continuations(): number;
  setContinuations(count: number): void;
  forget(): void;
}

const MAX_TEXTS = 500;
const keyOf = (text: string) => sha256(text).slice(0, 16);

/** A host that names no session has one per project, as far as we can tell. */
export function memoryOf(
  { host, session }: Pick<AgentEvent, "host" | "session">,
  { plan, places }: Pick<ReadyEngine, "plan" | "places">,
): SessionMemory {
  return sessionMemory({ host, session: session || plan.root }, places);
}

export function sessionMemory(event: Pick<AgentEvent, "host" | "session">, places: Places): SessionMemory {
  const { host, session } = event;
  // Most calls never come to need it.
  const fileOf = () => join(places.stateDir, "sessions", `${fileNameFor(`${host} ${session}`)}.json`);
  let kept: Kept | undefined;
  const load = () => {
    kept ??= readKept(fileOf());
    return kept;
  };
  const save = (next: Kept) => {
    kept = next;
    try {
      writePrivateFile(fileOf(), JSON.stringify(next));
    } catch {
      // Read-only state directory: reported by the records, which need it too.
    }
  };
  return {
    knows: (text) => load().told.includes(keyOf(text)),
    learn(texts) {
      if (texts.length === 0) return;
      const { told, continuations } = load();
      const fresh = texts.map(keyOf).filter((key) => !told.includes(key));
      if (fresh.length > 0) save({ told: [...told, ...fresh].slice(-MAX_TEXTS), continuations });
    },
    continuations: () => load().continuations,
    setContinuations(continuations) {
      const { told } = load();
      if (load().continuations !== continuations) save({ told, continuations });
    },
    forget() {
      kept = NOTHING;
      try {
        rmSync(fileOf(), { force: true });
      } catch {
        // As above.
      }
    },
  };
}

interface Kept {
  readonly told: readonly string[];
  readonly continuations: number;
}

const NOTHING: Kept = { told: [], continuations: 0 };

function readKept(file: string): Kept {
  try {
    const { told, continuations } = JSON.parse(readFileSync(file, "utf8")) as Kept;
    return Array.isArray(told) && Number.isInteger(continuations) ? { told, continuations } : NOTHING;
  } catch {
    return NOTHING;
  }
}
