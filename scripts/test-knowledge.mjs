// Knowledge with real processes: kills at every write, many at once, large transcripts. Real hosts: scripts/test-hosts.mjs.
import { join } from "node:path";
import { ensureBuilt, root, step } from "./ensure.mjs";

ensureBuilt();
step("knowledge", join(root, "node_modules", ".bin", "vitest"), [
  "run",
  "-c",
  "test/knowledge/vitest.config.ts",
  ...process.argv.slice(2),
]);
