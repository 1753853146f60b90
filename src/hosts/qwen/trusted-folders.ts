/** The folders a person trusts: where trust is asked for, Qwen Code runs no hook of a project in any other. */
import { dirname } from "node:path";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import type { FileEdit, InstallTarget } from "../host.ts";
import { appendTo, nodeAt, removeAt } from "../json-text.ts";
import { objectIn } from "./commented-json.ts";
import { settingsPath, trustedFoldersPath } from "./places.ts";

/** Off unless somebody turned it on; a machine's settings come before a project's, and those before the person's own. */
export function asksForTrust(target: InstallTarget): boolean {
  return settingOf(target, ({ security }) => objectOr(objectOr(security).folderTrust).enabled) === true;
}

/** The value that counts of a setting. */
export function settingOf(target: InstallTarget, pick: (settings: JsonObject) => Json | undefined): Json | undefined {
  const levels = ["managed", "project", "user"] as const;
  return levels
    .map((level) => pick(readObject(settingsPath({ ...target, level }), target)))
    .find((value) => value !== undefined);
}

/** Where nobody asks for trust, nothing needs to be vouched for; what was vouched for before can still be taken back. */
export function needsConsent(target: InstallTarget): boolean {
  if (target.level === "user" || target.level === "managed") return false;
  return asksForTrust(target) || (target.readFile(trustedFoldersPath(target)) ?? "").includes(MARK);
}

/** Adds the project; what a person said about that very folder stands, be it yes or no. */
export function trustEdit(target: InstallTarget): FileEdit {
  const path = trustedFoldersPath(target);
  const folder = target.projectDir;
  return {
    path,
    add(text) {
      if (text === undefined) return `{\n  ${JSON.stringify(folder)}: "TRUST_FOLDER"${MARK}\n}\n`;
      const rules = objectIn(text, path);
      if (Object.hasOwn(rules, folder) || isTrusted(rules, folder)) return text;
      const added = appendTo(text, [], "TRUST_FOLDER", folder);
      const { offset, length } = nodeAt(added, [folder]);
      return added.slice(0, offset + length) + MARK + added.slice(offset + length);
    },
    remove(text) {
      if (!Object.hasOwn(objectIn(text, path), folder)) return text;
      const { offset, length } = nodeAt(text, [folder]);
      const end = offset + length;
      if (!text.startsWith(MARK, end)) return text;
      return removeAt(text.slice(0, end) + text.slice(end + MARK.length), [folder]);
    },
  };
}

/** Tells our entry from one a person made. Qwen Code takes comments here. */
const MARK = " /* by holdfast init */";

/** As the program decides: of the rules that cover the folder the deepest counts, and of two such the one that says no. */
export function isTrusted(rules: JsonObject, folder: string): boolean | undefined {
  const covering = Object.entries(rules)
    .map(([path, level]) => ({ path: level === "TRUST_PARENT" ? dirname(path) : path, yes: level !== "DO_NOT_TRUST" }))
    .filter(({ path }) => folder === path || folder.startsWith(path.endsWith("/") ? path : `${path}/`));
  const deepest = Math.max(...covering.map(({ path }) => path.length));
  const counting = covering.filter(({ path }) => path.length === deepest);
  return counting.length === 0 ? undefined : counting.every(({ yes }) => yes);
}

const readObject = (path: string, { readFile }: InstallTarget) => objectIn(readFile(path) ?? "{}", path);

const objectOr = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
