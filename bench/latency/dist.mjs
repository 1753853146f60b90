// The built modules: the bench measures what is shipped, and asks it about its own records.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../../scripts/ensure.mjs";

export const dist = (path) => import(pathToFileURL(join(root, "dist", path)).href);
