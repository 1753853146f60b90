/** What was said in the order of time, each message once and in its last form. Only the last few are in memory. */
import type { Said } from "./transcript.ts";

/** Hosts write messages out of order by a few, never by many. */
const WINDOW = 64;
const MAX_GIVEN = 10_000;

export function messageWindow(give: (said: Said) => Promise<void>) {
  const waiting: Said[] = [];
  const given = new Set<string>();

  async function giveFirst(): Promise<void> {
    const first = waiting.shift();
    if (!first) return;
    if (first.key !== undefined) {
      if (given.size >= MAX_GIVEN) given.clear();
      given.add(first.key);
    }
    if (first.text.trim() !== "") await give(first);
  }

  return {
    async add(said: Said): Promise<void> {
      if (said.key !== undefined && given.has(said.key) && !said.goesOn) return;
      const last = waiting.at(-1);
      if (said.goesOn && last?.key === said.key && last?.speaker === said.speaker) {
        waiting[waiting.length - 1] = { ...last, text: last.text + said.text };
        return;
      }
      const same = said.key === undefined || said.goesOn ? -1 : waiting.findIndex(({ key }) => key === said.key);
      if (same !== -1) {
        waiting[same] = said;
        return;
      }
      waiting.splice(placeOf(said, waiting), 0, said);
      if (waiting.length > WINDOW) await giveFirst();
    },
    async end(): Promise<void> {
      while (waiting.length > 0) await giveFirst();
    },
  };
}

function placeOf({ at }: Said, waiting: readonly Said[]): number {
  let place = waiting.length;
  if (at === undefined) return place;
  while (place > 0 && (waiting[place - 1]?.at ?? at) > at) place -= 1;
  return place;
}
