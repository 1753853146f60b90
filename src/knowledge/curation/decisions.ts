/** What a person decided on each proposal, and how to take it back. Theirs alone: what came of it is in git. */
import { readFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import { replaceFile } from "../base/write.ts";
import type { HeldLock } from "../lock.ts";
import type { KnowledgePlaces } from "../places.ts";

export const DECISIONS = ["accepted", "merged", "rejected", "conflict", "later"] as const;

export interface Decision {
  readonly decision: (typeof DECISIONS)[number];
  readonly at: string;
  readonly nodeId?: string;
  /** The file that was written, from the knowledge folder down, as it was and as it became. */
  readonly undo?: { readonly file: string; readonly before: string | null; readonly after: string };
}

/** By origin, in the order they were taken. */
export type Decisions = ReadonlyMap<string, Decision>;

const fileOf = ({ stateDir }: KnowledgePlaces) => join(stateDir, "curation.json");

/** Damage is an error: to go on as if nothing had been decided would propose all of it again. */
export function readDecisions(places: KnowledgePlaces): Decisions {
  const file = fileOf(places);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return new Map();
    throw error;
  }
  const damaged = (why: string, hint = "delete the file to decide all open proposals again") =>
    new HoldfastError("HF1109", `what was decided on proposals cannot be read: ${why}`, { file, hint });
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw damaged((error as Error).message);
  }
  if (!isJsonObject(data) || !Array.isArray(data.decisions)) throw damaged("it holds no list of decisions");
  // To write it again would lose what this release knows nothing of.
  if (data.schema_version !== 1)
    throw damaged(
      `its schema_version is ${JSON.stringify(data.schema_version)}, not 1`,
      "a newer release of Holdfast wrote it: use that one here",
    );
  const entryOf = (entry: Json): [string, Decision] => {
    if (!isJsonObject(entry) || typeof entry.origin !== "string") throw damaged("an entry names no proposal");
    const { origin, ...decision } = entry;
    if (!DECISIONS.some((known) => known === decision.decision)) throw damaged(`${origin} has no decision we know`);
    if (!isUndo(decision.undo, places)) throw damaged(`how ${origin} is taken back is no file of nodes or conflicts`);
    return [origin, decision as unknown as Decision];
  };
  const decided = new Map(data.decisions.map(entryOf));
  if (data.begun === undefined) return decided;
  const [origin, begun] = entryOf(data.begun);
  return isDone(begun, places) ? withDecision(decided, origin, begun) : decided;
}

/** Whoever began it was killed: it counts once its file is as it was to become. */
function isDone({ undo }: Decision, { dir }: KnowledgePlaces): boolean {
  if (!undo) return false;
  try {
    return readFileSync(join(dir, undo.file), "utf8") === undo.after;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

/** What lies in the state folder may have come with a repository: it names no file but those a decision writes. */
function isUndo(undo: Json | undefined, { dir, nodesDir, conflictsDir }: KnowledgePlaces): boolean {
  if (undo === undefined) return true;
  if (!isJsonObject(undo)) return false;
  const { file, before, after } = undo;
  if (typeof file !== "string" || typeof after !== "string") return false;
  if (before !== null && typeof before !== "string") return false;
  const path = resolve(dir, file);
  return path.endsWith(".md") && [nodesDir, conflictsDir].some((folder) => path.startsWith(folder + sep));
}

/** How many of the latest can be taken back; of older ones only what was decided is kept. */
const UNDO_LIMIT = 50;

/** Under the lock of the base. `begun`: what is going to be done next, so that it can be taken back whoever is killed in it. */
export function writeDecisions(
  places: KnowledgePlaces,
  decisions: Decisions,
  lock: HeldLock,
  begun?: Decision & { readonly origin: string },
): void {
  const entries = [...decisions];
  const kept = entries.map(([origin, { undo, ...rest }], index) => ({
    origin,
    ...rest,
    ...(undo !== undefined && index >= entries.length - UNDO_LIMIT ? { undo } : {}),
  }));
  const data = { schema_version: 1, decisions: kept, ...(begun ? { begun } : {}) };
  replaceFile(fileOf(places), `${JSON.stringify(data, null, 2)}\n`, lock);
}

/** Newest last, whatever was decided on it before. */
export const withDecision = (decisions: Decisions, origin: string, decision: Decision): Decisions =>
  new Map([...[...decisions].filter(([other]) => other !== origin), [origin, decision]]);
