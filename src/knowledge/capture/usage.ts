/** Which documents of the base sessions read: a line each time, in `.state/usage.jsonl`. */
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";
import { makeDirectory } from "../../files/make-directory.ts";
import type { TakeLock } from "../lock.ts";
import type { KnowledgePlaces } from "../places.ts";
import type { Read } from "./transcript.ts";
import { addUsage, type UsageLine } from "./usage-file.ts";

export interface UsageSetting {
  readonly id: string;
  readonly places: KnowledgePlaces;
  readonly now: Date;
  readonly takeLock: TakeLock;
}

type Document = Pick<UsageLine, "document" | "type">;

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
  makeDirectory(places.stateDir);
  const lock = await takeLock(`${file}.lock`);
  try {
    await addUsage(file, { lock, now, sessionId: id }, (recorded) =>
      seen.flatMap(({ document, type, times }) => {
        const missing = Math.max(0, times - (recorded.get(document) ?? 0));
        return Array.from({ length: missing }, () => ({ document, type, session_id: id, used_at: now.toISOString() }));
      }),
    );
  } finally {
    lock.release();
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
