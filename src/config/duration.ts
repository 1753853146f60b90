const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `15m`, `1h30m`, `3d` in milliseconds; undefined: it is none. */
export function durationMs(text: string): number | undefined {
  const parts = [...text.replaceAll(/\s/g, "").matchAll(/(\d+)(ms|s|m|h|d)/gy)];
  const read = parts.map(([part]) => part).join("");
  if (parts.length === 0 || read !== text.replaceAll(/\s/g, "")) return undefined;
  const sum = parts.reduce((total, [, amount, unit]) => total + Number(amount) * (UNITS[unit ?? ""] ?? 0), 0);
  return Number.isSafeInteger(sum) ? sum : undefined;
}
