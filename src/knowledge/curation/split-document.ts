/** A document cut into proposals at its headings, by rule and without a model: the same text gives the same proposals. */
import { oneLine } from "../base/node.ts";
import { slugOf } from "../base/node-id.ts";
import type { Candidate } from "./contracts.ts";

interface Section {
  readonly level: number;
  readonly title: string;
  /** Titles of the headings above it. */
  readonly above: readonly string[];
  readonly body: string;
}

const MIN_BODY = 80;
const MAX_BODY = 6_000;
const MAX_TITLE = 80;
const MAX_DESCRIPTION = 140;

export function splitDocument(path: string, text: string): Candidate[] {
  return sectionsOf(path, withoutFrontMatter(text))
    .filter(({ body, title }) => body.length >= MIN_BODY && !SKIPPED_TITLES.test(title))
    .flatMap((section) => {
      const parts = partsOf(section.body);
      return parts.map((body, index) => candidateOf(path, { ...section, body }, parts.length > 1 ? index + 1 : 0));
    });
}

/** Whole where it is short; else cut between paragraphs, between lines where one is too long, and in a line at last. */
function partsOf(body: string): string[] {
  const parts: string[] = [];
  let rest = body;
  while (rest.length > MAX_BODY) {
    const at = cutAt(rest);
    const part = rest.slice(0, at).trimEnd();
    const fence = openFence(part);
    // A block of code that is cut goes on as one.
    parts.push(fence === undefined ? part : `${part}\n${fence.mark}`);
    const next = rest
      .slice(at)
      .replace(/^\s*\n/, "")
      .trimEnd();
    rest = fence === undefined ? next.trimStart() : `${fence.line}\n${next}`;
  }
  return rest === "" ? parts : [...parts, rest];
}

/** Room for the lines that close and open a block of code. */
const CUT_WITHIN = MAX_BODY - 200;
/** A cut before this would leave a scrap. */
const CUT_FROM = MAX_BODY / 2;

function cutAt(text: string): number {
  const within = text.slice(0, CUT_WITHIN);
  for (let at = within.lastIndexOf("\n\n"); at >= CUT_FROM; at = within.lastIndexOf("\n\n", at - 1))
    if (openFence(within.slice(0, at)) === undefined) return at;
  const between = [within.lastIndexOf("\n"), within.search(/\s\S*$/)].find((at) => at >= CUT_FROM);
  // Never between the two halves of one character.
  return between ?? (/[\ud800-\udbff]$/.test(within) ? CUT_WITHIN - 1 : CUT_WITHIN);
}

/** The block of code that a text ends in. */
function openFence(text: string): { readonly line: string; readonly mark: string } | undefined {
  let open: { readonly line: string; readonly mark: string } | undefined;
  for (const line of text.split("\n")) {
    const mark = fenceMark(line);
    if (mark === undefined) continue;
    if (open === undefined) open = { line: line.slice(0, 100), mark };
    else if (line.trim().startsWith(open.mark)) open = undefined;
  }
  return open;
}

const fenceMark = (line: string): string | undefined => /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];

const withoutFrontMatter = (text: string) => text.replace(/\r\n?/g, "\n").replace(/^---\n[\s\S]*?\n---\n/, "");

/** Lists of links and of people, which teach nothing. */
const SKIPPED_TITLES =
  /^(?:table of contents|contents|toc|license|licence|authors|contributors|acknowledge?ments|credits|badges|changelog|see also|links|index)$/i;

function sectionsOf(path: string, text: string): Section[] {
  const sections: { level: number; title: string; lines: string[] }[] = [{ level: 0, title: nameOf(path), lines: [] }];
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const mark = fenceMark(line);
    if (mark !== undefined) fence = fence === undefined ? mark : line.trim().startsWith(fence) ? undefined : fence;
    // A # in a block of code is a comment of the code.
    const heading = fence === undefined ? /^ {0,3}(#{1,3})\s+(.+?)\s*#*\s*$/.exec(line) : null;
    if (heading) sections.push({ level: heading[1]?.length ?? 1, title: plain(heading[2] ?? ""), lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ level, title, lines }, index) => ({
    level,
    title: title === "" ? nameOf(path) : title,
    above: headingsAbove(sections, index),
    body: lines.join("\n").trim(),
  }));
}

function headingsAbove(sections: readonly { level: number; title: string }[], index: number): string[] {
  const above: string[] = [];
  let level = sections[index]?.level ?? 0;
  for (let at = index - 1; at > 0 && level > 1; at--) {
    const other = sections[at];
    if (other === undefined || other.level >= level) continue;
    above.unshift(other.title);
    level = other.level;
  }
  return above;
}

/** `part` counts from 1 where a section is too long for one. */
function candidateOf(path: string, { title, above, body }: Section, part: number): Candidate {
  const parent = above.at(-1);
  const full = parent === undefined || GENERIC.test(parent) ? title : `${parent}: ${title}`;
  return {
    type: PRACTICE.test(`${title}\n${body}`) ? "practice" : "map",
    title: part === 0 ? cut(full, MAX_TITLE) : `${cut(full, MAX_TITLE - 8)} (${part})`,
    description: cut(firstSentence(body) || full, MAX_DESCRIPTION),
    tags: tagsOf(path, above),
    body,
    confidence: "medium",
  };
}

/** Words of somebody who says how it is done here. */
const PRACTICE =
  /\b(?:must|must not|never|always|should|do not|don't|avoid|prefer|convention|conventions|guideline|rule|rules|policy|required|make sure|before you|style)\b/i;
const GENERIC = /^(?:readme|overview|introduction|documentation|docs|guide)$/i;

function firstSentence(body: string): string {
  const paragraph = body
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .find((part) => part !== "" && !/^(?:[`~]{3}|\||<|!\[|\[!\[|#)/.test(part));
  if (paragraph === undefined) return "";
  const text = plain(paragraph.replace(/^(?:[-*+>]|\d+\.)\s+/gm, ""));
  return /^.+?[.!?。！？](?=\s|$)/u.exec(text)?.[0] ?? text;
}

/** Without marks of Markdown. */
const plain = (text: string) =>
  oneLine(
    text
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/[*_`]+/g, "")
      .replace(/<[^>]+>/g, ""),
  );

function cut(text: string, max: number): string {
  const letters = [...oneLine(text)];
  return letters.length <= max
    ? letters.join("")
    : `${letters
        .slice(0, max - 1)
        .join("")
        .trimEnd()}…`;
}

function tagsOf(path: string, above: readonly string[]): string[] {
  const folders = path.split("/").slice(0, -1);
  const names = [nameOf(path), ...folders.slice(-1), ...above.slice(0, 1)].map(slugOf);
  const tags = names.filter((tag) => tag !== "untitled" && tag !== "readme" && tag.length <= 30);
  return [...new Set(tags)].slice(0, 5);
}

const nameOf = (path: string) => (path.split("/").at(-1) ?? path).replace(/\.[^.]+$/, "").replace(/[-_]+/g, " ");
