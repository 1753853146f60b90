// dist/: the package as ES modules (tsc) and the hot path as one CommonJS file (esbuild).
import { createHash } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { makeColdStart } from "./cold-start.mjs";
import { ensureInstalled, root, run } from "./ensure.mjs";
import { flags, source } from "./native.mjs";

ensureInstalled();
const { build } = await import("esbuild");
const bin = (name) => join(root, "node_modules", ".bin", name);

// Built beside and swapped in at the end: a build that fails leaves the last good one in place.
const next = join(root, `dist.${process.pid}`);
process.on("exit", () => rmSync(next, { recursive: true, force: true }));
run(bin("tsc"), ["-p", "tsconfig.build.json", "--outDir", next]);
const pageAssets = join("entry", "server", "pages", "assets");
cpSync(join(root, "src", pageAssets), join(next, pageAssets), { recursive: true });

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

const bundle = (entry, file) =>
  build({
    entryPoints: [join(root, entry)],
    outfile: join(next, file),
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20.19",
    minifyIdentifiers: true,
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    metafile: true,
    plugins: [lazyStaysOutside],
  });
const result = await bundle("src/entry/hook/main.ts", "hook.cjs");
await bundle("src/entry/plugin/main.ts", "plugin.cjs");
await bundle("src/entry/daemon/main.ts", "daemon.cjs");
// Code from a cache has no way to import by itself (a limit of Node's vm): the loader hands it one.
const bundled = readFileSync(join(next, "hook.cjs"), "utf8").replace(/\bimport\((?=")/g, "importLazily(");
writeFileSync(join(next, "hook.cjs"), bundled);
for (const name of ["hook.cjs", "plugin.cjs", "daemon.cjs"]) nameBundle(join(next, name));
writeFileSync(join(next, "hook.meta.json"), JSON.stringify(result.metafile));
const coldStartReport = await makeColdStart(next);
const nativeReport = await buildNativeClient();
const { writeLauncher } = await import(pathToFileURL(join(next, "entry", "native", "launcher.js")));
writeLauncher(next, process.execPath);
rmSync(join(root, "dist"), { recursive: true, force: true });
renameSync(next, join(root, "dist"));
chmodSync(join(root, "bin/holdfast"), 0o755);

/** For who has only to know which one it is (src/entry/native/bundle-line.ts). */
function nameBundle(file) {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, `// ${createHash("sha256").update(text).digest("hex").slice(0, 32)}\n${text}`);
}

/** A build without it is slower, not wrong: hosts then start Node. */
async function buildNativeClient() {
  const { buildIdOf } = await import(pathToFileURL(join(next, "entry", "native", "build-id.js")));
  const { compile, hostCompiler } = await import(pathToFileURL(join(next, "entry", "native", "compile.js")));
  const buildId = buildIdOf(next, root);
  mkdirSync(join(next, "native"));
  writeFileSync(join(next, "native", "build-id"), buildId);
  const { command, problem } = hostCompiler(process.env);
  const out = join(next, "native", "holdfast");
  const { imageMarks } = await import(pathToFileURL(join(next, "entry", "native", "image-marks.js")));
  const node = process.execPath;
  const marks = imageMarks({ node, image: join(next, "hook.image"), bundle: join(next, "hook.cjs") });
  const image = marks && { marks };
  const failure = problem ?? compile(command, { source, flags, buildId, node, image, out });
  if (failure !== undefined) return `no native client: ${failure}`;
  return `dist/native/holdfast: ${Math.round(statSync(out).size / 1024)} KiB`;
}

const bytes = Object.values(result.metafile.outputs)[0].bytes;
console.log(`  dist/hook.cjs: ${Math.round(bytes / 1024)} KiB in one file`);
console.log(`  ${coldStartReport}`);
console.log(`  ${nativeReport}`);
