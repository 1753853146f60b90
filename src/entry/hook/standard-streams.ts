import { writeSync } from "node:fs";

export const STDIN = 0;
export const STDOUT = 1;
export const STDERR = 2;

/** Whether it was. A host that no longer listens is no failure of ours. */
export function writeWhole(descriptor: number, text: string): boolean {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EAGAIN") return code === "EPIPE";
      waitForReader();
    }
  }
  return true;
}

/** The host left a pipe that does not block, and reads it later. */
function waitForReader(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}
