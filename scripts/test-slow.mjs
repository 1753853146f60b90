// The slow suites: real host programs from the npm registry, and everything that takes tens of seconds.
import { join } from "node:path";
import { ensureBuilt, root, step } from "./ensure.mjs";

ensureBuilt();
const vitest = join(root, "node_modules", ".bin", "vitest");
step("slow tests", vitest, ["run", "-c", "test/slow/vitest.config.ts"]);
step(
  "fuzz: 100,000 wrapped commands",
  vitest,
  ["run", "--testTimeout=600000", "src/hooks/destructive-command/wrapping.test.ts"],
  {
    env: { ...process.env, HOLDFAST_FUZZ_RUNS: "100000" },
  },
);
step("real hosts", vitest, ["run", "-c", "test/real-hosts/vitest.config.ts"]);
