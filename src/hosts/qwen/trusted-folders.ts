/** The folders a person trusts: where trust is asked for, Qwen Code runs no hook of a project in any other. */
import { dirname } from "node:path";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import type { FileEdit, InstallTarget } from "../host.ts";
import { TRUST_MARK, trustedFolderEdit } from "../trusted-folders.ts";
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
  return asksForTrust(target) || (target.readFile(trustedFoldersPath(target)) ?? "").includes(TRUST_MARK);
}

/** Adds the project. */
export const trustEdit = (target: InstallTarget): FileEdit =>
  trustedFolderEdit({ path: trustedFoldersPath(target), rulesIn: objectIn, isTrusted }, target.projectDir);

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
