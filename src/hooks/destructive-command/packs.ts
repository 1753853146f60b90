/** The packs, in the order they are looked at. */
import { cloud } from "./packs/cloud.ts";
import { containers } from "./packs/containers.ts";
import { database } from "./packs/database.ts";
import { disk } from "./packs/disk.ts";
import { filesystem } from "./packs/filesystem.ts";
import { git } from "./packs/git.ts";
import { publish } from "./packs/publish.ts";
import { remoteCode } from "./packs/remote-code.ts";
import { secrets } from "./packs/secrets.ts";
import { system } from "./packs/system.ts";
import { unclear } from "./packs/unclear.ts";
import type { Pack } from "./rule.ts";

export const PACKS: readonly Pack[] = [
  filesystem,
  git,
  publish,
  containers,
  cloud,
  disk,
  database,
  system,
  remoteCode,
  secrets,
  unclear,
];
