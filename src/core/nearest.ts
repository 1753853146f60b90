/** The known name closest to a misspelt one, where one is close enough to be meant. */
export function nearest(
  name: string,
  known: readonly string[],
  limit = Math.max(2, Math.floor(name.length / 3)),
): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance <= limit && (!best || distance < best.distance)) best = { name: candidate, distance };
  }
  return best?.name ?? begunWith(name, known);
}

/** `timeout` for `timeout_sec`: a name that was left off early, where only one goes on from there. */
function begunWith(name: string, known: readonly string[]): string | undefined {
  const found = known.filter((candidate) => /^[_-]/.test(candidate.slice(name.length)) && candidate.startsWith(name));
  return found.length === 1 ? found[0] : undefined;
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    for (let j = 1; j <= right.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      row.push(Math.min(substitution, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[right.length] ?? 0;
}
