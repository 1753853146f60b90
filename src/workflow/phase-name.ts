import { Problem } from "./problem.ts";

const LONGEST = 64;
const SHAPE = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}._-]*[\p{L}\p{M}\p{N}_-])?$/u;

/** A phase names a directory, so it may be nothing but a plain file name. Undefined when it is. */
export function phaseFault(phase: string): Problem | undefined {
  if (phase.length <= LONGEST && SHAPE.test(phase) && !phase.includes("..")) return undefined;
  return new Problem(
    "INVALID_PHASE",
    `${phase === "" ? "An empty phase" : `"${phase.slice(0, LONGEST)}"`} cannot name a phase. Use 1 to ${LONGEST} letters, digits, - _ and single dots, as in 01-login.`,
  );
}
