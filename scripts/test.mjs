// `npm test`: everything but the slow suites. Arguments go to vitest.
import { join } from "node:path";
import { ensureBuilt, ensureInstalled, root, step } from "./ensure.mjs";

ensureInstalled();
const bin = (name) => join(root, "node_modules", ".bin", name);
const only = process.argv.slice(2);
if (only.length === 0) {
  step("lint and format (biome)", bin("biome"), ["check", "--error-on-warnings", "."]);
  step("types (tsc)", bin("tsc"), ["--noEmit"]);
}
ensureBuilt();
step("tests (vitest)", bin("vitest"), ["run", ...only]);
