import { HookFailure } from "../core/failure.ts";

/** A hook that runs in our own thread cannot be ended, but it need not be waited for. */
export function withinTime<T>(work: Promise<T>, timeoutMs: number | undefined, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (message: string) => () => reject(new HookFailure("timeout", message));
    const aborted = late("nobody waits for its answer any more");
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(late(`did not answer within ${timeoutMs} ms`), timeoutMs);
    signal.addEventListener("abort", aborted, { once: true });
    if (signal.aborted) aborted();
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", aborted);
    });
  });
}
