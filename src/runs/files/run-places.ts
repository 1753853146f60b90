/** Where runs lie: `<root>/<repo>/<id>/`. An id is looked for in the caller's repository, then "unknown", then all. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import type { Attachment } from "../run.ts";
import { codeOf } from "./disk.ts";

/** Without i, l, o and u, so that people can read it out. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const ID = new RegExp(`^[${ALPHABET}]{6}$`);

export const isRunId = (text: string): boolean => ID.test(text);

export function newRunId(randomBytes: (count: number) => Uint8Array): string {
  return [...randomBytes(6)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** One segment of a path, whatever a repository is called. */
export const bucketOf = (repo: string): string => {
  const name = repo.toLowerCase().replace(/[^a-z0-9._-]/g, "-");
  return name === "" || name.startsWith(".") ? `_${name}` : name;
};

/** Of one attachment a place for each content: what a change puts somewhere is never what it removes. */
export const attachmentPlace = ({ id, sha256, name }: Pick<Attachment, "id" | "sha256" | "name">): string =>
  join("attachments", id, sha256.slice(0, 16), name);

export const runFile = (directory: string): string => join(directory, "run.json");

export function findRun(root: string, callersRepo: string, id: string): string | undefined {
  if (!isRunId(id)) return undefined;
  const isThere = (bucket: string) => existsSync(runFile(join(root, bucket, id)));
  for (const bucket of [bucketOf(callersRepo), "unknown"]) if (isThere(bucket)) return join(root, bucket, id);
  const found = namesIn(root).filter((bucket) => !bucket.startsWith(".") && isThere(bucket));
  if (found.length > 1) throw new HoldfastError("HF1022", `run ${id} is there in ${found.join(" and ")}`);
  return found[0] === undefined ? undefined : join(root, found[0], id);
}

export interface FoundRun {
  readonly id: string;
  readonly directory: string;
}

/** Every directory that may hold a run. */
export function allRuns(root: string, repo: string | undefined): FoundRun[] {
  const buckets = repo === undefined ? namesIn(root).filter((name) => !name.startsWith(".")) : [bucketOf(repo)];
  return buckets.flatMap((bucket) =>
    namesIn(join(root, bucket))
      .filter(isRunId)
      .map((id) => ({ id, directory: join(root, bucket, id) })),
  );
}

export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return [];
    throw error;
  }
}
