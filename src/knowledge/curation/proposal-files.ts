/** Proposals that come from no session: of documents, or of somebody who proposed one. A file per batch, never changed. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isJsonObject, type Json } from "../../core/json.ts";
import { replaceFile } from "../base/write.ts";
import type { KnowledgePlaces } from "../places.ts";
import type { Candidate } from "./contracts.ts";

export interface Batch {
  readonly id: string;
  /** What the proposals were made of: a file of the project, or who proposed them. */
  readonly from: string;
  readonly madeAt: string;
  /** Where they would go, from nodes/ down. */
  readonly folder: string | undefined;
  readonly proposals: readonly Json[];
}

const proposalsDir = ({ dir }: KnowledgePlaces) => join(dir, "_proposals");

/** The same content has the same id, and is written once. */
export function addBatch(
  places: KnowledgePlaces,
  kind: "docs" | "person",
  {
    from,
    madeAt,
    folder,
    candidates,
  }: Omit<Batch, "id" | "proposals" | "folder"> & { folder?: string | undefined; candidates: readonly Candidate[] },
): { readonly id: string; readonly isNew: boolean } {
  const digest = createHash("sha256")
    .update(JSON.stringify([from, candidates]))
    .digest("hex");
  const id = `${kind}-${digest.slice(0, 12)}`;
  const file = join(proposalsDir(places), `${id}.json`);
  if (existsSync(file)) return { id, isNew: false };
  const data = { schema_version: 1, from, made_at: madeAt, folder: folder ?? null, proposals: candidates };
  replaceFile(file, `${JSON.stringify(data, null, 2)}\n`);
  return { id, isNew: true };
}

export interface BatchProblem {
  readonly file: string;
  readonly message: string;
}

export function readBatches(places: KnowledgePlaces): { batches: readonly Batch[]; problems: readonly BatchProblem[] } {
  const batches: Batch[] = [];
  const problems: BatchProblem[] = [];
  for (const file of batchFiles(places)) {
    try {
      const data: unknown = JSON.parse(readFileSync(file, "utf8"));
      if (!isJsonObject(data) || !Array.isArray(data.proposals)) throw new Error("it holds no proposals");
      batches.push({
        id: basename(file, ".json"),
        from: typeof data.from === "string" ? data.from : "",
        madeAt: typeof data.made_at === "string" ? data.made_at : "",
        folder: typeof data.folder === "string" ? data.folder : undefined,
        proposals: data.proposals,
      });
    } catch (error) {
      problems.push({ file, message: `cannot be used: ${(error as Error).message}` });
    }
  }
  return { batches, problems };
}

function batchFiles(places: KnowledgePlaces): string[] {
  try {
    return readdirSync(proposalsDir(places))
      .filter((name) => /^[a-z]+-[0-9a-f]+\.json$/.test(name))
      .sort()
      .map((name) => join(proposalsDir(places), name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
