/** What a session was already told, so that it is not told again. Forgotten when its context is. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Places, sha256 } from "../../config/places.ts";
import { writePrivateFile } from "../../config/private-file.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { ReadyEngine } from "./ready.ts";

export interface SessionMemory {
  knows(text: string): boolean;
  /** Never fails the call: a text told twice is better than a call lost. */
  learn(texts: readonly string[]): void;
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
  const file = join(places.stateDir, "sessions", `${sha256(`${event.host} ${event.session}`).slice(0, 32)}.json`);
  let known: Set<string> | undefined;
  const load = () => {
    known ??= new Set(readKeys(file));
    return known;
  };
  return {
    knows: (text) => load().has(keyOf(text)),
    learn(texts) {
      const fresh = texts.map(keyOf).filter((key) => !load().has(key));
      if (fresh.length === 0) return;
      const keys = [...load(), ...fresh].slice(-MAX_TEXTS);
      known = new Set(keys);
      try {
        writePrivateFile(file, JSON.stringify(keys));
      } catch {
        // Read-only state directory: reported by the records, which need it too.
      }
    },
    forget() {
      known = new Set();
      try {
        rmSync(file, { force: true });
      } catch {
        // As above.
      }
    },
  };
}

function readKeys(file: string): string[] {
  try {
    const keys: unknown = JSON.parse(readFileSync(file, "utf8"));
    return Array.isArray(keys) ? keys.filter((key): key is string => typeof key === "string") : [];
  } catch {
    return [];
  }
}
