/** Goes on handing in until there has been no news for a while, or no use. */
import { existsSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { giveSignOfLife, toldLast } from "../../engine/hand-in-sign.ts";
import { SIGN_OF_LIFE_MS } from "../../engine/hand-in-start.ts";
import { ServerRefusal } from "./audit-server.ts";
import type { HandIn } from "./hand-in.ts";

export interface Staying {
  readonly handing: HandIn;
  readonly sign: string;
  /** Of a problem, when it begins. */
  tell(error: Error): void;
  readonly pace?: Partial<Pace>;
}

interface Pace {
  readonly roundMs: number;
  /** Without news for so long it ends; the next call of an agent starts it again. */
  readonly idleMs: number;
  /** A server that is down is asked again, ever more seldom. */
  readonly longestPauseMs: number;
  /** In a row, about an hour of them: a server that is gone for good keeps no process for good. */
  readonly mostFailures: number;
}

const PACE: Pace = { roundMs: 1_000, idleMs: 60_000, longestPauseMs: 60_000, mostFailures: 60 };

export type Ending = "without news" | "refused" | "given up";

export async function stay({ handing, sign, tell, pace }: Staying): Promise<Ending> {
  const { roundMs, idleMs, longestPauseMs, mostFailures } = { ...PACE, ...pace };
  let newsAt = performance.now();
  let failures = 0;
  const said = new Set<string>();
  let isNoteLast = false;
  let isLeaving = false;
  let hasPlace = true;
  const sayOnce = (error: Error) => {
    if (said.has(error.message)) return;
    said.add(error.message);
    isNoteLast = false;
    tell(error);
  };
  giveSignOfLife(sign);
  const living = setInterval(() => {
    hasPlace &&= isLeaving || hasGivenSign(sign);
  }, SIGN_OF_LIFE_MS);
  try {
    while (hasPlace) {
      try {
        const { rows, problem, changed } = await handing.round();
        failures = 0;
        if (rows > 0) newsAt = performance.now();
        if (problem) sayOnce(problem);
        else {
          // What was found in a journal is found again by the next process, which is not to tell of it again.
          if (!isNoteLast && !changed) forget(sign);
          said.clear();
        }
        if (changed) {
          tell(changed);
          isNoteLast = true;
        }
      } catch (error) {
        failures += 1;
        sayOnce(error as Error);
        if (error instanceof ServerRefusal && error.isOfToken) return "refused";
        if (failures >= mostFailures) return "given up";
      }
      const isIdle = failures === 0 && performance.now() - newsAt > idleMs;
      if (isIdle && isLeaving) return "without news";
      // A call that still saw the sign has left its record to this process: it is looked for once more without it.
      isLeaving = isIdle;
      if (isLeaving) takeSignBack(sign);
      else await sleep(Math.min(roundMs * 2 ** failures, longestPauseMs));
    }
    return "given up";
  } finally {
    clearInterval(living);
  }
}

/** False: the state directory is gone, and with it what there was to do. It is not for this process to make a new one. */
function hasGivenSign(sign: string): boolean {
  try {
    if (!existsSync(dirname(sign))) return false;
    giveSignOfLife(sign);
    return true;
  } catch {
    return false;
  }
}

/** All is well: the next problem is a new one. */
function forget(sign: string): void {
  if (toldLast(sign)) writeFileSync(sign, "");
}

/** What was told of last is known to the next one. */
function takeSignBack(sign: string): void {
  if (toldLast(sign)) utimesSync(sign, 0, 0);
  else rmSync(sign, { force: true });
}
