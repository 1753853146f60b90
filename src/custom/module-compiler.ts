/** jiti, as far as the loader of hook modules needs it: TypeScript and ESM to function bodies, specifiers to files. */
import { fileURLToPath } from "node:url";
import { createJiti } from "jiti";
import type { Compiler } from "./module-loader.ts";

/** `cacheDir`: keeps what was compiled; null: nothing is kept. */
export function createCompiler(cacheDir: string | null): Compiler {
  // Every setting that an environment variable could change is given.
  const jiti = createJiti(import.meta.url, {
    fsCache: cacheDir ?? false,
    moduleCache: false,
    tryNative: false,
    interopDefault: false,
    sourceMaps: false,
    debug: false,
    jsx: false,
    tsconfigPaths: false,
    rebuildFsCache: false,
    extensions: [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"],
    alias: {},
    nativeModules: [],
    transformModules: [],
  });
  return {
    compile(source, filename, async) {
      const ts = /\.[cm]?tsx?$/.test(filename);
      return jiti.transform({ source, filename, async, ts, interopDefault: false });
    },
    resolve: (specifier, parentURL, conditions) => fileURLToPath(jiti.esmResolve(specifier, { parentURL, conditions })),
  };
}
