/** Latencies as classes, each a fifth wider than the one before: its middle is within a tenth of all it holds. */
const GROWTH = 1.2;
const SMALLEST_MS = 0.01;

export function latencyClass(ms: number): number {
  return ms <= SMALLEST_MS ? 0 : Math.ceil(Math.log(ms / SMALLEST_MS) / Math.log(GROWTH));
}

/** The middle of a class. */
export function latencyOf(msClass: number): number {
  if (msClass === 0) return 0;
  const ms = SMALLEST_MS * GROWTH ** (msClass - 0.5);
  return Number(ms.toPrecision(4));
}
