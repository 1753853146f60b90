/** The folders a person trusts, in a file `{"<folder>": "TRUST_FOLDER"}` that Gemini CLI and Qwen Code keep alike. */
import type { JsonObject } from "../core/json.ts";
import type { FileEdit } from "./host.ts";
import { appendTo, nodeAt, removeAt } from "./json-text.ts";

export interface TrustedFolders {
  readonly path: string;
  /** The file's rules; throws HF401 on a file that holds none. */
  rulesIn(text: string, path: string): JsonObject;
  /** As the program decides; undefined: no rule covers the folder. */
  isTrusted(rules: JsonObject, folder: string): boolean | undefined;
}

/** Adds the folder; what a person said about that very folder stands, be it yes or no. */
export function trustedFolderEdit({ path, rulesIn, isTrusted }: TrustedFolders, folder: string): FileEdit {
  return {
    path,
    add(text) {
      if (text === undefined) return `{\n  ${JSON.stringify(folder)}: "TRUST_FOLDER"${TRUST_MARK}\n}\n`;
      const rules = rulesIn(text, path);
      if (Object.hasOwn(rules, folder) || isTrusted(rules, folder)) return text;
      const added = appendTo(text, [], "TRUST_FOLDER", folder);
      const { offset, length } = nodeAt(added, [folder]);
      return added.slice(0, offset + length) + TRUST_MARK + added.slice(offset + length);
    },
    remove(text) {
      if (!Object.hasOwn(rulesIn(text, path), folder)) return text;
      const { offset, length } = nodeAt(text, [folder]);
      const end = offset + length;
      if (!text.startsWith(TRUST_MARK, end)) return text;
      return removeAt(text.slice(0, end) + text.slice(end + TRUST_MARK.length), [folder]);
    },
  };
}

/** Tells our entry from one a person made. Both programs take comments here. */
export const TRUST_MARK = " /* by holdfast init */";
