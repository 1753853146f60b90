/** What `holdfast daemon serve` runs, as one bundle: `require("…/dist/daemon.cjs").main(distDir)`. */
import { serve } from "./serve.ts";

export async function main(distDir: string): Promise<void> {
  // Nobody reads what it could say: a failure to start leaves every call with a process of its own, as before.
  process.exitCode = await serve(distDir, process.env).then(
    () => 0,
    () => 1,
  );
}
