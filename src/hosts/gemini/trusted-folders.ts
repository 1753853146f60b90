/** The folders a person trusts: in any other, Gemini CLI reads no settings of the project and runs no hook. */
import { dirname } from "node:path";
import type { JsonObject } from "../../core/json.ts";
import { objectIn } from "../commented-json.ts";
import type { FileEdit, InstallTarget } from "../host.ts";
import { trustedFolderEdit } from "../trusted-folders.ts";
import { trustedFoldersPath } from "./places.ts";

/** Adds the project. */
export const trustEdit = (target: InstallTarget): FileEdit =>
  trustedFolderEdit({ path: trustedFoldersPath(target), rulesIn: objectIn, isTrusted }, target.projectDir);

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
