/** Flags that many commands take. */
import type { Flag } from "./command.ts";

export const json: Flag = { type: "boolean", doc: "print one JSON value for programs" };
export const dryRun: Flag = { type: "boolean", doc: "show what would change, change nothing" };
