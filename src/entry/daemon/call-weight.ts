/**
 * Calls that would hold the daemon's event loop for long, and with it every other caller: known by their size before they
 * are judged. It is a guess about time and nothing else: what is declined is judged by the client's own process.
 */
import type { Native } from "../../hosts/host.ts";

/** Measured on the worst commands there are (`bench` has none of them): some 50 ms. */
const MAX_COMMAND_WEIGHT = 600;
const MAX_COMMAND_LENGTH = 32 * 1024;
/** Values in the payload, however small: some 20 ms. */
const MAX_VALUES = 20_000;

export function isHeavy({ payload, events }: Pick<Native, "payload" | "events">): boolean {
  const commands = events.flatMap((event) =>
    "tool" in event && event.tool.kind === "shell" ? [event.tool.command] : [],
  );
  return commands.some((command) => commandWeight(command) > MAX_COMMAND_WEIGHT) || hasMoreValues(payload, MAX_VALUES);
}

/** Roughly: how many words the command has once its braces are expanded. A here-document is read, but not played. */
export function commandWeight(command: string): number {
  if (command.length > MAX_COMMAND_LENGTH) return Number.POSITIVE_INFINITY;
  let weight = 0;
  let end: string | undefined;
  for (const line of command.split("\n")) {
    if (end === undefined) {
      for (const word of line.split(/[\s;|&()`]+/)) weight += word.includes("{") ? alternatives(word) : 1;
      end = /<<-?[ \t]*(['"]?)(\w+)\1/.exec(line)?.[2];
    } else if (line.trim() === end) end = undefined;
    else weight += line.length / 64;
  }
  return weight;
}

function alternatives(word: string): number {
  let product = 1;
  for (const [, inside = ""] of word.matchAll(/\{([^{}]*)\}/g)) {
    const [, from, to] = /^(-?\d+)\.\.(-?\d+)/.exec(inside) ?? [];
    product *= from === undefined ? inside.split(",").length : Math.abs(Number(to) - Number(from)) + 1;
  }
  return product;
}

function hasMoreValues(payload: unknown, limit: number): boolean {
  let left = limit;
  const waiting: unknown[] = [payload];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== "object" || value === null) continue;
    const inside = Object.values(value);
    left -= inside.length;
    if (left < 0) return true;
    for (const item of inside) if (typeof item === "object") waiting.push(item);
  }
  return false;
}
