/** All programs whose effects are known. A program may be known to several areas; all of them are asked. */

import { ARCHIVES } from "./programs/archives.ts";
import { CLOUD } from "./programs/cloud.ts";
import { CONTAINERS } from "./programs/containers.ts";
import { DATABASE } from "./programs/database.ts";
import { DIFFS } from "./programs/diffs.ts";
import { DISK } from "./programs/disk.ts";
import { FILES } from "./programs/files.ts";
import { GIT } from "./programs/git.ts";
import { NETWORK } from "./programs/network.ts";
import { OUTPUTS } from "./programs/outputs.ts";
import { PATCH } from "./programs/patch.ts";
import { POWERSHELL } from "./programs/powershell.ts";
import { PUBLISH } from "./programs/publish.ts";
import { SYSTEM } from "./programs/system.ts";
import type { Program, Programs } from "./programs.ts";

const AREAS: readonly Programs[] = [
  FILES,
  OUTPUTS,
  ARCHIVES,
  PATCH,
  DIFFS,
  GIT,
  PUBLISH,
  CONTAINERS,
  CLOUD,
  DISK,
  DATABASE,
  SYSTEM,
  NETWORK,
  POWERSHELL,
];

export const PROGRAMS: ReadonlyMap<string, Program> = joined(AREAS);

function joined(areas: readonly Programs[]): ReadonlyMap<string, Program> {
  const all = new Map<string, Program>();
  for (const [name, program] of areas.flatMap((area) => Object.entries(area))) {
    const before = all.get(name);
    all.set(name, before ? (call, context) => [...before(call, context), ...program(call, context)] : program);
  }
  return all;
}
