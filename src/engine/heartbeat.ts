/** Once a session each host leaves a sign that it really calls us: what `doctor` goes by. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileNameFor, type Places } from "../config/places.ts";
import { writePrivateFile } from "../config/private-file.ts";
import type { AgentEvent } from "../core/event.ts";
import type { ReadyEngine } from "./ready.ts";
import type { SessionMemory } from "./session-memory.ts";
import { VERSION } from "./version.ts";

export interface Heartbeat {
  readonly host: string;
  /** The project. */
  readonly root: string;
  readonly at: string;
  readonly session: string;
  /** Holdfast's own. */
  readonly version: string;
}

const SIGN = "heartbeat";

/** In the life of this process: the file need not be looked at for every call. */
const left = new Set<string>();
const MAX_LEFT = 1_000;

export function recordHeartbeat(
  { host, session, at }: AgentEvent,
  memory: SessionMemory,
  { plan, places }: Pick<ReadyEngine, "plan" | "places">,
): void {
  const key = `${places.stateDir} ${host} ${plan.root} ${session}`;
  if (left.has(key)) return;
  if (left.size >= MAX_LEFT) left.clear();
  left.add(key);
  if (memory.knows(SIGN)) return;
  memory.learn([SIGN]);
  const beat: Heartbeat = { host, root: plan.root, at, session, version: VERSION };
  try {
    writePrivateFile(join(heartbeatDir(places), `${fileNameFor(`${host} ${plan.root}`)}.json`), JSON.stringify(beat));
  } catch {
    // Read-only state directory: reported by the records, which need it too.
  }
}

/** The last sign of each host in a project. */
export function readHeartbeats(root: string, places: Places): Heartbeat[] {
  const directory = heartbeatDir(places);
  return filesIn(directory)
    .flatMap((name) => readHeartbeat(join(directory, name)))
    .filter((beat) => beat.root === root);
}

const heartbeatDir = ({ stateDir }: Places) => join(stateDir, "heartbeats");

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function readHeartbeat(file: string): Heartbeat[] {
  try {
    return [JSON.parse(readFileSync(file, "utf8")) as Heartbeat];
  } catch {
    return [];
  }
}
