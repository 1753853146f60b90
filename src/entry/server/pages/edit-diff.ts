/** An edit as the lines it takes away and puts in, whatever the host calls its arguments. */
import { diffArrays } from "diff";
import type { AskedCall } from "../../../approvals/approval.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json.ts";
import { parsePatch } from "../../../core/patch.ts";
import { firstText, PATH_KEYS } from "./call-summary.ts";
import { html, type Markup, visible } from "./markup.ts";

export interface Change {
  readonly path: string;
  readonly lines: readonly string[];
}

const OLD_KEYS = ["old_string", "oldString", "old_str", "oldStr", "oldText"];
const NEW_KEYS = ["new_string", "newString", "new_str", "newStr", "newText"];
const WHOLE_KEYS = ["content", "contents", "file_text", "new_content", "text"];
const PATCH_KEYS = ["patch", "input", "diff", "command"];

/** Empty where the call is no edit that we can read: its arguments are shown all the same. */
export function changesOf({ kind, input }: AskedCall): Change[] {
  if (kind !== "edit" && kind !== "write") return [];
  const path = firstText(input, PATH_KEYS) ?? "";
  const edits = Array.isArray(input.edits) ? input.edits.filter(isJsonObject) : [];
  const replaced = [input, ...edits].flatMap((edit) => replacement(edit, path));
  if (replaced.length > 0) return replaced;
  const whole = firstText(input, WHOLE_KEYS);
  if (whole !== undefined) return [{ path, lines: whole.split("\n").map((line) => `+${line}`) }];
  return patchesOf(input);
}

function replacement(edit: JsonObject, path: string): Change[] {
  const before = firstText(edit, OLD_KEYS);
  const after = firstText(edit, NEW_KEYS);
  if (before === undefined && after === undefined) return [];
  return [{ path: firstText(edit, PATH_KEYS) ?? path, lines: difference(...linesOf(before ?? "", after ?? "")) }];
}

/** What differs between two texts, as lines of a diff. */
export const textDifference = (before: string, after: string): string[] => difference(...linesOf(before, after));

const CONTEXT_LINES = 3;
/** More than this is not compared line by line: it would hold up everybody else's pages, and nobody would read it. */
const MAX_COMPARED_LINES = 400;

/** Only what differs, with a few lines around it. Every line that goes or comes is in it, compared or not. */
function difference(before: readonly string[], after: readonly string[]): string[] {
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before[same] === after[same]) same++;
  let sameAtEnd = 0;
  while (sameAtEnd < shorter - same && before.at(-1 - sameAtEnd) === after.at(-1 - sameAtEnd)) sameAtEnd++;
  const gone = before.slice(same, before.length - sameAtEnd);
  const come = after.slice(same, after.length - sameAtEnd);
  const lead = before.slice(Math.max(0, same - CONTEXT_LINES), same);
  const tail = before.slice(before.length - sameAtEnd).slice(0, CONTEXT_LINES);
  const between =
    gone.length + come.length > MAX_COMPARED_LINES
      ? [...gone.map((line) => `-${line}`), ...come.map((line) => `+${line}`)]
      : compared(gone, come);
  return [...lead.map((line) => ` ${line}`), ...between, ...tail.map((line) => ` ${line}`)];
}

const compared = (gone: readonly string[], come: readonly string[]): string[] =>
  diffArrays([...gone], [...come]).flatMap(({ added, removed, value }) =>
    value.map((line) => (added ? "+" : removed ? "-" : " ") + line),
  );

/** The end of the last line counts as a line of its own only where one text has it and the other has not. */
function linesOf(...texts: readonly [string, string]): readonly [string[], string[]] {
  const isAlike = texts.every((text) => text === "" || text.endsWith("\n"));
  const lines = (text: string) => (text === "" ? [] : (isAlike ? text.slice(0, -1) : text).split("\n"));
  return [lines(texts[0]), lines(texts[1])];
}

function patchesOf(input: JsonObject): Change[] {
  const text = PATCH_KEYS.map((key) => patchText(input[key])).find((found) => found !== undefined);
  return text === undefined ? [] : [{ path: "", lines: text.split("\n") }];
}

function patchText(value: Json | undefined): string | undefined {
  const text = Array.isArray(value) ? value.findLast((part) => typeof part === "string") : value;
  if (typeof text !== "string") return undefined;
  return parsePatch(text).length > 0 || /^@@ /m.test(text) ? text : undefined;
}

export function diffView({ path, lines }: Change): Markup {
  const added = lines.filter((line) => line.startsWith("+")).length;
  const removed = lines.filter((line) => line.startsWith("-")).length;
  return html`<figure class="diff">
    <figcaption><span class="path">${path === "" ? "Patch" : path}</span>
      <span class="diff-count"><span class="plus">+${added}</span> <span class="minus">−${removed}</span><span class="sr"> lines</span></span></figcaption>
    <pre>${lines.map(diffLine)}</pre>
  </figure>`;
}

/** The sign stands in the text, so that nothing depends on colour. */
function diffLine(line: string): Markup {
  const kind = line.startsWith("+") ? "ins" : line.startsWith("-") ? "del" : "same";
  return html`<span class="line" data-line="${kind}">${visible(line)}
</span>`;
}
