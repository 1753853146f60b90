/** Files that hooks attach wait in `staging/` until the change that names them is stored; then they move, or go. */
import { createHash, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream, rmSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { HoldfastError } from "../../core/errors.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import { attachmentProblem, limitProblem, MAX_FILE_BYTES, mimeTypeOf } from "../attachment-rules.ts";
import type { StageAttachments } from "../hooks/engine.ts";
import type { Attachment } from "../run.ts";
import type { FileChange } from "../store.ts";
import { identityOf, isAlive } from "./process-identity.ts";
import { readStored } from "./run-file.ts";
import { namesIn, attachmentPlace as placeOf } from "./run-places.ts";

export interface Staging {
  readonly stage: StageAttachments;
  /** How the files follow, when the attachments become `after`. */
  readonly filesFor: (
    before: readonly Attachment[],
    after: readonly Attachment[],
    /** Their bytes stay: `reset` goes back to them. */
    seed?: readonly Attachment[],
  ) => readonly FileChange[];
  /** What was not taken goes; what a stored change has still to move stays for whoever settles it. */
  readonly close: () => void;
}

/** In the run's directory, of this process: what it leaves there when it dies is swept. */
export function stagingPlace(): string {
  const { pid, startedAt } = identityOf(process.pid);
  return join("staging", `${pid}-${startedAt ?? 0}-${randomBytes(4).toString("hex")}`);
}

export function openStaging(directory: string, cwd: string, now: () => Date): Staging {
  const place = stagingPlace();
  /** Where the bytes of an attachment wait, by its id and sum: a later hook may replace what an earlier one added. */
  const waiting = new Map<string, string>();
  let isOpen = false;

  const take = async (source: string, given: Partial<Pick<Attachment, "name" | "mimeType">>, id: string) => {
    const name = given.name ?? basename(source);
    const problem = attachmentProblem(name);
    if (problem) throw new HoldfastError("HF1029", problem);
    const path = join(place, randomBytes(6).toString("hex"));
    isOpen = true;
    makeDirectory(join(directory, place), 0o700);
    const { bytes, sha256 } = await copy(resolve(cwd, source), join(directory, path));
    const attachment: Attachment = {
      id,
      name,
      mimeType: given.mimeType ?? mimeTypeOf(name),
      bytes,
      sha256,
      addedAt: now().toISOString(),
    };
    waiting.set(keyOf(attachment), path);
    return attachment;
  };

  return {
    async stage(changes, current) {
      const known = (id: string) => {
        if (!current.some((attachment) => attachment.id === id)) {
          throw new HoldfastError("HF1029", `there is no attachment ${id}`);
        }
      };
      for (const id of changes.remove ?? []) known(id);
      let after = current.filter(({ id }) => !changes.remove?.includes(id));
      for (const { attachmentId, sourcePath, ...given } of changes.replace ?? []) {
        known(attachmentId);
        const before = after.find(({ id }) => id === attachmentId);
        const taken = await take(sourcePath, { name: before?.name ?? basename(sourcePath), ...given }, attachmentId);
        after = after.map((attachment) => (attachment.id === attachmentId ? taken : attachment));
      }
      for (const { sourcePath, ...given } of changes.add ?? []) {
        after = [...after, await take(sourcePath, given, newAttachmentId())];
      }
      const problem = limitProblem(after);
      if (problem) throw new HoldfastError("HF1029", problem);
      return after;
    },
    filesFor(before, after, seed = []) {
      const added = after.flatMap((attachment): FileChange[] => {
        const from = waiting.get(keyOf(attachment));
        return from === undefined || isIn(before, attachment) ? [] : [{ from, to: placeOf(attachment) }];
      });
      return [...filesWithout(before, [...after, ...seed]), ...added];
    },
    close: () => {
      if (!isOpen) return;
      const owed = owedFrom(directory);
      for (const path of waiting.values()) if (!owed.has(path)) rmSync(join(directory, path), { force: true });
      if (!namesIn(join(directory, place)).some((name) => owed.has(join(place, name))))
        rmSync(join(directory, place), { recursive: true, force: true });
    },
  };
}

const owedFrom = (directory: string): ReadonlySet<string> =>
  new Set((readStored(directory)?.files ?? []).flatMap((change) => ("from" in change ? [change.from] : [])));

/** What processes that died left there. */
export function sweepStaging(directory: string): void {
  const staging = join(directory, "staging");
  const here = identityOf(process.pid).scope;
  for (const name of namesIn(staging)) {
    const [pid, startedAt] = name.split("-");
    const owner = { pid: Number(pid), startedAt: startedAt === "0" ? null : (startedAt ?? null), scope: here };
    if (isAlive(owner) === false) rmSync(join(staging, name), { recursive: true, force: true });
  }
}

/** What goes, when only `kept` stay. */
export const filesWithout = (before: readonly Attachment[], kept: readonly Attachment[]): readonly FileChange[] =>
  before.filter((attachment) => !isIn(kept, attachment)).map((attachment) => ({ remove: placeOf(attachment) }));

const isIn = (list: readonly Attachment[], one: Attachment) => list.some((each) => keyOf(each) === keyOf(one));

const keyOf = ({ id, sha256, name }: Attachment) => `${id} ${sha256} ${name}`;

const newAttachmentId = () => `att-${randomBytes(3).toString("hex")}`;

async function copy(source: string, target: string): Promise<{ bytes: number; sha256: string }> {
  if (!statSync(source, { throwIfNoEntry: false })?.isFile()) {
    throw new HoldfastError("HF1029", `${source} is no file that can be attached`);
  }
  const hash = createHash("sha256");
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      const tooMuch = bytes > MAX_FILE_BYTES;
      done(tooMuch ? new HoldfastError("HF1029", `${source} is larger than 25 MiB`) : null, chunk);
    },
  });
  await pipeline(createReadStream(source), measure, createWriteStream(target, { mode: 0o600, flush: true }));
  return { bytes, sha256: hash.digest("hex") };
}
