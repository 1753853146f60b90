import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"],
    exclude: [
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
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
