// The suite on the real programs: installs the pinned ones into a cache outside the repository, then runs offline.
import { join } from "node:path";
import { ensureBuilt, root, step } from "./ensure.mjs";

ensureBuilt();
const vitest = join(root, "node_modules", ".bin", "vitest");
step("real hosts", vitest, ["run", "-c", "test/real-hosts/vitest.config.ts", ...process.argv.slice(2)]);
