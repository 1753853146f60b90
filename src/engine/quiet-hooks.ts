/**
 * How long each hook took that had nothing to say, as the JSON of an object. They are the same hooks on every call, and
 * many: to make an object, look through it for secrets and write it takes longer than asking most of them.
 */
import { redactJson } from "../core/redact.ts";

export class QuietHooks {
  private text = "";

  add(hook: string, ms: number): void {
    const entry = ENTRIES.get(hook) ?? remember(hook);
    this.text += entry.isWhole ? entry.begin : entry.begin + durationText(ms);
  }

  json(): string {
    return `{${this.text.slice(1)}}`;
  }
}

interface Entry {
  /** `,"name":`, and what stands there instead of a number under a name that is a secret's. */
  readonly begin: string;
  readonly isWhole: boolean;
}

const ENTRIES = new Map<string, Entry>();
const MAX_ENTRIES = 1_000;

function remember(hook: string): Entry {
  const clean = `,${JSON.stringify(redactJson({ [hook]: 0 })).slice(1, -1)}`;
  const isWhole = !clean.endsWith(":0");
  const entry = { begin: isWhole ? clean : clean.slice(0, -1), isWhole };
  if (ENTRIES.size >= MAX_ENTRIES) ENTRIES.clear();
  ENTRIES.set(hook, entry);
  return entry;
}

/** Of whole microseconds below a millisecond. */
const SHORT: string[] = [];

function durationText(ms: number): string {
  const us = Math.round(ms * 1000);
  if (us < 0 || us >= 1000 || us / 1000 !== ms) return JSON.stringify(ms);
  const known = SHORT[us];
  if (known !== undefined) return known;
  if (SHORT.length === 0) for (let each = 0; each < 1000; each++) SHORT.push(JSON.stringify(each / 1000));
  return SHORT[us] as string;
}
