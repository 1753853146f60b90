/** Makes proposals of the project's own documents. What did not change is not read again; no node is ever written. */
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import { redact } from "../../core/redact.ts";
import { byCodePoint } from "../base/author-text.ts";
import { held } from "../base/change-nodes.ts";
import { gitList, isGitProblem } from "../base/git.ts";
import { replaceFile } from "../base/write.ts";
import type { HeldLock } from "../lock.ts";
import { KNOWLEDGE_FOLDER, type KnowledgePlaces } from "../places.ts";
import type { KnowledgeSettings } from "../settings.ts";
import type { Candidate } from "./contracts.ts";
import type { Curator } from "./curate.ts";
import { readDecisions } from "./decisions.ts";
import { addBatch, contentOf, isOfDocument, originIn, readBatches, supersededIn } from "./proposal-files.ts";
import { putOffAgain } from "./put-off-again.ts";
import { splitDocument } from "./split-document.ts";

export interface DocumentOutcome {
  readonly path: string;
  /** known: it changed, and all it teaches was proposed before. */
  readonly outcome: "proposed" | "unchanged" | "known" | "empty" | "skipped" | "gone";
  readonly proposals: number;
  /** So many that waited are taken back: the document does not say it any more. */
  readonly superseded?: number;
  readonly why?: string;
}

export interface Bootstrapped {
  readonly documents: readonly DocumentOutcome[];
  readonly proposals: number;
}

const MAX_BYTES = 1024 * 1024;

export async function bootstrap(
  curator: Curator,
  docs: KnowledgeSettings["docs"],
  { from, dryRun = false }: { readonly from?: string | undefined; readonly dryRun?: boolean } = {},
): Promise<Bootstrapped> {
  const { places } = curator;
  const paths = await findDocuments(places, docs, from);
  const seenBefore = new Map(readSeen(places));
  // Read and cut before the lock is taken: others change the base meanwhile.
  const read = paths.map((path) => readDocument(path, places, seenBefore));
  const isMeant = isBelow(from);
  const isGone = (path: string) => isMeant(path) && statOf(places, path) === undefined;
  if (dryRun) return summed(read, proposalsBefore(places), isGone, undefined);
  return held(curator, ({ lock }) => {
    const madeAt = curator.now().toISOString();
    const made = summed(read, proposalsBefore(places), isGone, (path, candidates, supersedes) => {
      addBatch({ places, lock }, "docs", { from: path, madeAt, candidates, supersedes });
    });
    putOffAgain(places, lock);
    const seen = new Map(readSeen(places));
    for (const document of read) if ("digest" in document) seen.set(document.path, document.digest);
    // One that comes back is read again.
    for (const { path, outcome } of made.documents) if (outcome === "gone") seen.delete(path);
    writeSeen(places, seen, lock);
    return made;
  });
}

type Propose = (path: string, candidates: readonly Candidate[], supersedes: readonly string[]) => void;

function summed(
  read: readonly (ReadDocument | DocumentOutcome)[],
  before: ReadonlyMap<string, readonly Known[]>,
  isGone: (path: string) => boolean,
  propose: Propose | undefined,
): Bootstrapped {
  const gone = [...before].flatMap(([path, known]) => (isGone(path) ? takenBack(path, known, propose) : []));
  const found = read.map((document) =>
    "outcome" in document ? document : proposedOf(document, before.get(document.path) ?? [], propose),
  );
  const documents = [...found.filter(({ path }) => !gone.some((one) => one.path === path)), ...gone];
  return { documents, proposals: documents.reduce((sum, { proposals }) => sum + proposals, 0) };
}

/** Markdown that git has, without what teaches nothing and what the config leaves out. */
export async function findDocuments(
  places: KnowledgePlaces,
  docs: KnowledgeSettings["docs"],
  from?: string,
): Promise<string[]> {
  const wanted = docs.include.length === 0 ? ["*.md"] : docs.include.map((glob) => `:(glob)${glob}`);
  const left = docs.exclude.map((glob) => `:(exclude,glob)${glob}`);
  const which = ["--cached", "--others", "--exclude-standard", "--deduplicate"];
  const listed = await gitList(places.root, ["ls-files", "-z", ...which, "--", ...wanted, ...left]);
  if (isGitProblem(listed))
    throw new HoldfastError("HF1111", `the project's documents cannot be listed: ${listed.problem}`, {
      hint: "run it in a git repository: what git ignores is not read",
    });
  return listed
    .filter(isBelow(from))
    .filter((path) => !isStaticSkip(path) && (docs.include.length > 0 || !isOfTools(path)))
    .sort(byCodePoint);
}

function isBelow(from: string | undefined): (path: string) => boolean {
  const below = from?.replace(/^\.\//, "").replace(/\/+$/, "");
  if (below === undefined || below === "." || below === "") return () => true;
  return (path) => path === below || path.startsWith(`${below}/`);
}

/** Undefined: nothing is there, nor where a file stands in place of a folder above it. */
function statOf(places: KnowledgePlaces, path: string): Stats | undefined {
  try {
    return lstatSync(join(places.root, path), { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Folders of tools: what agents are told there, our own skills too, is nothing the project teaches. */
const isOfTools = (path: string): boolean => /(?:^|\/)\.[^/]+\//.test(path);

const isStaticSkip = (path: string): boolean =>
  path.startsWith(`${KNOWLEDGE_FOLDER}/`) ||
  /(?:^|\/)(?:node_modules|vendor|\.git|fixtures?)\//.test(path) ||
  /(?:^|\/)(?:licen[cs]e|copying|notice|changelog|changes|history|authors|contributors|code_of_conduct|security|index|summary|claude|agents|gemini)\b[^/]*$/i.test(
    path,
  );

interface ReadDocument {
  readonly path: string;
  readonly digest: string;
  readonly candidates: readonly Candidate[];
}

function readDocument(
  path: string,
  places: KnowledgePlaces,
  seen: ReadonlyMap<string, string>,
): ReadDocument | DocumentOutcome {
  const skipped = (why: string): DocumentOutcome => ({ path, outcome: "skipped", proposals: 0, why });
  const file = join(places.root, path);
  const stat = statOf(places, path);
  if (!stat?.isFile()) return skipped("it is no plain file");
  if (stat.size > MAX_BYTES) return skipped(`it is larger than ${MAX_BYTES} bytes`);
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    return skipped((error as Error).message);
  }
  const digest = createHash("sha256").update(bytes).digest("hex");
  if (seen.get(path) === digest) return { path, outcome: "unchanged", proposals: 0 };
  return { path, digest, candidates: splitDocument(path, bytes.toString("utf8")).map(withoutSecrets) };
}

/** A proposal that was made of a document before, and stands. */
interface Known {
  readonly origin: string;
  readonly content: string;
  readonly isDecided: boolean;
}

/** By document. */
function proposalsBefore(places: KnowledgePlaces): ReadonlyMap<string, readonly Known[]> {
  const { batches } = readBatches(places);
  const superseded = supersededIn(batches);
  const decisions = readDecisions(places);
  const byPath = new Map<string, Known[]>();
  for (const batch of batches) {
    if (!isOfDocument(batch)) continue;
    const known = batch.proposals.map((value, index) => {
      const origin = originIn(batch, value, index);
      const decided = decisions.get(origin)?.decision;
      return { origin, content: contentOf(value), isDecided: decided !== undefined && decided !== "later" };
    });
    const standing = known.filter(({ origin }) => !superseded.has(origin));
    byPath.set(batch.from, [...(byPath.get(batch.from) ?? []), ...standing]);
  }
  return byPath;
}

/** Only what is new; what waits and is not said any more is taken back with it. */
function proposedOf(
  { path, candidates }: ReadDocument,
  before: readonly Known[],
  propose: Propose | undefined,
): DocumentOutcome {
  const known = new Set(before.map(({ content }) => content));
  const said = new Set(candidates.map(contentOf));
  const fresh = candidates.filter((candidate) => !known.has(contentOf(candidate)));
  const stale = before.filter(({ content, isDecided }) => !isDecided && !said.has(content));
  if (fresh.length + stale.length > 0)
    propose?.(
      path,
      fresh,
      stale.map(({ origin }) => origin),
    );
  const outcome = fresh.length > 0 ? "proposed" : candidates.length > 0 ? "known" : "empty";
  return { path, outcome, proposals: fresh.length, ...(stale.length > 0 ? { superseded: stale.length } : {}) };
}

/** Of a document that was deleted or renamed: what waits of it, nobody says any more. What was decided stays. */
function takenBack(path: string, before: readonly Known[], propose: Propose | undefined): DocumentOutcome[] {
  const waiting = before.filter(({ isDecided }) => !isDecided).map(({ origin }) => origin);
  if (waiting.length === 0) return [];
  propose?.(path, [], waiting);
  return [{ path, outcome: "gone", proposals: 0, superseded: waiting.length }];
}

const withoutSecrets = (candidate: Candidate): Candidate => ({
  ...candidate,
  title: redact(candidate.title),
  description: redact(candidate.description),
  body: redact(candidate.body),
});

const seenFile = ({ stateDir }: KnowledgePlaces) => join(stateDir, "bootstrap-state.json");

/** Path -> hash of what was read. A damaged file only means that documents are read once more: proposals have one name. */
function readSeen(places: KnowledgePlaces): [string, string][] {
  try {
    const data: unknown = JSON.parse(readFileSync(seenFile(places), "utf8"));
    const docs: Json = isJsonObject(data) ? (data.docs ?? {}) : {};
    return isJsonObject(docs)
      ? Object.entries(docs).flatMap(([path, entry]): [string, string][] =>
          isJsonObject(entry) && typeof entry.content_sha256 === "string" ? [[path, entry.content_sha256]] : [],
        )
      : [];
  } catch {
    return [];
  }
}

function writeSeen(places: KnowledgePlaces, seen: ReadonlyMap<string, string>, lock: HeldLock): void {
  const docs = Object.fromEntries(
    [...seen].sort(([a], [b]) => byCodePoint(a, b)).map(([path, content_sha256]) => [path, { content_sha256 }]),
  );
  replaceFile(seenFile(places), `${JSON.stringify({ schema_version: 1, docs }, null, 2)}\n`, lock);
}
