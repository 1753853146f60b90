// The bindings against the real SDKs: installs the pinned ones into a cache outside the repository, then runs offline.
import { join } from "node:path";
import { ensureBuilt, root, step } from "./ensure.mjs";
import { newerNode } from "./newer-node.mjs";

ensureBuilt();
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const args = [vitest, "run", "-c", "test/sdks/vitest.config.ts", "--passWithNoTests", ...process.argv.slice(2)];
step("SDKs", process.execPath, args);
const env = { ...process.env, HOLDFAST_NEWER_NODE: "1" };
step("SDKs that need a newer Node", newerNode(), args, { env });
