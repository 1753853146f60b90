// What many times come down to.

/** Nearest rank: a value that was measured, never one in between. */
export function percentile(sorted, share) {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}

export function summaryOf(times) {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (share) => rounded(percentile(sorted, share));
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

export const rounded = (value, digits = 4) => Number(value.toFixed(digits));
