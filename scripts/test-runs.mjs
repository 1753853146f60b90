// Runs with real processes: the loop, kills at every write, many editors at once. Real host programs: scripts/test-hosts.mjs.
import { join } from "node:path";
import { ensureBuilt, root, step } from "./ensure.mjs";

ensureBuilt();
step("runs", join(root, "node_modules", ".bin", "vitest"), [
  "run",
  "-c",
  "test/runs/vitest.config.ts",
  ...process.argv.slice(2),
]);
