import { HoldfastError } from "../../core/errors.ts";

let forget = () => {};

/** Ctrl-C cancels what runs, so that nothing it started outlives it; a second one ends the program. */
export function interruption(): AbortSignal {
  forget();
  const cancelling = new AbortController();
  const end = () => process.exit(130);
  const cancel = (signal: NodeJS.Signals) => {
    cancelling.abort(new Error("interrupted"));
    process.once(signal, end);
  };
  process.removeAllListeners("SIGINT");
  for (const signal of SIGNALS) process.once(signal, cancel);
  forget = () => {
    for (const signal of SIGNALS) process.off(signal, cancel).off(signal, end);
  };
  return cancelling.signal;
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Work that stores nothing when it is called off. `what`: of which nothing was done. */
export async function unlessStopped<T>(what: string, signal: AbortSignal, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw signal.aborted ? new HoldfastError("HF1082", `${what}: it was stopped before its hooks had answered`) : error;
  }
}
