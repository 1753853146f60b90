/** The nodes a text is about, best first: what prompts and people who search are answered with. */
import { existsSync } from "node:fs";
import type { KnowledgePlaces } from "../places.ts";
import { type FreshIndex, type KeptIndex, keptIndex } from "./kept-index.ts";
import { type Found, rank } from "./ranking.ts";

export interface SearchResult {
  readonly found: readonly Found[];
  readonly problems: FreshIndex["problems"];
  readonly unread: number;
  readonly notKept?: string;
}

/** At most this many are looked at again before they are told. */
const CHECKED = 5;

export async function searchBase(text: string, places: KnowledgePlaces, readingMs?: number): Promise<SearchResult> {
  if (text.trim() === "" || !existsSync(places.nodesDir)) return { found: [], problems: [], unread: 0 };
  const index = keptIndex(places);
  const first = await asked(text, index, readingMs);
  if (first.found.slice(0, CHECKED).every(({ file }) => index.isCurrent(file))) return first;
  index.doubt();
  const again = await asked(text, index, readingMs);
  return { ...again, problems: [...first.problems, ...again.problems] };
}

async function asked(text: string, kept: KeptIndex, readingMs: number | undefined): Promise<SearchResult> {
  const { index, graph, ...rest } = await kept.fresh(readingMs);
  return { found: rank(text, index, graph), ...rest };
}

/** Everything is read, and kept for the processes to come. */
export async function fillSearchIndex(places: KnowledgePlaces): Promise<FreshIndex> {
  return keptIndex(places).fresh(Number.POSITIVE_INFINITY);
}
