/** The knowledge of this machine's projects. A project has a base once `holdfast knowledge init` made one. */
import { createHash } from "node:crypto";
import { type BigIntStats, statSync } from "node:fs";
import { basename, join } from "node:path";
import { type KnowledgePlaces, knowledgePlaces } from "../../../knowledge/places.ts";
import { baseLocks } from "../../knowledge/base-locks.ts";
import type { KnowledgeBase, KnowledgeSource } from "./knowledge-source.ts";
import { liveTree } from "./live-tree.ts";

export interface LocalKnowledgeSettings {
  /** The projects of this machine. */
  roots(): Iterable<string>;
  /** Of whoever works on this machine. */
  readonly organisation: string;
  readonly everyMs?: number;
  /** How long whoever decides waits for another process that changes the base. */
  readonly waitMs?: number;
}

const EVERY_MS = 1_000;
const WAIT_MS = 5_000;

export function localKnowledge({
  roots,
  organisation: own,
  everyMs = EVERY_MS,
  waitMs = WAIT_MS,
}: LocalKnowledgeSettings): KnowledgeSource {
  const opened = new Map<string, KnowledgeBase>();

  function baseAt(root: string): KnowledgeBase | undefined {
    const places = knowledgePlaces(root);
    if (!statSync(places.nodesDir, { throwIfNoEntry: false })?.isDirectory()) return undefined;
    const base = opened.get(root) ?? open(root, places, waitMs);
    opened.set(root, base);
    return base;
  }

  return {
    bases(organisation) {
      if (organisation !== own) return [];
      const found = [...new Set(roots())].map(baseAt).filter((base) => base !== undefined);
      return found.sort((one, other) => one.name.localeCompare(other.name) || (one.id < other.id ? -1 : 1));
    },
    watch({ curator }, onChange) {
      let seen = lookAt(curator.places);
      const timer = setInterval(() => {
        const found = lookAt(curator.places);
        if (found !== seen) onChange();
        seen = found;
      }, everyMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

const open = (root: string, places: KnowledgePlaces, waitMs: number): KnowledgeBase => ({
  id: createHash("sha256").update(root).digest("hex").slice(0, 12),
  name: basename(root) || root,
  tree: liveTree(places.nodesDir),
  curator: { places, ...baseLocks(waitMs), now: () => new Date() },
});

/** Whoever changes nodes writes the pages that are made from them; proposals come as files, decisions in one. */
function lookAt({ dir, nodesDir, entryFile, graphFile, sessionsDir, stateDir }: KnowledgePlaces): string {
  const looked = [
    nodesDir,
    entryFile,
    graphFile,
    sessionsDir,
    join(dir, "_proposals"),
    join(stateDir, "curation.json"),
  ];
  return looked
    .map((path): BigIntStats | undefined => statSync(path, { bigint: true, throwIfNoEntry: false }))
    .map((found) => (found ? `${found.ino}:${found.size}:${found.mtimeNs}` : "-"))
    .join(" ");
}
