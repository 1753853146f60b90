import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"],
    exclude: [
      "test/slow/**",
      "test/approvals/**",
      "test/faults/**",
      "test/native/**",
      "test/real-hosts/**",
      "test/sdks/**",
      "**/node_modules/**",
    ],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
