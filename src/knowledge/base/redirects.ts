/** Old ids and what became of them, so that references outlive a split or a merge. */
import { readFileSync } from "node:fs";
import { isJsonObject } from "../../core/json.ts";
import { byCodePoint } from "./author-text.ts";

export interface Redirects {
  readonly targets: ReadonlyMap<string, readonly string[]>;
  /** Why the file counts as empty. */
  readonly problem?: string;
}

/** A file that is missing or damaged counts as empty; the damage is told. */
export function readRedirects(file: string): Redirects {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { targets: new Map() };
    return { targets: new Map(), problem: `cannot be read: ${(error as Error).message}` };
  }
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return { targets: new Map(), problem: "is not valid JSON, so no redirect is followed" };
  }
  if (!isJsonObject(data)) return { targets: new Map(), problem: "holds no object, so no redirect is followed" };
  const targets = new Map<string, readonly string[]>();
  const wrong: string[] = [];
  for (const [old, now] of Object.entries(data)) {
    if (Array.isArray(now) && now.every((id) => typeof id === "string")) targets.set(old, now as string[]);
    else wrong.push(old);
  }
  return wrong.length === 0
    ? { targets }
    : { targets, problem: `has no list of ids for ${wrong.sort(byCodePoint).join(", ")}` };
}

/** The live ids an id stands for, through any number of steps and around any circle. */
export function resolveId(id: string, isLive: (id: string) => boolean, { targets }: Redirects): string[] {
  const seen = new Set<string>();
  const live = new Set<string>();
  const waiting = [id];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (isLive(next)) live.add(next);
    else waiting.push(...(targets.get(next) ?? []));
  }
  return [...live].sort(byCodePoint);
}
