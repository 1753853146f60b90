import { join } from "node:path";
import { defineConfig } from "vitest/config";

// npm run test:approvals
// Real databases, browsers and killed processes: slower than the default run may be.
export default defineConfig({
  root: join(import.meta.dirname, "../.."),
  test: {
    globalSetup: ["test/clean-temp-directory.ts"],
    include: ["test/approvals/**/*.test.ts"],
    maxWorkers: 2,
    // A failure in CI is tried once more and reported as such; a developer sees it at once.
    retry: process.env.CI ? 1 : 0,
    // Vitest's own second is no time for a process to start in.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
