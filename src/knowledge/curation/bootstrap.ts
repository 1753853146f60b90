/** Makes proposals of the project's own documents. What did not change is not read again; no node is ever written. */
import { createHash } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import { redact } from "../../core/redact.ts";
import { byCodePoint } from "../base/author-text.ts";
import { gitList, isGitProblem } from "../base/git.ts";
import { replaceFile } from "../base/write.ts";
import { KNOWLEDGE_FOLDER, type KnowledgePlaces } from "../places.ts";
import type { KnowledgeSettings } from "../settings.ts";
import type { Candidate } from "./contracts.ts";
import type { Curator } from "./curate.ts";
import { addBatch } from "./proposal-files.ts";
import { splitDocument } from "./split-document.ts";

export interface DocumentOutcome {
  readonly path: string;
  readonly outcome: "proposed" | "unchanged" | "empty" | "skipped";
  readonly proposals: number;
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
  const work = (): Bootstrapped => {
    const seen = new Map(readSeen(places));
    const documents = paths.map((path) => proposedOf(path, seen, curator, dryRun));
    if (!dryRun) writeSeen(places, seen);
    return { documents, proposals: documents.reduce((sum, { proposals }) => sum + proposals, 0) };
  };
  return dryRun ? work() : curator.exclusively(places.baseLock, work);
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
  const below = from?.replace(/^\.\//, "").replace(/\/+$/, "");
  return listed
    .filter(
      (path) => below === undefined || below === "." || below === "" || path === below || path.startsWith(`${below}/`),
    )
    .filter((path) => !isStaticSkip(path) && (docs.include.length > 0 || !isOfTools(path)))
    .sort(byCodePoint);
}

/** Folders of tools: what agents are told there, our own skills too, is nothing the project teaches. */
const isOfTools = (path: string): boolean => /(?:^|\/)\.[^/]+\//.test(path);

const isStaticSkip = (path: string): boolean =>
  path.startsWith(`${KNOWLEDGE_FOLDER}/`) ||
  /(?:^|\/)(?:node_modules|vendor|\.git|fixtures?)\//.test(path) ||
  /(?:^|\/)(?:licen[cs]e|copying|notice|changelog|changes|history|authors|contributors|code_of_conduct|security|index|summary|claude|agents|gemini)\b[^/]*$/i.test(
    path,
  );

function proposedOf(
  path: string,
  seen: Map<string, string>,
  { places, now }: Curator,
  dryRun: boolean,
): DocumentOutcome {
  const skipped = (why: string): DocumentOutcome => ({ path, outcome: "skipped", proposals: 0, why });
  const file = join(places.root, path);
  const stat = lstatSync(file, { throwIfNoEntry: false });
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
  const candidates = splitDocument(path, bytes.toString("utf8")).map(withoutSecrets);
  seen.set(path, digest);
  if (candidates.length === 0) return { path, outcome: "empty", proposals: 0 };
  if (!dryRun) addBatch(places, "docs", { from: path, madeAt: now().toISOString(), candidates });
  return { path, outcome: "proposed", proposals: candidates.length };
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

function writeSeen(places: KnowledgePlaces, seen: ReadonlyMap<string, string>): void {
  const docs = Object.fromEntries(
    [...seen].sort(([a], [b]) => byCodePoint(a, b)).map(([path, content_sha256]) => [path, { content_sha256 }]),
  );
  replaceFile(seenFile(places), `${JSON.stringify({ schema_version: 1, docs }, null, 2)}\n`);
}
