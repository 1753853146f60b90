/** The nodes a prompt is about, and those that people search for, best first. */
import { existsSync } from "node:fs";
import type { KnowledgePlaces } from "../places.ts";
import { ALL, FOR_A_PROMPT, type FreshIndex, keptIndex, type Reading } from "./kept-index.ts";
import { type Found, rank, SEARCH, TUNING, type Tuning } from "./ranking.ts";

export interface SearchResult {
  readonly found: readonly Found[];
  readonly problems: FreshIndex["problems"];
  readonly unread: number;
  readonly notKept?: string;
}

/** At most this many are looked at again before they are told. */
const CHECKED = 5;

export const nodesForPrompt = (prompt: string, places: KnowledgePlaces): Promise<SearchResult> =>
  found(prompt, places, TUNING, FOR_A_PROMPT);

/** People wait until all is read, and are told each time of what was not. */
export async function searchBase(words: string, places: KnowledgePlaces): Promise<SearchResult> {
  const result = await found(words, places, SEARCH, ALL);
  return { ...result, problems: keptIndex(places).problems };
}

async function found(text: string, places: KnowledgePlaces, tuning: Tuning, reading: Reading): Promise<SearchResult> {
  if (text.trim() === "" || !existsSync(places.nodesDir)) return { found: [], problems: [], unread: 0 };
  const index = keptIndex(places);
  const asked = async (): Promise<SearchResult> => {
    const { index: words, graph, ...rest } = await index.fresh(reading);
    return { found: rank(text, words, graph, tuning), ...rest };
  };
  const first = await asked();
  if (first.found.slice(0, CHECKED).every(({ file }) => index.isCurrent(file))) return first;
  index.doubt();
  const again = await asked();
  return { ...again, problems: [...first.problems, ...again.problems] };
}

/** Everything is read, and kept for the processes to come. */
export async function fillSearchIndex(places: KnowledgePlaces): Promise<FreshIndex> {
  return keptIndex(places).fresh(ALL);
}
