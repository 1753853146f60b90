/** Long tool output is cut in the middle before it fills the model's context; the whole is kept in a file. */
import { count, type ShapeOf } from "../core/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { NO_OPINION } from "../core/verdict.ts";
import type { BuiltinHook } from "./builtin.ts";

const OPTIONS = { "max-characters": count("how much of an output the model sees; default 8000") };
type Options = ShapeOf<typeof OPTIONS>;

export const truncateOutput: BuiltinHook = {
  name: "truncate-output",
  doc: "cuts long tool output in the middle and keeps the whole in a file",
  on: ["post_tool_use"],
  answers: ["rewrite"],
  guards: false,
  optIn: true,
  onError: "continue",
  priority: 100,
  last: true,
  options: OPTIONS,
  defaults: { "max-characters": 8_000 },
  judge(event, { options }, { stateDir }) {
    if (event.name !== "post_tool_use") return NO_OPINION;
    const limit = (options as unknown as Options)["max-characters"];
    const { response } = event;
    // Most outputs are short texts.
    if (typeof response === "string" && response.length <= limit) return NO_OPINION;
    const file = `${stateDir}/outputs/${event.id.replace(/[^\w.-]/g, "_")}.txt`;
    const rewrite = shortened(response, limit, file);
    if (rewrite === undefined) return NO_OPINION;
    const text = typeof response === "string" ? response : JSON.stringify(response, null, 2);
    return { ...NO_OPINION, rewrite, effects: [{ type: "keep-output", file, text }] };
  },
};

/** undefined: it is short enough. The shape stays as it is, as far as texts are what makes it long. */
function shortened(response: Json, limit: number, file: string): Json | undefined {
  if (typeof response === "string") return response.length > limit ? cut(response, limit, file) : undefined;
  const lengths: number[] = [];
  eachText(response, (text) => lengths.push(text.length));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const cap = capFor(lengths, limit);
  const next =
    total > limit ? mapTexts(response, (text) => (text.length > cap ? cut(text, cap, file) : text)) : response;
  if (structureLength(next) <= 2 * limit + MARKER_ROOM) return total > limit ? next : undefined;
  const whole = cut(JSON.stringify(response), limit, file);
  if (!isJsonObject(response) || !Array.isArray(response.content)) return whole;
  const { structuredContent: _long, content: _cut, ...rest } = response;
  return { ...rest, content: [{ type: "text", text: whole }] };
}

/** How long the longest text may be, so that all together are as long as allowed: short ones stay whole. */
function capFor(lengths: readonly number[], limit: number): number {
  let left = limit;
  const sorted = [...lengths].sort((a, b) => a - b);
  for (const [index, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (length > share) return share;
    left -= length;
  }
  return limit;
}

const MARKER_ROOM = 2_000;
const SHARE_OF_HEAD = 0.6;

/** Head and tail, and between them what is missing and where it is. */
export function cut(text: string, limit: number, file: string): string {
  const marker = (missing: number) =>
    `\n[… ${missing} of ${text.length} characters left out by truncate-output; the whole output is in ${file} …]\n`;
  const room = Math.max(0, limit - marker(text.length).length);
  const head = wholeEnd(text, Math.ceil(room * SHARE_OF_HEAD));
  const tail = wholeStart(text, text.length - Math.floor(room * (1 - SHARE_OF_HEAD)));
  return `${text.slice(0, head)}${marker(tail - head)}${text.slice(tail)}`;
}

/** The nearest end before which no character is split, as people see characters: a family or a flag is one. */
const wholeEnd = (text: string, end: number) => clusterAt(text, end)?.from ?? end;
const wholeStart = (text: string, start: number) => clusterAt(text, start)?.to ?? start;

/** So far around a cut it is looked where a character begins and ends; none that people write is as long. */
const AROUND = 512;

/** Where the character lies that a cut would split; undefined: it splits none. */
function clusterAt(text: string, at: number): { readonly from: number; readonly to: number } | undefined {
  if (at <= 0 || at >= text.length || isBetweenLetters(text, at)) return undefined;
  const start = plainBefore(text, flagsBefore(text, at));
  const end = at + AROUND;
  const near = text.slice(start, isSplit(text, end) ? end + 1 : end);
  const found = new Intl.Segmenter().segment(near).containing(at - start);
  if (!found || found.index === at - start) return undefined;
  const from = start + found.index;
  return { from, to: from + found.segment.length };
}

/** From which on characters can be told: nothing joins a letter of ASCII to what stands before it. */
function plainBefore(text: string, at: number): number {
  const least = Math.max(0, at - AROUND);
  for (let index = at - 1; index >= least; index--) if (isPlain(text, index)) return index;
  return isSplit(text, least) ? least + 1 : least;
}

/** Flags are pairs: which two of many belong together is told from the first of them. */
function flagsBefore(text: string, at: number): number {
  let start = isSplit(text, at) ? at - 1 : at;
  while (isFlagHalf(text, start - 2)) start -= 2;
  return start;
}

const isFlagHalf = (text: string, at: number) =>
  at >= 0 && text.charCodeAt(at) === 0xd83c && isBetween(text.charCodeAt(at + 1), 0xdde6, 0xddff);

const isBetweenLetters = (text: string, at: number) =>
  isPlain(text, at - 1) && isPlain(text, at) && !(text[at - 1] === "\r" && text[at] === "\n");
const isPlain = (text: string, index: number) => text.charCodeAt(index) < 0x80;
const isSplit = (text: string, at: number) =>
  at > 0 && isBetween(text.charCodeAt(at - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(at), 0xdc00, 0xdfff);
const isBetween = (code: number, low: number, high: number) => code >= low && code <= high;

/** Pictures and sound are no text: half of one is nothing. */
const isBinary = (value: JsonObject) =>
  typeof value.blob === "string" || (typeof value.data === "string" && ("mimeType" in value || "media_type" in value));

function eachText(value: Json, visit: (text: string) => void): void {
  if (typeof value === "string") visit(value);
  else if (Array.isArray(value)) for (const item of value) eachText(item, visit);
  else if (isJsonObject(value) && !isBinary(value)) for (const item of Object.values(value)) eachText(item, visit);
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isJsonObject(value) || isBinary(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}

/** How long it is as JSON, without what is binary. */
function structureLength(value: Json): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + structureLength(item) + 1, 2);
  if (!isJsonObject(value)) return typeof value === "string" ? value.length + 2 : String(value).length;
  if (isBinary(value)) return 0;
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + 4 + structureLength(item), 2);
}
