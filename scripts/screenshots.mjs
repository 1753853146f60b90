// Takes the screenshots of the guide with Chromium. A folder to put them in, and beginnings of names, may follow.
import { join } from "node:path";
import { createJiti } from "jiti";
import { root } from "./ensure.mjs";
import { ensureChromium } from "./ensure-chromium.mjs";

ensureChromium();
const [folder = join(root, "docs", "screenshots"), ...names] = process.argv.slice(2);
const { takeScreenshots } = await createJiti(import.meta.url).import("../test/approvals/screenshots.ts");
await takeScreenshots(folder, (name) => names.length === 0 || names.some((wanted) => name.startsWith(wanted)));
process.exit(0);
