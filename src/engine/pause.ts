/** A maintenance window: a person switches enforcement off for a while, in one project; it closes by itself. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileNameFor, type Places } from "../config/places.ts";
import { writePrivateFile } from "../config/private-file.ts";
import type { Hook } from "../core/hook.ts";

export interface Pause {
  readonly root: string;
  readonly from: string;
  readonly until: string;
}

export const MAX_MINUTES = 120;

const known = new WeakMap<Places, Map<string, string>>();

/** Asked for on every call, and always the same. */
function pauseFile(root: string, places: Places): string {
  const files = known.get(places) ?? new Map<string, string>();
  known.set(places, files);
  const file = files.get(root) ?? join(places.stateDir, "pauses", `${fileNameFor(root)}.json`);
  files.set(root, file);
  return file;
}

/** The window that is open at a time, if one is. A clock that was set back does not open an old one. */
export function openPause(root: string, places: Places, at: Date): Pause | undefined {
  const file = pauseFile(root, places);
  // There is hardly ever one, and a failed read costs more than a look.
  if (!existsSync(file)) return undefined;
  try {
    const pause = JSON.parse(readFileSync(file, "utf8")) as Pause;
    const now = at.toISOString();
    const minutes = (Date.parse(pause.until) - Date.parse(pause.from)) / 60_000;
    return pause.root === root && minutes <= MAX_MINUTES && pause.from <= now && now < pause.until ? pause : undefined;
  } catch {
    return undefined;
  }
}

export function startPause(root: string, minutes: number, places: Places, at: Date): Pause {
  const pause = { root, from: at.toISOString(), until: new Date(at.getTime() + minutes * 60_000).toISOString() };
  const file = pauseFile(root, places);
  writePrivateFile(file, JSON.stringify(pause));
  return pause;
}

export const endPause = (root: string, places: Places) => rmSync(pauseFile(root, places), { force: true });

/** Hooks go on judging and recording; only managed ones and what keeps agents from ruling themselves still decide. */
export const pausedHooks = (hooks: readonly Hook[]): Hook[] =>
  hooks.map((hook) => (hook.layer === "managed" || hook.name === "person-only" ? hook : { ...hook, mode: "observe" }));
