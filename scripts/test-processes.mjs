// All that starts processes for nearly every line it asserts (test/processes/files.ts). Arguments go to vitest.
import { join } from "node:path";
import { ensureBuilt, root, step } from "./ensure.mjs";

ensureBuilt();
const vitest = join(root, "node_modules", ".bin", "vitest");
step("tests of processes", vitest, ["run", "-c", "test/processes/vitest.config.ts", ...process.argv.slice(2)]);
