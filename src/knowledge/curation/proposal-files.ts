/** Proposals that come from no session: of documents, or of somebody who proposed one. A file per batch, never changed. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isJsonObject, type Json } from "../../core/json.ts";
import { replaceFile } from "../base/write.ts";
import type { HeldLock } from "../lock.ts";
import type { KnowledgePlaces } from "../places.ts";
import type { ProposedNode } from "./contracts.ts";

export interface Batch {
  readonly id: string;
  /** What the proposals were made of: a file of the project, or who proposed them. */
  readonly from: string;
  /** What else they come from. */
  readonly alsoFrom: readonly string[];
  readonly madeAt: string;
  /** Where they would go, from nodes/ down. */
  readonly folder: string | undefined;
  readonly proposals: readonly Json[];
  /** Origins of proposals that these stand in place of. */
  readonly supersedes: readonly string[];
}

export interface NewBatch {
  readonly from: string;
  readonly madeAt: string;
  readonly alsoFrom?: readonly string[];
  readonly folder?: string | undefined;
  readonly candidates: readonly ProposedNode[];
  readonly supersedes?: readonly string[];
}

const proposalsDir = ({ dir }: KnowledgePlaces) => join(dir, "_proposals");

/**
 * Under the lock of the base. What a person proposes has the same id whenever they say the same, and is written once. Of
 * documents only what does not stand is proposed: where it was before, and was taken back, it gets an id of its own.
 */
export function addBatch(
  { places, lock }: { readonly places: KnowledgePlaces; readonly lock: HeldLock },
  kind: "docs" | "person",
  batch: NewBatch,
): { readonly id: string; readonly isNew: boolean } {
  const isTaken = (id: string) => existsSync(batchFile(places, id));
  let id = batchId(kind, batch, 0);
  for (let round = 1; kind === "docs" && isTaken(id); round++) id = batchId(kind, batch, round);
  if (isTaken(id)) return { id, isNew: false };
  const { from, alsoFrom = [], madeAt, folder, candidates, supersedes = [] } = batch;
  const data = {
    schema_version: 1,
    from,
    ...(alsoFrom.length > 0 ? { also_from: alsoFrom } : {}),
    made_at: madeAt,
    folder: folder ?? null,
    ...(supersedes.length > 0 ? { supersedes } : {}),
    proposals: candidates,
  };
  replaceFile(batchFile(places, id), `${JSON.stringify(data, null, 2)}\n`, lock);
  return { id, isNew: true };
}

const batchFile = (places: KnowledgePlaces, id: string) => join(proposalsDir(places), `${id}.json`);

function batchId(
  kind: string,
  { from, alsoFrom = [], folder, candidates, supersedes = [] }: NewBatch,
  round: number,
): string {
  const more = [
    ...(folder === undefined || folder === "" ? [] : [{ folder }]),
    ...(alsoFrom.length > 0 ? [{ alsoFrom }] : []),
    ...(supersedes.length > 0 ? [supersedes] : []),
    ...(round > 0 ? [{ round }] : []),
  ];
  const digest = createHash("sha256")
    .update(JSON.stringify([from, candidates, ...more]))
    .digest("hex");
  return `${kind}-${digest.slice(0, 12)}`;
}

/** Names a proposal of a batch for good. */
export const originIn = ({ id }: Pick<Batch, "id">, value: Json, index: number): string =>
  `${id}:${isJsonObject(value) && value.type === "map" ? "map" : "practice"}:${index}`;

export const isOfDocument = ({ id }: Pick<Batch, "id">): boolean => id.startsWith("docs-");

/** The same for what says the same, whoever wrote it down in which order. */
export function contentOf(value: Json | ProposedNode): string {
  if (!isJsonObject(value)) return JSON.stringify(value);
  const { type, title, description, tags, body, confidence } = value;
  return JSON.stringify([type, title, description, tags, body, confidence]);
}

/** What stands no more, because a later batch was made in its place. */
export const supersededIn = (batches: readonly Batch[]): ReadonlySet<string> =>
  new Set(batches.flatMap(({ supersedes }) => supersedes));

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
      if (data.schema_version !== 1) throw new Error(`its schema_version is ${data.schema_version}, not 1`);
      batches.push({
        id: basename(file, ".json"),
        from: typeof data.from === "string" ? data.from : "",
        alsoFrom: texts(data.also_from),
        madeAt: typeof data.made_at === "string" ? data.made_at : "",
        folder: typeof data.folder === "string" ? data.folder : undefined,
        proposals: data.proposals,
        supersedes: texts(data.supersedes),
      });
    } catch (error) {
      problems.push({ file, message: `cannot be used: ${(error as Error).message}` });
    }
  }
  return { batches, problems };
}

const texts = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

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
