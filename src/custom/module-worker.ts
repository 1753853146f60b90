/** The thread that hook modules run in: loads them without a build, asks them, hands back data. Started by module-host. */
import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync, readFileSync } from "node:fs";
import nodeModule from "node:module";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { HookFailure } from "../core/failure.ts";
import { createCompiler } from "./module-compiler.ts";
import { copierOf } from "./module-copy.ts";
import { type ModuleHook, readModule } from "./module-definition.ts";
import { failureOf, firstLines } from "./module-failure.ts";
import { toJson } from "./module-json.ts";
import { type Compiler, createLoader, type Loader } from "./module-loader.ts";
import { captureOutput } from "./module-output.ts";
import { type PinCheck, pinCheck } from "./module-pins.ts";
import type {
  AskedHook,
  MarkedReply,
  ModulePlace,
  WorkerReply,
  WorkerRequest,
  WorkerSetup,
} from "./module-protocol.ts";
import { maySleep, WorkersSheet } from "./module-sheet.ts";
import { type Asked, Turn, type TurnPorts } from "./module-turn.ts";
import { understudy } from "./module-understudy.ts";

const MAX_PRINTED = 4000;
/** A worker that slept so long is woken by a message the next time. */
const SLEEP_MS = 1_000;

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
  /** Of files that are loaded. */
  readonly ready: Map<string, readonly ModuleHook[]>;
}

const setup = workerData as WorkerSetup;
const running = new AsyncLocalStorage<Running | undefined>();
const realms = new Map<number, Realm>();
const sheet = new WorkersSheet(setup.sheet);
/** Hooks that the runner speaks of by number. */
const numbered = new Map<number, Asked>();
let lastAsked: readonly Asked[] = [];
/** Whose code was run last. */
let current: Running | undefined;
let asking = false;
let isGoingToSleep = false;
let made: Compiler | undefined;
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
parentPort?.on("message", (request: string) => {
  sheet.mailSeen();
  atRest ??= runningNow().length;
  receive(JSON.parse(request) as WorkerRequest);
});

function receive(request: WorkerRequest): void {
  asking = true;
  if (request.type === "describe") void describe(request);
  else judge(request);
}

async function describe({ id, ...place }: Extract<WorkerRequest, { type: "describe" }>): Promise<void> {
  try {
    await loaded(id, place);
    const hooks = realmOf(place).ready.get(place.file) ?? [];
    const described = hooks.map(({ data }) => toJson(data, "its declaration") as never);
    settle({ id, type: "described", hooks: described, leaves: await leavesAnything() });
  } catch (error) {
    refuse(id, error);
  }
}

/** A module that is not loaded yet is asked about alone. */
function judge({ id, asked, event, now }: Extract<WorkerRequest, { type: "judge" }>): void {
  const [first] = asked ?? [];
  const isToBeLoaded = typeof first === "object" && asked?.length === 1 && !first.isUnderstudy;
  const load = isToBeLoaded ? loaded(id, first) : undefined;
  const ask = () => {
    if (asked) lastAsked = asked.map(readyHook);
    new Turn(ports, id, lastAsked, event, now).run();
  };
  if (load) load.then(ask, (error) => refuse(id, error));
  else ask();
}

function readyHook(asked: number | AskedHook): Asked {
  const known = typeof asked === "number" ? numbered.get(asked) : madeReady(asked);
  if (!known) throw new Error(`hook ${JSON.stringify(asked)} is not known here`);
  return known;
}

function madeReady({ number, exportIndex, options, isUnderstudy, ...place }: AskedHook): Asked {
  const realm = realmOf(place);
  const hooks = realm.ready.get(place.file) ?? [];
  const hook = isUnderstudy ? understudy() : (hooks[exportIndex] ?? missingHook(place.file, hooks.length, exportIndex));
  const ready = { hook, freshOptions: copierOf(options), check: realm.check };
  if (number !== undefined) numbered.set(number, ready);
  return ready;
}

const missingHook = (file: string, count: number, exportIndex: number): ModuleHook => ({
  data: { name: file, on: [] },
  judge() {
    throw new HookFailure("not-loaded", `${file} has ${count} hook(s), none at ${exportIndex}`);
  },
});

/** undefined: it is, and was before. */
function loaded(id: number, place: ModulePlace): Promise<readonly ModuleHook[]> | undefined {
  const realm = realmOf(place);
  const { file } = place;
  if (realm.ready.has(file)) return undefined;
  return within(id, realm.check, async () => {
    const hooks = await hooksOf(file, realm);
    realm.ready.set(file, hooks);
    reply({ id, type: "loaded" });
    return hooks;
  });
}

/** What was half loaded may be in any state. */
function refuse(id: number, error: unknown): void {
  const { code, message } = failureOf(error, "not-loaded");
  settle({ id, type: "failed", code, message, leaves: true });
}

const ports: TurnPorts = {
  sheet,
  within,
  hasPrinted: () => (current?.printed ?? 0) > 0,
  isAtRest,
  leavesAnything,
  onAnswered(id, leaves) {
    if (sheet.finish(leaves)) rest();
    else settle({ id, type: "answered", leaves });
  },
  onLast(id, answer, ms, leaves) {
    sheet.finishByMessage();
    settle({ id, type: "judged", answer, ms, leaves });
  },
};

function within<T>(id: number, check: PinCheck | undefined, work: () => T): T {
  current = { id, check, printed: 0 };
  return running.run(current, work);
}

function settle(answer: WorkerReply): void {
  reply(answer);
  rest();
}

/** The event loop has its turn first: whatever went wrong beside the answer comes out there. */
function rest(): void {
  asking = false;
  if (isGoingToSleep || !maySleep()) return;
  isGoingToSleep = true;
  nextTurn(sleep);
}

/** Beside the sheet, where a question finds us soonest. For a while only: what no one counts wants to run, too. */
function sleep(): void {
  isGoingToSleep = false;
  const question = asking ? undefined : sheet.sleep(SLEEP_MS);
  if (question !== undefined) receive(JSON.parse(question) as WorkerRequest);
}

/** A file that is being closed is no leak: this long is waited for what is about to end, and at least so many turns. */
const SETTLE_MS = 5;
/** On a busy machine a single turn may take all of the time, and a worker that is kept costs it least. */
const SETTLE_TURNS = 20;

/** Whether more is running than before any module was loaded: timers, files, sockets, processes. */
async function leavesAnything(): Promise<boolean> {
  if (isAtRest()) return false;
  const until = performance.now() + SETTLE_MS;
  for (let turns = 0; turns < SETTLE_TURNS || performance.now() < until; turns++) {
    await new Promise<void>((done) => void nextTurn(done));
    if (isAtRest()) return false;
  }
  return true;
}

function isAtRest(): boolean {
  return runningNow().length - (isGoingToSleep ? 1 : 0) <= (atRest ?? 0);
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

function realmOf({ realm: number, pins }: ModulePlace): Realm {
  const known = realms.get(number);
  if (known) return known;
  const check = pins ? pinCheck(pins) : undefined;
  const loader = ourPackage().then((holdfast) => createLoader({ compiler, holdfast, check }));
  const realm: Realm = { check, loader, hooks: new Map(), ready: new Map() };
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
  compile: (source, file, async) => running.run(undefined, () => toolchain().compile(source, file, async)),
  resolve: (specifier, from, conditions) =>
    running.run(undefined, () => toolchain().resolve(specifier, from, conditions)),
};

function toolchain(): Compiler {
  made ??= createCompiler(setup.cacheDir);
  return made;
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
