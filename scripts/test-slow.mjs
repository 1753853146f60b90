// The slow suites: everything that takes tens of seconds. Real host programs: scripts/test-hosts.mjs.
import { join } from "node:path";
import { ensureBuilt, root, step } from "./ensure.mjs";

ensureBuilt();
const vitest = join(root, "node_modules", ".bin", "vitest");
step("slow tests", vitest, ["run", "-c", "test/slow/vitest.config.ts"]);
step(
  "fuzz: 100,000 wrapped commands, and texts that are nearly JSON",
  vitest,
  ["run", "--testTimeout=600000", "src/hooks/destructive-command/wrapping.test.ts", "src/custom/wire-json.test.ts"],
  {
    env: { ...process.env, HOLDFAST_FUZZ_RUNS: "100000" },
  },
);
