/** The known name that a misspelt one stands for, where one is close enough to be meant: no guess is better than a wrong one. */
export const nearest = (name: string, known: readonly string[]): string | undefined =>
  almostSpelt(name, known) ?? begunWith(name, known) ?? goneOn(name, known);

/**
 * At most a quarter of the letters differ, the beginning hardly, and no other name is as close. Case does not count; two
 * letters in the wrong order are one mistake.
 */
export function almostSpelt(name: string, known: readonly string[]): string | undefined {
  const written = name.toLowerCase();
  let best: { name: string; meant: string; distance: number; isAlone: boolean } | undefined;
  for (const name of known) {
    const meant = name.toLowerCase();
    const distance = editDistance(written, meant);
    if (distance > Math.round(Math.max(written.length, meant.length) / 4) || !beginsAlike(written, meant)) continue;
    if (!best || distance < best.distance) best = { name, meant, distance, isAlone: true };
    else if (distance === best.distance && meant !== best.meant) best = { ...best, isAlone: false };
  }
  return best?.isAlone ? best.name : undefined;
}

/** The first letter is there, perhaps as the second: whoever misspells a name mostly begins it right. */
const beginsAlike = (one: string, other: string) =>
  one[0] === other[0] || (one.length > 1 && one[1] === other[0]) || (other.length > 1 && one[0] === other[1]);

/** `timeout` for `timeout_sec`: a name that was left off early, where only one goes on from there. */
function begunWith(name: string, known: readonly string[]): string | undefined {
  const found = known.filter((candidate) => goesOnFrom(name, candidate));
  return found.length === 1 ? found[0] : undefined;
}

/** `qwen-code` for `qwen`: a name with a word too many. Short ones begin too much. */
function goneOn(name: string, known: readonly string[]): string | undefined {
  const found = known.filter((candidate) => candidate.length >= SHORTEST_BEGINNING && goesOnFrom(candidate, name));
  return found.sort((one, other) => other.length - one.length)[0];
}

const SHORTEST_BEGINNING = 4;

const goesOnFrom = (beginning: string, name: string) =>
  name.startsWith(beginning) && /^[_-]/.test(name.slice(beginning.length));

/** Letters left out, put in, replaced, or swapped with the next. */
function editDistance(left: string, right: string): number {
  const rows = [Array.from({ length: right.length + 1 }, (_, index) => index)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= right.length; j++) {
      const isSame = left[i - 1] === right[j - 1];
      const isSwapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const changed = Math.min(at(i - 1, j - 1) + (isSame ? 0 : 1), at(i - 1, j) + 1, at(i, j - 1) + 1);
      row.push(isSwapped ? Math.min(changed, at(i - 2, j - 2) + 1) : changed);
    }
  }
  return at(left.length, right.length);
}
