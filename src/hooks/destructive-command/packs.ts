/** The packs, in the order they are looked at. */
import { filesystem } from "./packs/filesystem.ts";
import { git } from "./packs/git.ts";
import type { Pack } from "./rule.ts";

export const PACKS: readonly Pack[] = [filesystem, git];
