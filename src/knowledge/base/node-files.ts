/** Which files of a base are nodes. It reads none of them, and so needs nothing that can. */
import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { byCodePoint } from "./author-text.ts";
import type { NodeProblem } from "./node.ts";

/** Never nodes, in no folder. */
export const RESERVED_NAMES: readonly string[] = ["index.md", "log.md"];

export interface NodeFile {
  /** From nodes/ down, with /. */
  readonly path: string;
  readonly file: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** Cannot be set by a program, so that an edit cannot hide behind an old modification time. */
  readonly ctimeMs: number;
  readonly ino: number;
}

export interface FileList {
  readonly files: readonly NodeFile[];
  /** Folders that are there, from nodes/ down; "" is nodes/ itself. */
  readonly folders: readonly string[];
  readonly problems: readonly NodeProblem[];
}

/** By path, in the order of code points. */
export function listNodeFiles(nodesDir: string): FileList {
  const files: NodeFile[] = [];
  const folders: string[] = [];
  const problems: NodeProblem[] = [];
  const visit = (folder: string) => {
    const dir = join(nodesDir, folder);
    let entries: Dirent[];
    try {
      entries = readdirSync(dir, { withFileTypes: true });
    } catch (error) {
      if (folder === "" && (error as NodeJS.ErrnoException).code === "ENOENT") return;
      problems.push({ file: dir, message: `cannot be read: ${(error as Error).message}` });
      return;
    }
    folders.push(folder);
    for (const entry of entries) {
      if (entry.name.startsWith(".")) continue;
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const file = join(nodesDir, path);
      if (entry.isDirectory()) visit(path);
      else if (entry.isSymbolicLink() && !entry.name.endsWith(".md"))
        problems.push({ file, message: "is a link; links are not followed" });
      else if (!entry.name.endsWith(".md") || RESERVED_NAMES.includes(entry.name)) continue;
      // A link could lead out of the project, and what it leads to would be told to a model.
      else if (!entry.isFile()) problems.push({ file, message: "is no plain file; links are not followed" });
      else {
        const stat = lstatSync(file, { throwIfNoEntry: false });
        if (stat) files.push({ path, file, ...only(stat) });
      }
    }
  };
  visit("");
  files.sort((a, b) => byCodePoint(a.path, b.path));
  folders.sort(byCodePoint);
  return { files, folders, problems };
}

const only = ({ size, mtimeMs, ctimeMs, ino }: Omit<NodeFile, "path" | "file">) => ({ size, mtimeMs, ctimeMs, ino });
