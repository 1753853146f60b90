import { defineConfig } from "vitest/config";
import { PROCESS_TESTS } from "./files.ts";

export default defineConfig({
  test: {
    globalSetup: ["test/clean-temp-directory.ts"],
    include: PROCESS_TESTS,
    // A failure in CI is tried once more and reported as such; a developer sees it at once.
    retry: process.env.CI ? 1 : 0,
    // Several of them tell by the clock who waits for whom: each has the machine to itself.
    fileParallelism: false,
    // Vitest's own second is no time for a process to start in.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
