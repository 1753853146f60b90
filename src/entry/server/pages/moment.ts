/** Times and durations for people. The server writes UTC; the script makes it the reader's own time. */
import { html, type Markup } from "./markup.ts";

export const moment = (at: string, to: "minutes" | "seconds" = "minutes"): Markup =>
  html`<time datetime="${at}" title="${at}" data-local="${to}">${utc(at, to)}</time>`;

/** Ticks down while the page is open; without the script it says how it was when the page was made. */
export function countdown(expiresAt: string, now: Date): Markup {
  const leftMs = Date.parse(expiresAt) - now.getTime();
  const urgency = leftMs < URGENT_MS ? "urgent" : "calm";
  return html`<time class="countdown" data-urgency="${urgency}" datetime="${expiresAt}" title="${expiresAt}" data-countdown>${
    leftMs > 0 ? `${duration(leftMs)} left` : "time is up"
  }</time>`;
}

/** The script has the same figure. */
const URGENT_MS = 2 * 60_000;

const utc = (at: string, to: "minutes" | "seconds") =>
  `${at.slice(0, 10)} ${at.slice(11, to === "seconds" ? 19 : 16)} UTC`;

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** The two largest units: `1 h 5 min`. */
export function duration(ms: number): string {
  const first = UNITS.findIndex(([, size]) => ms >= size);
  if (first < 0) return "0 s";
  let rest = ms;
  const parts = UNITS.slice(first, first + 2).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? `${count} ${unit}` : "";
  });
  return parts.filter((part) => part !== "").join(" ");
}
