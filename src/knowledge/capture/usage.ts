/** Which documents of the base sessions read: a line each time, in `.state/usage.jsonl`. */
import { appendFile, mkdir } from "node:fs/promises";
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { TakeLock } from "../lock.ts";
import type { KnowledgePlaces } from "../places.ts";
import { linesOf } from "./lines.ts";
import type { Read } from "./transcript.ts";

export interface UsageSetting {
  readonly id: string;
  readonly places: KnowledgePlaces;
  readonly now: Date;
  readonly takeLock: TakeLock;
}

interface Document {
  readonly document: string;
  readonly type: "leaf" | "index";
}

/** Adds what is not recorded yet. What goes wrong is said and spoils nothing: the log is written. */
export async function recordReads(reads: readonly Read[], setting: UsageSetting): Promise<string[]> {
  const seen = new Map<string, Document & { times: number }>();
  for (const { path } of onceEach(reads)) {
    const document = documentAt(path, setting.places);
    if (!document) continue;
    const known = seen.get(document.document) ?? { ...document, times: 0 };
    known.times += 1;
    seen.set(document.document, known);
  }
  if (seen.size === 0) return [];
  try {
    await addMissing([...seen.values()], setting);
    return [];
  } catch (error) {
    return [`which nodes the session read was not recorded: ${(error as Error).message}`];
  }
}

function onceEach(reads: readonly Read[]): readonly Read[] {
  const keys = new Set<string>();
  return reads.filter(({ key }) => {
    if (key === undefined) return true;
    const isNew = !keys.has(key);
    keys.add(key);
    return isNew;
  });
}

async function addMissing(
  seen: readonly (Document & { readonly times: number })[],
  { id, places, now, takeLock }: UsageSetting,
): Promise<void> {
  const file = join(places.stateDir, "usage.jsonl");
  await mkdir(places.stateDir, { recursive: true });
  const lock = await takeLock(`${file}.lock`);
  try {
    const recorded = await recordedIn(file, id);
    const lines = seen.flatMap(({ document, type, times }) => {
      const missing = Math.max(0, times - (recorded.get(document) ?? 0));
      const line = `${JSON.stringify({ document, type, session_id: id, used_at: now.toISOString() })}\n`;
      return Array.from({ length: missing }, () => line);
    });
    if (lines.length > 0) await appendFile(file, lines.join(""), { mode: 0o600 });
  } finally {
    lock.release();
  }
}

const MAX_LINE_BYTES = 64 * 1024;

/** How often each document is recorded for the session; lines that are none of ours are passed over. */
async function recordedIn(file: string, id: string): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  try {
    for await (const line of linesOf(file, { maxBytes: MAX_LINE_BYTES, onSkipped: () => {} })) {
      const record = recordOf(line);
      if (record?.session_id === id && typeof record.document === "string")
        counts.set(record.document, (counts.get(record.document) ?? 0) + 1);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return counts;
}

function recordOf(line: string): { session_id?: unknown; document?: unknown } | undefined {
  try {
    return Object(JSON.parse(line)) as { session_id?: unknown; document?: unknown };
  } catch {
    return undefined;
  }
}

/** A node by its id, an index by its place; anything else is none of the base. */
function documentAt(path: string, { root, dir, nodesDir }: KnowledgePlaces): Document | undefined {
  const file = isAbsolute(path) ? path : resolve(root, path);
  if (!file.endsWith(".md")) return undefined;
  const inBase = relative(dir, file);
  if (inBase === "ENTRY.md") return { document: inBase, type: "index" };
  const inNodes = relative(nodesDir, file);
  if (inNodes.startsWith("..") || isAbsolute(inNodes)) return undefined;
  const name = basename(file);
  if (name === "log.md") return undefined;
  if (name === "index.md") return { document: inBase.split(sep).join("/"), type: "index" };
  return { document: name.slice(0, -".md".length), type: "leaf" };
}
