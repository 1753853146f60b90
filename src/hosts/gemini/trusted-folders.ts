/** The folders a person trusts: in any other, Gemini CLI reads no settings of the project and runs no hook. */
import { dirname } from "node:path";
import type { JsonObject } from "../../core/json.ts";
import type { FileEdit, InstallTarget } from "../host.ts";
import { appendTo, nodeAt, removeAt } from "../json-text.ts";
import { objectIn } from "./commented-json.ts";
import { trustedFoldersPath } from "./places.ts";

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

/** Tells our entry from one a person made. Gemini CLI takes comments here. */
const MARK = " /* by holdfast init */";

/** As the program decides: of the rules that cover the folder, the one with the longest path counts. */
export function isTrusted(rules: JsonObject, folder: string): boolean | undefined {
  const covering = Object.entries(rules).filter(([path, level]) =>
    contains(level === "TRUST_PARENT" ? dirname(path) : path, folder),
  );
  const [longest] = covering.sort(([left], [right]) => right.length - left.length);
  return longest && longest[1] !== "DO_NOT_TRUST";
}

const contains = (parent: string, folder: string) =>
  folder === parent || folder.startsWith(parent.endsWith("/") ? parent : `${parent}/`);
