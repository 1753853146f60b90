// `npm start`: the main job, shown on a scratch project. Needs nothing but Node and npm.
import { join } from "node:path";
import { ensureBuilt, root, run } from "./ensure.mjs";

ensureBuilt();
run(process.execPath, [join(root, "bin", "holdfast"), "demo", ...process.argv.slice(2)]);
