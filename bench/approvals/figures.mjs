export const millisecondsOf = (nanoseconds) => Number(nanoseconds) / 1e6;

export function summaryOf(times) {
  const sorted = [...times].sort((left, right) => left - right);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1), count: sorted.length };
}

export const rounded = (value, digits = 2) => Number(value.toFixed(digits));
