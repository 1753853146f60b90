import { join } from "node:path";
import { defineConfig } from "vitest/config";

// npm run test:sdks
// The SDKs come from the package registry once: so these tests are not part of the default run.
const newerNode = process.env.HOLDFAST_NEWER_NODE === "1";

export default defineConfig({
  root: join(import.meta.dirname, "../.."),
  test: {
    globalSetup: ["test/clean-temp-directory.ts"],
    include: newerNode ? ["test/sdks/newer-node/**/*.test.ts"] : ["test/sdks/**/*.test.ts"],
    exclude: ["**/node_modules/**", ...(newerNode ? [] : ["test/sdks/newer-node/**"])],
    maxWorkers: 2,
    // A failure in CI is tried once more and reported as such; a developer sees it at once.
    retry: process.env.CI ? 1 : 0,
    // Vitest's own second is no time for a process to start in.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 120_000,
    // The first use installs.
    hookTimeout: 300_000,
  },
});
