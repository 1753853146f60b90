import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["test/clean-temp-directory.ts"],
    include: ["test/slow/**/*.test.ts", "test/faults/**/*.test.ts", "test/native/**/*.test.ts"],
    // A failure in CI is tried once more and reported as such; a developer sees it at once.
    retry: process.env.CI ? 1 : 0,
    // Vitest's own second is no time for a process to start in.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 300_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
