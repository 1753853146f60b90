/** A scratch project with a base, for tests. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { awaitFileLock, tryFileLock } from "../../records/file-lock.ts";
import { type KnowledgePlaces, knowledgePlaces } from "../places.ts";
import type { NewNode, OpenBase } from "./change-nodes.ts";
import type { Exclusively } from "./write.ts";

const LOCK = { waitMs: 30_000, createDirectory: true };

export const exclusively: Exclusively = async (lockFile, work) => {
  const lock = tryFileLock(lockFile, LOCK) ?? (await awaitFileLock(lockFile, LOCK));
  try {
    return work(lock);
  } finally {
    lock.release();
  }
};

export interface ScratchBase extends OpenBase {
  readonly root: string;
  readonly places: KnowledgePlaces;
  /** From the knowledge folder down. */
  write(path: string, text: string): string;
  read(path: string): string;
  has(path: string): boolean;
  /** Every file but locks, with its text. */
  all(): Record<string, string>;
  remove(): void;
}

export function scratchBase(): ScratchBase {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-base-")));
  const places = knowledgePlaces(root);
  mkdirSync(places.nodesDir, { recursive: true });
  const at = (path: string) => join(places.dir, path);
  return {
    root,
    places,
    exclusively,
    write(path, text) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text);
      return at(path);
    },
    read: (path) => readFileSync(at(path), "utf8"),
    has: (path) => existsSync(at(path)),
    all() {
      const files = readdirSync(places.dir, { recursive: true, withFileTypes: true, encoding: "utf8" });
      return Object.fromEntries(
        files
          .filter((entry) => entry.isFile() && !entry.name.endsWith(".lock"))
          .map((entry) => join(entry.parentPath, entry.name))
          .map((file) => [file.slice(places.dir.length + 1), readFileSync(file, "utf8")]),
      );
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

export const newNode = (title: string, changes: Partial<NewNode> = {}): NewNode => ({
  type: "practice",
  title,
  description: `What to know of ${title}.`,
  tags: ["build"],
  body: `All about ${title}.`,
  confidence: "high",
  ...changes,
});

export const nodeFile = (id: string, changes: Record<string, unknown> = {}, body = "Text."): string => {
  const data = {
    type: id.split("-")[0],
    title: id,
    description: `About ${id}`,
    tags: ["build"],
    schema_version: 3,
    id,
    derived_from: [],
    relates_to: [],
    depends_on: [],
    confidence: "high",
    ...changes,
  };
  const lines = Object.entries(data).filter(([, value]) => value !== undefined);
  return `---\n${lines.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join("\n")}\n---\n\n${body}\n`;
};
