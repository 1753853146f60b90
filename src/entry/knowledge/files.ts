/** The files of a project that `knowledge init` makes or changes, each with how it is taken out again. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { FORMATS } from "../../config/places.ts";
import { HoldfastError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import type { FileEdit } from "../../hosts/host.ts";
import { withBlock, withoutBlock } from "../../knowledge/base/agents-block.ts";
import { withIgnoreLines } from "../../knowledge/base/ignore-lines.ts";
import type { KnowledgePlaces } from "../../knowledge/places.ts";
import { type ConfigDocument, parseConfig } from "../../sources/document.ts";
import { SKILL_MARK, SKILLS, skillText } from "./skill-texts.ts";

/** Where hosts look for a project's skills. Hosts that are not here take none. */
export const SKILL_DIRS: Readonly<Record<string, string>> = {
  "claude-code": ".claude/skills",
  codex: ".agents/skills",
  copilot: ".github/skills",
  cursor: ".cursor/skills",
  gemini: ".gemini/skills",
  opencode: ".opencode/skills",
};

export const ignoreEdit = ({ ignoreFile }: KnowledgePlaces): FileEdit => ({
  path: ignoreFile,
  add: withIgnoreLines,
  // What was captured stays out of git also where nothing more is captured.
  remove: (text) => text,
});

export const agentsEdit = (root: string): FileEdit => ({
  path: join(root, "AGENTS.md"),
  add: withBlock,
  remove: withoutBlock,
});

/** A file of that name that is not ours stays as it is. */
export const skillEdits = (root: string, hosts: readonly string[]): FileEdit[] =>
  hosts.flatMap((host) => {
    const dir = SKILL_DIRS[host];
    if (dir === undefined) return [];
    return Object.keys(SKILLS).map((name) => ({
      path: join(root, dir, name, "SKILL.md"),
      add: (text: string | undefined) => (text === undefined || text.includes(SKILL_MARK) ? skillText(name) : text),
      remove: (text: string) => (text.includes(SKILL_MARK) ? undefined : text),
    }));
  });

const SWITCH: Readonly<Record<string, string>> = {
  yaml: "\nknowledge:\n  enabled: true\n",
  yml: "\nknowledge:\n  enabled: true\n",
  toml: "\n[knowledge]\nenabled = true\n",
};

/** Switches knowledge on in the project's config, behind what people wrote there. */
export function configEdit(root: string): FileEdit {
  const found = FORMATS.map((format) => join(root, `holdfast.${format}`)).find((file) => existsSync(file));
  const path = found ?? join(root, "holdfast.yaml");
  const format = path.slice(path.lastIndexOf(".") + 1);
  const addition = SWITCH[format];
  return {
    path,
    add(text) {
      if (text === undefined) return `version: 1\n${SWITCH.yaml}`;
      const config = parseConfig(path, text);
      if (isSwitchedOn(config)) return text;
      if (config.data.knowledge !== undefined || addition === undefined) throw byHand(path);
      const after = `${text.endsWith("\n") ? text : `${text}\n`}${addition}`;
      if (!isOn(path, after)) throw byHand(path);
      return after;
    },
    remove(text) {
      if (text === `version: 1\n${SWITCH.yaml}`) return undefined;
      if (!isSwitchedOn(parseConfig(path, text))) return text;
      const after = addition === undefined ? text : withoutOnly(text, addition);
      if (!isSameBut(path, text, after)) throw stillOn(path);
      return after;
    },
  };
}

/** The text as it is where the part occurs more than once: nobody knows which of them is ours. */
function withoutOnly(text: string, part: string): string {
  const at = text.indexOf(part);
  return at < 0 || at !== text.lastIndexOf(part) ? text : text.slice(0, at) + text.slice(at + part.length);
}

/** Whether `after` says all that `before` does but for knowledge: a line that belonged to our block may not go elsewhere. */
function isSameBut(path: string, before: string, after: string): boolean {
  const { knowledge: _, ...rest } = parseConfig(path, before).data;
  try {
    return isDeepStrictEqual(parseConfig(path, after).data, rest);
  } catch (error) {
    if (error instanceof HoldfastError) return false;
    throw error;
  }
}

const isSwitchedOn = ({ data: { knowledge } }: ConfigDocument): boolean =>
  isJsonObject(knowledge) && knowledge.enabled === true;

function isOn(path: string, text: string): boolean {
  try {
    return isSwitchedOn(parseConfig(path, text));
  } catch (error) {
    if (error instanceof HoldfastError) return false;
    throw error;
  }
}

const byHand = (file: string) =>
  new HoldfastError("HF401", "knowledge cannot be switched on in it without changing what you wrote", {
    file,
    hint: "set knowledge.enabled to true there yourself, then run it again",
  });

const stillOn = (file: string) =>
  new HoldfastError(
    "HF401",
    `knowledge is still on in ${file}, and cannot be taken out without changing what you wrote`,
    {
      file,
      hint: "set knowledge.enabled to false there yourself, or take the section out, then run it again",
    },
  );

/** Skills as they lie there, for doctor. */
export function skillState(root: string, host: string): "current" | "missing" | "outdated" | "foreign" | undefined {
  const edits = skillEdits(root, [host]);
  if (edits.length === 0) return undefined;
  const texts = edits.map(({ path, add }) => {
    const text = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    if (text === undefined) return "missing";
    if (!text.includes(SKILL_MARK)) return "foreign";
    return add(text) === text ? "current" : "outdated";
  });
  return (["missing", "outdated", "foreign"] as const).find((state) => texts.includes(state)) ?? "current";
}
