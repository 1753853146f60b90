/** What `holdfast daemon serve` runs, as one bundle: `require("…/dist/daemon.cjs").main(distDir)`. */
import { setFlagsFromString } from "node:v8";
import { serve } from "./serve.ts";

/** Calls are few and far between: by V8's own measure nothing would be worth optimising for the first thousands. */
setFlagsFromString("--interrupt-budget=10000");
/** It lives for days: memory counts for more than the time of a collection. */
for (const flag of ["--heap-growing-percent=10", "--max-semi-space-size=4"]) setFlagsFromString(flag);

export async function main(distDir: string): Promise<void> {
  // Started by a call, nobody hears it, and every call has a process of its own, as before; a person who starts it does.
  process.exitCode = await serve(distDir, process.env).then(
    () => 0,
    (error: unknown) => {
      process.stderr.write(`holdfast: the daemon cannot start: ${error instanceof Error ? error.message : error}\n`);
      return 1;
    },
  );
}
