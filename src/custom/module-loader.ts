/**
 * Loads hook modules so that every file of theirs, however it is imported, comes in through one door. jiti resolves and
 * compiles; reading and evaluating are done here, because jiti lets Node load `.mjs`, CommonJS and JSON files on its own,
 * past any check, and Node would read a file at another moment than it was checked.
 */
import { readFileSync, realpathSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { dirname, extname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runInThisContext } from "node:vm";
import { HookFailure } from "../core/failure.ts";
import { isPlainObject } from "./module-json.ts";
import type { PinCheck } from "./module-pins.ts";

/** What is needed of jiti. */
export interface Compiler {
  /** TypeScript and ESM to a function body. `async`: with top-level await, imports as `await jitiImport(…)`. */
  compile(source: string, file: string, async: boolean): string;
  /** The file a specifier leads to. Throws where there is none. */
  resolve(specifier: string, from: string, conditions: string[]): string;
}

export interface LoaderOptions {
  readonly compiler: Compiler;
  /** The exports of our own package, for `import … from "holdfast"`. */
  readonly holdfast: object;
  /** undefined: any file may be loaded. */
  readonly check: PinCheck | undefined;
}

export interface Loader {
  /** The module's exports. A file is read, checked and evaluated once. */
  load(file: string): Promise<unknown>;
}

interface Loaded {
  readonly file: string;
  readonly module: { exports: unknown };
  /** Settles when the module was evaluated. */
  done: Promise<unknown>;
  readonly waitsFor: Set<Loaded>;
}

/** Hooks written for agent-runner import `defineHook` from its package, which need not be there. */
const OURS = ["holdfast", "@kcosr/agent-runner-core/hooks", "@kcosr/agent-runner-core"];
const IMPORT = ["node", "import"];
const REQUIRE = ["node", "require"];
const nativeRequire = createRequire(import.meta.url);

export function createLoader({ compiler, holdfast, check }: LoaderOptions): Loader {
  const modules = new Map<string, Loaded>();
  return { load: async (file) => exportsOf(await evaluated(realpathSync(file), undefined)) };

  async function importFrom(importer: Loaded, specifier: string): Promise<unknown> {
    if (isBuiltin(specifier)) return import(specifier);
    if (OURS.includes(specifier)) return holdfast;
    const file = resolve(importer, specifier, IMPORT);
    if (extname(file) === ".node") return asNamespace(nativeRequire(admitted(file)));
    if (isLeftToNode(file)) return import(pathToFileURL(file).href);
    return asNamespace(exportsOf(await evaluated(file, importer)));
  }

  function requireFrom(importer: Loaded, specifier: string): unknown {
    if (isBuiltin(specifier)) return nativeRequire(specifier);
    if (OURS.includes(specifier)) return holdfast;
    const file = resolve(importer, specifier, REQUIRE);
    if (extname(file) === ".node" || isLeftToNode(file)) return nativeRequire(admitted(file));
    const known = modules.get(file);
    if (known) return exportsOf(known);
    const loaded = remember(file);
    try {
      evaluate(loaded, false);
    } catch (error) {
      modules.delete(file);
      throw error;
    }
    loaded.done = Promise.resolve();
    return exportsOf(loaded);
  }

  /** A module that waits, however far away, for the one that imports it is handed out half done, as in any cycle. */
  async function evaluated(file: string, importer: Loaded | undefined): Promise<Loaded> {
    const loaded = modules.get(file) ?? start(file);
    if (importer && waitsFor(loaded, importer)) return loaded;
    importer?.waitsFor.add(loaded);
    await loaded.done.finally(() => importer?.waitsFor.delete(loaded));
    return loaded;
  }

  function start(file: string): Loaded {
    const loaded = remember(file);
    loaded.done = Promise.resolve().then(() => evaluate(loaded, true));
    return loaded;
  }

  function remember(file: string): Loaded {
    const loaded: Loaded = { file, module: { exports: {} }, done: NEVER, waitsFor: new Set() };
    modules.set(file, loaded);
    return loaded;
  }

  function evaluate(loaded: Loaded, async: boolean): unknown {
    const { file, module } = loaded;
    const source = read(file)
      .toString("utf8")
      .replace(/^\uFEFF/, "")
      .replace(/^#!/, "//");
    if (extname(file) === ".json") {
      module.exports = JSON.parse(source);
      return undefined;
    }
    const plain = isCommonJs(file, source);
    const body = plain ? source : compiler.compile(source, file, async);
    const head = `(${async && !plain ? "async " : ""}function (${PARAMETERS.join(", ")}) {`;
    const run = runInThisContext(`${head}${body}\n})`, { filename: file, columnOffset: -head.length });
    const require = (specifier: string) => {
      const exports = requireFrom(loaded, specifier);
      return async || plain ? exports : asNamespace(exports);
    };
    const importHere = (specifier: string) => importFrom(loaded, String(specifier));
    const resolveHere = (specifier: string) => pathToFileURL(resolve(loaded, specifier, IMPORT)).href;
    return run(module.exports, require, module, file, dirname(file), importHere, resolveHere);
  }

  function resolve(importer: Loaded, specifier: string, conditions: string[]): string {
    if (/^(?!file:)[a-z][a-z+.-]+:/i.test(specifier)) {
      const message = `imports ${specifier.slice(0, 60)}; only files, packages and node: can be imported`;
      throw notLoaded(importer.file, message);
    }
    try {
      return realpathSync(
        specifier.startsWith("file:")
          ? fileURLToPath(specifier)
          : compiler.resolve(specifier, pathToFileURL(importer.file).href, conditions),
      );
    } catch {
      throw notLoaded(importer.file, `imports "${specifier}", which cannot be found`);
    }
  }

  /** Packages are Node's business where nobody asked for a check. */
  function isLeftToNode(file: string): boolean {
    return check === undefined && /[\\/]node_modules[\\/]/.test(file);
  }

  function admitted(file: string): string {
    read(file);
    return file;
  }

  function read(file: string): Buffer {
    const content = readFileSync(file);
    check?.(file, content);
    return content;
  }
}

/** The names jiti's compiled code has for what is around it. If they change, nothing loads: closed, not open. */
const PARAMETERS = ["exports", "require", "module", "__filename", "__dirname", "jitiImport", "jitiESMResolve"];

const NEVER = new Promise<never>(() => {});

function waitsFor(from: Loaded, target: Loaded, seen = new Set<Loaded>()): boolean {
  if (from === target) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return [...from.waitsFor].some((next) => waitsFor(next, target, seen));
}

function isCommonJs(file: string, source: string): boolean {
  if (extname(file) === ".cjs") return !/\bimport\s*\(/.test(source);
  return extname(file) === ".js" && !/\b(?:import|export|await)\b/.test(source);
}

/** A syntax error comes out of jiti as an export of this name. */
function exportsOf({ file, module: { exports } }: Loaded): unknown {
  const failed = isPlainObject(exports) ? exports.__JITI_ERROR__ : undefined;
  if (!isPlainObject(failed)) return exports;
  throw notLoaded(`${file}:${failed.line}:${failed.column}`, String(failed.message).trim());
}

/** CommonJS, JSON and built-ins as an import sees them. */
function asNamespace(exports: unknown): unknown {
  if (typeof exports !== "object" || exports === null) return { default: exports };
  return "__esModule" in exports ? exports : { ...exports, default: exports };
}

const notLoaded = (place: string, message: string) => new HookFailure("not-loaded", `${place}: ${message}`);
