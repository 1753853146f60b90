/** Whether what people said in sessions stays out of git, as git itself sees it. */
import { existsSync, readFileSync } from "node:fs";
import { KNOWLEDGE_FOLDER, type KnowledgePlaces } from "../places.ts";
import { gitList, isGitProblem } from "./git.ts";
import { areLinesPresent, PRIVATE_FOLDERS } from "./ignore-lines.ts";

export type Privacy =
  | { readonly kind: "private" }
  /** It is in git already: no line in a .gitignore takes it out. */
  | { readonly kind: "tracked"; readonly files: readonly string[] }
  | { readonly kind: "exposed"; readonly folders: readonly string[] };

export async function privacy(places: KnowledgePlaces): Promise<Privacy> {
  const folders = PRIVATE_FOLDERS.map((name) => `${KNOWLEDGE_FOLDER}/${name}`);
  const tracked = await gitList(places.root, ["ls-files", "-z", "--", ...folders]);
  // Outside git the lines are what counts once it comes into one.
  if (isGitProblem(tracked)) return areLinesThere(places) ? { kind: "private" } : { kind: "exposed", folders };
  if (tracked.length > 0) return { kind: "tracked", files: tracked };
  const probes = folders.map((folder) => `${folder}/a-file-of-its-own`);
  const ignored = await gitList(places.root, ["check-ignore", "--", ...probes], NONE_IGNORED);
  // Between line ends: with names given as words it knows no other way.
  const isIgnored = new Set(isGitProblem(ignored) ? [] : ignored.flatMap((lines) => lines.split("\n")));
  const exposed = folders.filter((_, index) => !isIgnored.has(probes[index] ?? ""));
  return exposed.length === 0 ? { kind: "private" } : { kind: "exposed", folders: exposed };
}

const NONE_IGNORED = 1;

function areLinesThere({ ignoreFile }: KnowledgePlaces): boolean {
  const text = existsSync(ignoreFile) ? readFileSync(ignoreFile, "utf8") : undefined;
  return areLinesPresent(text);
}
