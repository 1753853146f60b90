// dist/: the package as ES modules (tsc) and the hot path as one CommonJS file (esbuild).
import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ensureInstalled, root, run } from "./ensure.mjs";

ensureInstalled();
const { build } = await import("esbuild");
const bin = (name) => join(root, "node_modules", ".bin", name);

// Built beside and swapped in at the end: a build that fails leaves the last good one in place.
const next = join(root, `dist.${process.pid}`);
process.on("exit", () => rmSync(next, { recursive: true, force: true }));
run(bin("tsc"), ["-p", "tsconfig.build.json", "--outDir", next]);

/** What is imported lazily stays out of the bundle: it is loaded from dist/ or node_modules only in the branch that needs it. */
const lazyStaysOutside = {
  name: "lazy-stays-outside",
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ kind, path, resolveDir }) => {
      if (kind !== "dynamic-import") return undefined;
      if (!path.startsWith(".")) return { path, external: true };
      const source = relative(join(root, "src"), join(resolveDir, path)).replace(/\.ts$/, ".js");
      return { path: `./${source}`, external: true };
    });
  },
};

const result = await build({
  entryPoints: [join(root, "src/entry/hook/main.ts")],
  outfile: join(next, "hook.cjs"),
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node20.19",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  metafile: true,
  plugins: [lazyStaysOutside],
});
writeFileSync(join(next, "hook.meta.json"), JSON.stringify(result.metafile));
rmSync(join(root, "dist"), { recursive: true, force: true });
renameSync(next, join(root, "dist"));
chmodSync(join(root, "bin/holdfast"), 0o755);
const bytes = Object.values(result.metafile.outputs)[0].bytes;
console.log(`  dist/hook.cjs: ${Math.round(bytes / 1024)} KiB in one file`);
