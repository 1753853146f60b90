/**
 * What a person put off stays put off when a document says it again: on another branch it may have said something else, or
 * not have been there, and what waited of it was taken back.
 */
import type { HeldLock } from "../lock.ts";
import type { KnowledgePlaces } from "../places.ts";
import { type Decision, readDecisions, writeDecisions } from "./decisions.ts";
import { contentOf, isOfDocument, originIn, readBatches, supersededIn } from "./proposal-files.ts";

/** Under the lock of the base. In its place among the decisions: nobody decided anything just now. */
export function putOffAgain(places: KnowledgePlaces, lock: HeldLock): void {
  const decisions = readDecisions(places);
  const { batches } = readBatches(places);
  const superseded = supersededIn(batches);
  const proposals = batches
    .filter(isOfDocument)
    .flatMap((batch) =>
      batch.proposals.map((value, index) => ({ origin: originIn(batch, value, index), content: contentOf(value) })),
    );
  const waiting = new Map(
    proposals
      .filter(({ origin }) => !superseded.has(origin) && !decisions.has(origin))
      .map(({ origin, content }) => [content, origin]),
  );
  const again = new Map<string, string | undefined>();
  for (const { origin, content } of proposals) {
    if (!superseded.has(origin) || decisions.get(origin)?.decision !== "later") continue;
    const standing = waiting.get(content);
    if (standing === undefined) continue;
    again.set(origin, [...again.values()].includes(standing) ? undefined : standing);
  }
  if (again.size === 0) return;
  const kept = [...decisions].flatMap(([origin, decision]): [string, Decision][] => {
    if (!again.has(origin)) return [[origin, decision]];
    const standing = again.get(origin);
    return standing === undefined ? [] : [[standing, decision]];
  });
  writeDecisions(places, new Map(kept), lock);
}
