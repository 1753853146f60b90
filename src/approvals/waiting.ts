/** Waiting for an approval to become as wanted: who is told so goes on at once, who is told less looks, and so does who hears nothing. */
import type { Approval } from "./approval.ts";
import type { Unwatch } from "./store.ts";

export interface Waiting {
  isWanted(approval: Approval): boolean;
  /** Calls back when the approval may have changed, with what it became if that is known: it is about this approval. */
  watch(onChange: (news: Approval | undefined) => void): Promise<Unwatch>;
  look(): Promise<Approval | undefined>;
  /** How long not to look, if nobody calls. Undefined: how it stands is not known. */
  pauseMs(approval: Approval | undefined): number;
  /** Nobody waits any more. */
  readonly signal: AbortSignal;
}

/** As it was wanted, as it stood when nobody waited any more, or undefined: there is none. */
export function wanted(waiting: Waiting): Promise<Approval | undefined> {
  return new Promise((resolve, reject) => {
    const bell = new Bell();
    const hear = (news: Approval | undefined) => {
      if (news && isSurelyWanted(waiting, news)) {
        // Before anything is cleared away: whoever waited goes on first.
        resolve(news);
        bell.isOver = true;
      }
      bell.ring();
    };
    lookUntil(waiting, bell, hear).then(resolve, reject);
  });
}

/** News may lack anything: of what cannot be judged the store is asked, and only what it says is an error. */
function isSurelyWanted(waiting: Waiting, news: Approval): boolean {
  try {
    return waiting.isWanted(news);
  } catch {
    return false;
  }
}

class Bell {
  isOver = false;
  ring: () => void = () => {};
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.ring = resolve;
    });
  }
}

async function lookUntil(
  waiting: Waiting,
  bell: Bell,
  hear: (news: Approval | undefined) => void,
): Promise<Approval | undefined> {
  const { signal } = waiting;
  const unwatch = await waiting.watch(hear).catch(() => () => {});
  try {
    while (!bell.isOver) {
      // From before the look: what changes while it looks is heard.
      const rung = bell.next();
      const looked = await waiting.look().then(
        (approval) => ({ approval }),
        (error: unknown) => ({ error }),
      );
      if ("error" in looked) {
        if (signal.aborted) throw looked.error;
      } else if (!looked.approval || waiting.isWanted(looked.approval) || signal.aborted) return looked.approval;
      if (!bell.isOver) await firstOf(rung, signal, waiting.pauseMs("error" in looked ? undefined : looked.approval));
    }
    return undefined;
  } finally {
    unwatch();
  }
}

async function firstOf(rung: Promise<void>, signal: AbortSignal, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let stop = () => {};
  const late = new Promise<void>((resolve) => {
    stop = resolve;
    timer = setTimeout(stop, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
  await Promise.race([rung, late]);
  clearTimeout(timer);
  signal.removeEventListener("abort", stop);
}
