/** That somebody wants a run stopped: a file beside the lease. Whoever drives the run looks for it. */
import { join } from "node:path";
import { type Disk, readIfThere, unlinkIfThere } from "./disk.ts";

const LOOK_MS = 500;

const stopFile = (directory: string) => join(directory, "stop.json");

export const writeStopRequest = (disk: Disk, directory: string, by: string): void =>
  disk.replaceUnsynced(stopFile(directory), JSON.stringify({ by }));

/** It was for whoever drove the run before. */
export const clearStopRequest = (directory: string): void => unlinkIfThere(stopFile(directory));

export interface StopWatch {
  readonly stopped: AbortSignal;
  end(): void;
}

export function watchForStop(directory: string): StopWatch {
  const stopping = new AbortController();
  const timer = setInterval(() => {
    if (readIfThere(stopFile(directory)) === undefined) return;
    clearInterval(timer);
    stopping.abort(new Error("it was stopped"));
  }, LOOK_MS);
  timer.unref();
  return { stopped: stopping.signal, end: () => clearInterval(timer) };
}
