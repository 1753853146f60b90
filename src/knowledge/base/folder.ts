/** Folders of nodes: names inside nodes/, never a way out of it. */
import { HoldfastError } from "../../core/errors.ts";

/** "" is nodes/ itself. */
export const isFolder = (folder: string): boolean => folder === "" || folder.split("/").every(isFolderName);

const isFolderName = (name: string) =>
  /^[\p{L}\p{N}_][\p{L}\p{N}\p{M}_. -]*$/u.test(name) &&
  !name.endsWith(".") &&
  !name.endsWith(" ") &&
  name.length <= 100;

export function assertFolder(folder: string): void {
  if (!isFolder(folder)) {
    throw new HoldfastError("HF1105", `${JSON.stringify(folder)} names no folder inside nodes/`);
  }
}

export const withParents = (folder: string): string[] => {
  const names = folder === "" ? [] : folder.split("/");
  return ["", ...names.map((_, index) => names.slice(0, index + 1).join("/"))];
};

/** How a folder is called where nobody summed it up: `build_tools` is "Build tools". */
export function folderTitle(folder: string): string {
  const words = (folder.split("/").at(-1) ?? "").replace(/[-_]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
