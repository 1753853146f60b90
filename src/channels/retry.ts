/** What fails and may pass is tried again, each time later; what will not pass is not. */
import { ChannelFailure } from "./failure.ts";

export const RETRY_DELAYS_MS: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000];

/** `onRetry` is called before each further attempt; `signal`: nobody waits any more, so nothing is tried again. */
export async function retried<T>(
  attempt: () => Promise<T>,
  delaysMs: readonly number[],
  signal: AbortSignal,
  onRetry: () => Promise<void> = async () => {},
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const delay = delaysMs[tries];
      const isPassing = error instanceof ChannelFailure && error.isPassing;
      if (!isPassing || delay === undefined || signal.aborted) throw error;
      await slept(delay, signal);
      if (signal.aborted) throw error;
      await onRetry();
    }
  }
}

export function slept(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(over, ms);
    signal.addEventListener("abort", over, { once: true });
    function over() {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      resolve();
    }
  });
}
