/** Goes on handing in until there has been no news for a while, or no use. */
import { rmSync, writeFileSync } from "node:fs";
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
  let isLeaving = false;
  giveSignOfLife(sign);
  const living = setInterval(() => isLeaving || giveSignOfLife(sign), SIGN_OF_LIFE_MS);
  try {
    for (;;) {
      try {
        if ((await handing.round()) > 0) newsAt = performance.now();
        failures = 0;
        if (!isLeaving && toldLast(sign)) writeFileSync(sign, "");
      } catch (error) {
        failures += 1;
        if (failures === 1) tell(error as Error);
        if (error instanceof ServerRefusal && error.isOfToken) return "refused";
        if (failures >= mostFailures) return "given up";
      }
      const isIdle = failures === 0 && performance.now() - newsAt > idleMs;
      if (isIdle && isLeaving) return "without news";
      // A call that still saw the sign has left its record to this process: it is looked for once more without it.
      isLeaving = isIdle;
      if (isLeaving) rmSync(sign, { force: true });
      else await sleep(Math.min(roundMs * 2 ** failures, longestPauseMs));
    }
  } finally {
    clearInterval(living);
  }
}
