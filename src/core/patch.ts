/** The patch format of the apply_patch tool: what it would do, file by file. */

export interface FilePatch {
  readonly path: string;
  readonly change: "add" | "update" | "delete";
  readonly movedTo?: string;
  /** The lines it would put in, without what they replace. */
  readonly added: string;
}

// Programs that apply them differ in the blanks they take: Codex in front of a header, OpenCode none after the colon. In
// an update, what begins with a blank is a line of the file to some and to others a header all the same: it may be one.
const HEADER = /^\s*\*\*\*\s+(Add|Update|Delete)\s+File:(.+)$/;
const MOVE = /^\s*\*\*\*\s+Move\s+to:(.+)$/;

interface Patched {
  readonly path: string;
  readonly change: FilePatch["change"];
  movedTo?: string;
  readonly added: string[];
}

/** Empty where the text is no such patch. What stands around the patch is not looked at. */
export function parsePatch(text: string): FilePatch[] {
  const files: Patched[] = [];
  let certain: Patched | undefined;
  let possible: Patched | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, change, name] = HEADER.exec(line) ?? [];
    const path = name?.trim();
    const movedTo = MOVE.exec(line)?.[1]?.trim();
    // Behind a header that may be a line of the file, lines may belong to either.
    const open = [certain, possible].filter((file) => file !== undefined);
    if (change && path) {
      const file: Patched = { path, change: change.toLowerCase() as FilePatch["change"], added: [] };
      files.push(file);
      [certain, possible] = /^\s/.test(line) ? [certain, file] : [file, undefined];
    } else if (movedTo) {
      for (const file of open) {
        if (file.movedTo === undefined) file.movedTo = movedTo;
        else files.push({ ...file, movedTo, added: [] });
      }
    } else if (line.startsWith("+")) for (const { added } of open) added.push(line.slice(1));
  }
  return files.map((file) => ({ ...file, added: file.added.join("\n") }));
}

/** Every path a patch touches, in its order. */
export const pathsOfPatch = (files: readonly FilePatch[]): string[] =>
  files.flatMap(({ path, movedTo }) => (movedTo === undefined ? [path] : [path, movedTo]));
