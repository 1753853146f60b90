import { join } from "node:path";
import { defineConfig } from "vitest/config";

// npx vitest run -c test/real-hosts/vitest.config.ts
// Slow, and the programs come from the package registry once: so these tests are not part of the default run.
export default defineConfig({
  root: join(import.meta.dirname, "../.."),
  test: {
    include: ["test/real-hosts/**/*.test.ts"],
    env: { HOLDFAST_REAL_HOSTS: "1" },
    globalSetup: ["test/clean-temp-directory.ts", "test/real-hosts/install-hosts.ts"],
    // The programs wait more than they work.
    maxWorkers: 2,
    // A failure in CI is tried once more and reported as such; a developer sees it at once.
    retry: process.env.CI ? 1 : 0,
    // Vitest's own second is no time for a process to start in.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 150_000,
    hookTimeout: 30_000,
  },
});
