/** Milliseconds that only grow. Not performance.now(): loading it takes a process more than a millisecond. */
export function monotonicMs(): number {
  // By their places: taking a list apart goes through an iterator, and this is asked for every hook.
  const time = process.hrtime();
  return time[0] * 1e3 + time[1] / 1e6;
}
