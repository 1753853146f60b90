/** All programs whose effects are known. */

import { FILES } from "./programs/files.ts";
import type { Program } from "./programs.ts";

export const PROGRAMS: ReadonlyMap<string, Program> = new Map([FILES].flatMap((area) => Object.entries(area)));
