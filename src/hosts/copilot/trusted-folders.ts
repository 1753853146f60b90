/** The folders a person trusts, in a file that Copilot keeps by itself: it begins with comments and may hold more. */
import { dirname, join, resolve } from "node:path";
import { getNodeValue, type ParseError, parseTree } from "jsonc-parser";
import { HoldfastError } from "../../core/errors.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import type { FileEdit, InstallTarget } from "../host.ts";
import { appendTo, removeAt } from "../json-text.ts";
import type { Trust } from "../program.ts";

const LIST = "trustedFolders";

export const copilotHome = ({ env, homeDir }: Pick<InstallTarget, "env" | "homeDir">) =>
  env.COPILOT_HOME || join(homeDir, ".copilot");

const configFile = (target: InstallTarget) => join(copilotHome(target), "config.json");

/** Trust that we wrote down ends in `/.`, which Copilot keeps as it is: taking it back leaves a person's own alone. */
export function trustEdit(target: InstallTarget): FileEdit {
  const path = configFile(target);
  const mark = `${target.projectDir}/.`;
  return {
    path,
    add(text) {
      if (text === undefined) return `${JSON.stringify({ [LIST]: [mark] }, null, 2)}\n`;
      const folders = trustedFolders(text, path);
      if (folders?.some((folder) => covers(folder, target.projectDir))) return text;
      return folders ? appendTo(text, [LIST], mark) : appendTo(text, [], [mark], LIST);
    },
    remove(text) {
      const index = trustedFolders(text, path)?.indexOf(mark) ?? -1;
      return index < 0 ? text : removeAt(text, [LIST, index]);
    },
  };
}

export function trust(target: InstallTarget): Trust {
  if (target.level === "user" || target.level === "managed") return { state: "trusted" };
  const path = configFile(target);
  const text = target.readFile(path);
  const folders = text === undefined ? undefined : trustedFolders(text, path);
  if (folders?.some((folder) => covers(folder, target.projectDir))) return { state: "trusted" };
  return {
    state: "untrusted",
    why: `Copilot passes over the hooks of a folder it does not trust without a word, and ${target.projectDir} is not in "${LIST}" of ${path}`,
    fix: "holdfast init --yes --hosts copilot, or start copilot in that folder and choose to trust it and remember that",
  };
}

/** A folder vouches for all below it. */
function covers(folder: Json, projectDir: string): boolean {
  if (typeof folder !== "string") return false;
  const within = (directory: string): boolean =>
    directory === resolve(folder) || (dirname(directory) !== directory && within(dirname(directory)));
  return within(resolve(projectDir));
}

/** undefined: the file has no such list. */
function trustedFolders(text: string, path: string): readonly Json[] | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const config: unknown = root && getNodeValue(root);
  const problem = (what: string) => new HoldfastError("HF401", `${path} ${what}`, { file: path });
  if (errors.length > 0 || !isJsonObject(config)) throw problem("does not hold a JSON object");
  const folders = config[LIST];
  if (folders !== undefined && !Array.isArray(folders)) throw problem(`has "${LIST}" that is not a list`);
  return folders;
}
