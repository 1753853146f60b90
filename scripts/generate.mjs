// Writes what is generated: schemas/ and docs/reference/. A test compares the committed files with this.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ensureInstalled, root } from "./ensure.mjs";

ensureInstalled();
const { createJiti } = await import("jiti");
const { referenceFiles } = await createJiti(import.meta.url, { fsCache: false }).import("./reference.ts");

const files = referenceFiles();
for (const dir of ["schemas", "docs/reference"]) {
  mkdirSync(join(root, dir), { recursive: true });
  for (const name of readdirSync(join(root, dir))) if (!(`${dir}/${name}` in files)) rmSync(join(root, dir, name));
}
for (const [path, content] of Object.entries(files)) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}
console.log(`${Object.keys(files).length} files generated`);
