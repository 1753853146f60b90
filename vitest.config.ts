import { defineConfig } from "vitest/config";
import { PROCESS_TESTS } from "./test/processes/files.ts";

export default defineConfig({
  test: {
    globalSetup: ["test/clean-temp-directory.ts"],
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"],
    exclude: [
      ...PROCESS_TESTS,
      "test/slow/**",
      "test/approvals/**",
      "test/faults/**",
      "test/knowledge/**",
      "test/native/**",
      "test/real-hosts/**",
      "test/runs/**",
      "test/sdks/**",
      "**/node_modules/**",
    ],
    // A failure in CI is tried once more and reported as such; a developer sees it at once.
    retry: process.env.CI ? 1 : 0,
    // Vitest leaves a core free: on two cores that is half of them.
    maxWorkers: "100%",
    // Vitest's own second is no time for a process to start in.
    expect: { poll: { timeout: 60_000 } },
    // For what never ends: how long a busy machine takes over a thing says nothing about it.
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
});
