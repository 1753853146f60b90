/**
 * The file that a config names as `{ type: module, path }`, loaded into the agent's own thread by whoever writes the
 * agent. A config may come with a project, so its modules run in a worker; here a person's own code vouches for the file.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Environment, placesOf } from "../config/places.ts";
import { HoldfastError } from "../core/errors.ts";
import { checkFields } from "../core/fields.ts";
import type { JsonObject } from "../core/json.ts";
import { type ModuleHook, readModule } from "../custom/module-definition.ts";
import { failureOf } from "../custom/module-failure.ts";
import type { Loader } from "../custom/module-loader.ts";
import { LoadedHook } from "./loaded-hook.ts";

export interface LoadHooksOptions {
  /** What a config would give the hooks under `with:`. */
  readonly with?: JsonObject;
  /** Says where compiled TypeScript is kept: in the state directory. Default: that of the process. */
  readonly env?: Environment;
  /** Of Holdfast itself, where it is not loaded from its package. */
  readonly distDir?: string;
}

const HERE = join(import.meta.dirname, "..");

/**
 * Loads a hook module, TypeScript or JavaScript, without a build. A relative path starts from the process's working
 * directory; `new URL("./rules/x.ts", import.meta.url)` starts from the file it is written in. Throws HoldfastError.
 */
export async function loadHooks(path: string | URL, options: LoadHooksOptions = {}): Promise<LoadedHook[]> {
  const file = fileOf(path);
  const given = options.with ?? {};
  const hooks = await loaded(file, options);
  for (const { data } of hooks) {
    const [problem] = data.options ? checkFields(given, data.options) : [];
    if (problem)
      throw new HoldfastError("HF200", `with.${problem.path.join(".")} of hook ${data.name}: ${problem.message}`, {
        file,
        hint: "Give it what it takes: loadHooks(file, { with: { … } }), as `with:` in a config.",
      });
  }
  // Each its own: what one does to its options, no other sees.
  return hooks.map((hook) => new LoadedHook(hook, file, structuredClone(given)));
}

function fileOf(path: string | URL): string {
  const isUrl = path instanceof URL || /^file:/i.test(path);
  if (!isUrl) return resolve(path);
  try {
    return fileURLToPath(path);
  } catch (error) {
    throw new HoldfastError("HF208", `${String(path)} names no file: ${(error as Error).message}`, {
      hint: 'Give a path, or a file: URL as of new URL("./rules/x.ts", import.meta.url).',
    });
  }
}

async function loaded(file: string, options: LoadHooksOptions): Promise<readonly ModuleHook[]> {
  if (!existsSync(file))
    throw new HoldfastError("HF208", `there is no hook module ${file}`, {
      file,
      hint: 'Correct the path: a relative one starts from the working directory; new URL("./rules/x.ts", import.meta.url) starts from your own file.',
    });
  try {
    return readModule(await (await loaderFor(options)).load(file), file);
  } catch (error) {
    throw new HoldfastError("HF208", `${file} cannot be loaded: ${failureOf(error, "not-loaded").message}`, { file });
  }
}

const loaders = new Map<string, Promise<Loader>>();

/** One for all that keep compiled files in one place: a file is evaluated once, as with `import`. */
function loaderFor({ env = process.env, distDir = HERE }: LoadHooksOptions): Promise<Loader> {
  const cacheDir = join(placesOf(env).stateDir, "module-cache");
  const key = `${distDir}\n${cacheDir}`;
  const known = loaders.get(key) ?? newLoader(cacheDir, distDir);
  loaders.set(key, known);
  return known;
}

async function newLoader(cacheDir: string, distDir: string): Promise<Loader> {
  const { createCompiler } = await import("../custom/module-compiler.ts");
  const { createLoader } = await import("../custom/module-loader.ts");
  const holdfast: object = await import(pathToFileURL(join(distDir, "index.js")).href);
  return createLoader({ compiler: createCompiler(cacheDir), holdfast, check: undefined });
}
