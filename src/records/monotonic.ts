/** Milliseconds that only grow. Not performance.now(): loading it takes a process more than a millisecond. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
