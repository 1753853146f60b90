/** What a drain would take, before anybody pays for it. */
import type { KnowledgePlaces } from "../places.ts";
import type { DrainSettings } from "../settings.ts";
import { MAX_CHARACTERS } from "./drain.ts";
import { readDrainState } from "./drain-state.ts";
import { extractionPrompt } from "./extraction-prompt.ts";
import { newWordsOf } from "./new-words.ts";
import { hostFor, pendingLogs } from "./pending.ts";

export interface DrainEstimate {
  readonly hosts: readonly HostEstimate[];
  /** Logs that wait for their next try, and are not in it. */
  readonly later: number;
  readonly runsLeftToday: number;
  readonly runsPerDay: number;
}

export interface HostEstimate {
  readonly host: string;
  readonly sessions: number;
  readonly characters: number;
  /** Of input, by the rule of thumb of four characters each; output is small beside it. */
  readonly tokens: number;
}

const CHARACTERS_PER_TOKEN = 4;

export async function estimateDrain(
  places: KnowledgePlaces,
  settings: DrainSettings,
  now: Date,
): Promise<DrainEstimate> {
  const state = readDrainState(places, now);
  const { due, later } = await pendingLogs(places, state, now);
  const runsLeftToday = Math.max(0, settings.runsPerDay - state.runs);
  const around = extractionPrompt({ transcript: "", proposedBefore: [] }).length;
  const byHost = new Map<string, { sessions: number; characters: number }>();
  for (const log of due.slice(0, runsLeftToday)) {
    const { text } = await newWordsOf(log, MAX_CHARACTERS);
    if (text.trim() === "") continue;
    const host = hostFor(log, settings);
    const sum = byHost.get(host) ?? { sessions: 0, characters: 0 };
    byHost.set(host, { sessions: sum.sessions + 1, characters: sum.characters + text.length + around });
  }
  const hosts = [...byHost].map(([host, sum]) => ({
    ...{ host, ...sum },
    tokens: Math.ceil(sum.characters / CHARACTERS_PER_TOKEN),
  }));
  return { hosts, later: later.length, runsLeftToday, runsPerDay: settings.runsPerDay };
}
