import { defineConfig } from "vitest/config";
import { ALONE, TOGETHER } from "./files.ts";

/** One group after the other. */
const group = (groupOrder: number, name: string, include: readonly string[], maxWorkers: number | string) => ({
  extends: true as const,
  test: { name, include: [...include], maxWorkers, sequence: { groupOrder } },
});

export default defineConfig({
  test: {
    globalSetup: ["test/clean-temp-directory.ts"],
    projects: [group(0, "alone", ALONE, 1), group(1, "together", TOGETHER, "100%")],
    // A failure in CI is tried once more and reported as such; a developer sees it at once.
    retry: process.env.CI ? 1 : 0,
    // Vitest's own second is no time for a process to start in.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
