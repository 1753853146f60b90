/** Latencies as classes, each a twentieth wider than the one before: enough for percentiles within a tenth. */
const GROWTH = 1.05;
const SMALLEST_MS = 0.01;

export function latencyClass(ms: number): number {
  return ms <= SMALLEST_MS ? 0 : Math.ceil(Math.log(ms / SMALLEST_MS) / Math.log(GROWTH));
}

/** The middle of a class. */
export function latencyOf(msClass: number): number {
  const ms = SMALLEST_MS * GROWTH ** (msClass - 0.5);
  return Number(ms.toPrecision(4));
}
