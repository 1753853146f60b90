/** The thread that hook modules run in: loads them without a build, asks them, hands back data. Started by module-host. */
import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync, readFileSync } from "node:fs";
import nodeModule from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { createJiti, type Jiti } from "jiti";
import { HookFailure } from "../core/failure.ts";
import { type ModuleHook, readModule } from "./module-definition.ts";
import { failureOf, firstLines } from "./module-failure.ts";
import { toJson } from "./module-json.ts";
import { type Compiler, createLoader, type Loader } from "./module-loader.ts";
import { captureOutput } from "./module-output.ts";
import { type PinCheck, pinCheck } from "./module-pins.ts";
import type { MarkedReply, WorkerReply, WorkerRequest, WorkerSetup } from "./module-protocol.ts";

const MAX_PRINTED = 4000;

/** The request that the running code belongs to, also in its timers and promises. */
interface Running {
  readonly id: number;
  readonly check: PinCheck | undefined;
  printed: number;
}

/** What is loaded under one set of pins; what came in unchecked never stands in for what must be checked. */
interface Realm {
  readonly check: PinCheck | undefined;
  readonly loader: Promise<Loader>;
  readonly hooks: Map<string, Promise<readonly ModuleHook[]>>;
  /** Files that the runner knows to be loaded. */
  readonly told: Set<string>;
}

const setup = workerData as WorkerSetup;
const running = new AsyncLocalStorage<Running | undefined>();
const realms = new Map<number, Realm>();
let jiti: Jiti | undefined;
/** Taken before any module could replace them. */
const { setImmediate: nextTurn } = globalThis;
const runningNow = process.getActiveResourcesInfo.bind(process);
/** How much is running while no module does anything. */
let atRest: number | undefined;

captureOutput(print);
checkNativeRequire();
process.on("uncaughtException", crash);
process.on("unhandledRejection", crash);
process.on("exit", (code) => reportCrash(`ended the process (exit ${code})`));
keepTimersInSight();
if (setup.nodeOptions !== null) process.env.NODE_OPTIONS = setup.nodeOptions;
parentPort?.on("message", (request: WorkerRequest) => {
  atRest ??= runningNow().length;
  const realm = realmOf(request);
  running.run({ id: request.id, check: realm.check, printed: 0 }, () => void answer(request, realm));
});

async function answer(request: WorkerRequest, realm: Realm): Promise<void> {
  const { id, file } = request;
  let nobodyWaits: AbortController | undefined;
  let isLoaded = false;
  try {
    const hooks = await hooksOf(file, realm);
    if (!realm.told.has(file)) reply({ id, type: "loaded" });
    realm.told.add(file);
    isLoaded = true;
    if (request.type === "describe") {
      const described = hooks.map(({ data }) => toJson(data, "its declaration") as never);
      reply({ id, type: "described", hooks: described, leaves: await leavesAnything() });
      return;
    }
    const { event, exportIndex, now, options } = request;
    const hook = hooks[exportIndex];
    if (!hook) throw new HookFailure("not-loaded", `${file} has ${hooks.length} hook(s), none at ${exportIndex}`);
    // Made only for a hook that looks at it: aborting takes as long as the rest of a quick answer.
    const context = {
      now,
      options,
      get signal() {
        nobodyWaits ??= new AbortController();
        return nobodyWaits.signal;
      },
    };
    const verdict = await hook.judge(event, context);
    reply({ id, type: "judged", hook: hook.data.name, verdict, leaves: await leavesAnything() });
  } catch (error) {
    const { code, message } = failureOf(error, "crash");
    reply({ id, type: "failed", code, message, leaves: !isLoaded || (await leavesAnything()) });
  } finally {
    nobodyWaits?.abort();
  }
}

/** A file that is being closed is no leak: this long is waited for what is about to end. */
const SETTLE_MS = 5;

/** Whether more is running than before any module was loaded: timers, files, sockets, processes. */
async function leavesAnything(): Promise<boolean> {
  if (runningNow().length <= (atRest ?? 0)) return false;
  const until = performance.now() + SETTLE_MS;
  do await new Promise<void>((done) => void nextTurn(done));
  while (runningNow().length > (atRest ?? 0) && performance.now() < until);
  return runningNow().length > (atRest ?? 0);
}

/** A timer that was unref'd would be left out of what is running; here nobody's life hangs on it. */
function keepTimersInSight(): void {
  const timer = setTimeout(() => {}, 0);
  clearTimeout(timer);
  const immediate = setImmediate(() => {});
  clearImmediate(immediate);
  for (const kind of [timer, immediate]) {
    Object.getPrototypeOf(kind).unref = function unref() {
      return this;
    };
  }
}

function realmOf({ realm: number, pins }: WorkerRequest): Realm {
  const known = realms.get(number);
  if (known) return known;
  const check = pins ? pinCheck(pins) : undefined;
  const loader = ourPackage().then((holdfast) => createLoader({ compiler, holdfast, check }));
  const realm: Realm = { check, loader, hooks: new Map(), told: new Set() };
  realms.set(number, realm);
  return realm;
}

function hooksOf(file: string, realm: Realm): Promise<readonly ModuleHook[]> {
  const hooks = realm.hooks.get(file) ?? readHooks(file, realm);
  realm.hooks.set(file, hooks);
  return hooks;
}

async function readHooks(file: string, realm: Realm): Promise<readonly ModuleHook[]> {
  try {
    const exported = await (await realm.loader).load(file);
    return readModule(exported, file);
  } catch (error) {
    throw existsSync(file) ? failureOf(error, "not-loaded") : new HookFailure("missing", `there is no file ${file}`);
  }
}

const ourPackage = (): Promise<object> =>
  running.run(undefined, () => import(pathToFileURL(setup.packageEntry).href) as Promise<object>);

/** Runs outside of any request: what jiti loads for itself is ours, not the module's. */
const compiler: Compiler = {
  compile: (source, filename, async) =>
    running.run(undefined, () => {
      const ts = /\.[cm]?tsx?$/.test(filename);
      return toolchain().transform({ source, filename, async, ts, interopDefault: false });
    }),
  resolve: (specifier, parentURL, conditions) =>
    running.run(undefined, () => fileURLToPath(toolchain().esmResolve(specifier, { parentURL, conditions }))),
};

/** Every setting that an environment variable could change is given. */
function toolchain(): Jiti {
  jiti ??= createJiti(import.meta.url, {
    fsCache: setup.cacheDir ?? false,
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
  return jiti;
}

/** Code that makes a `require` of its own (node:module) meets the same check. */
function checkNativeRequire(): void {
  type Extension = (module: unknown, file: string) => void;
  const { _extensions: extensions } = nodeModule as unknown as { _extensions: { [extension: string]: Extension } };
  for (const [extension, original] of Object.entries(extensions)) {
    extensions[extension] = (module, file) => {
      running.getStore()?.check?.(file, readFileSync(file));
      original(module, file);
    };
  }
}

function print(text: string): void {
  const request = running.getStore();
  if (!request || request.printed >= MAX_PRINTED) return;
  request.printed += text.length;
  reply({ id: request.id, type: "printed", text: text.slice(0, MAX_PRINTED) });
}

/** What went wrong outside of any answer may have left anything behind, so the thread ends with it. */
function crash(error: unknown): void {
  reportCrash(firstLines(error));
  process.exit(1);
}

function reportCrash(message: string): void {
  reply({ id: running.getStore()?.id ?? null, type: "crashed", message });
}

function reply(message: WorkerReply): void {
  parentPort?.postMessage([setup.mark, message] satisfies MarkedReply);
}
