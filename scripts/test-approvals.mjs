// Approvals against what they meet in earnest: real databases, real browsers, processes that are killed.
// Arguments go to vitest: npm run test:approvals -- test/approvals/postgres.test.ts
import { join } from "node:path";
import { ensureBuilt, root, step } from "./ensure.mjs";
import { ensureChromium } from "./ensure-chromium.mjs";

ensureBuilt();
ensureChromium();
const vitest = join(root, "node_modules", ".bin", "vitest");
step("approvals", vitest, ["run", "-c", "test/approvals/vitest.config.ts", ...process.argv.slice(2)]);
if (process.argv.length === 2)
  step(
    "the model of approvals, 5,000 times",
    vitest,
    ["run", "--testTimeout=600000", "src/approvals/service.test.ts"],
    {
      env: { ...process.env, HOLDFAST_FUZZ_RUNS: "5000" },
    },
  );
