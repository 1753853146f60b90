/** Engines that are kept: made anew when anything they were made from has changed. */
import { type Environment, sha256 } from "../config/places.ts";
import { type PlanWatch, planWatch } from "../config/plan-watch.ts";
import type { EngineSource } from "./answer.ts";
import { type ReadyEngine, type RecordAccess, readyEngine } from "./ready.ts";
import { VERSION } from "./version.ts";

/** Of as many projects and environments as one person has open at a time. */
const MAX_ENGINES = 32;

export interface Engines {
  /** `moment`: calls with the same one had all come in before anything was looked at for the first of them. */
  readonly engineAt: (...given: [...Parameters<EngineSource>, moment?: object]) => Promise<ReadyEngine>;
  readonly size: () => number;
  close(): Promise<void>;
}

export function keptEngines(records: RecordAccess = {}): Engines {
  const kept = new Map<string, Kept>();

  async function engineAt(
    cwd: string,
    env: Environment,
    distDir: string,
    projectDir?: string,
    moment?: object,
  ): Promise<ReadyEngine> {
    const key = keyOf(cwd, env, projectDir);
    const known = kept.get(key);
    const isKnownFresh = known && moment !== undefined && known.freshAt === moment;
    if (known && (isKnownFresh || known.watch.isFresh({ cwd, projectDir }, env, VERSION))) {
      known.freshAt = moment;
      // The last used stands last: the first is the first to go.
      kept.delete(key);
      kept.set(key, known);
      return known.borrowed();
    }
    if (known) forget(key, known);
    const made = keep(await readyEngine(cwd, env, distDir, projectDir, records));
    // Another call may have made one meanwhile: of two, the older is let go.
    const raced = kept.get(key);
    if (raced) forget(key, raced);
    kept.set(key, made);
    for (const [oldest, engine] of kept) {
      if (kept.size <= MAX_ENGINES) break;
      forget(oldest, engine);
    }
    return made.borrowed();
  }

  function forget(key: string, engine: Kept): void {
    kept.delete(key);
    engine.retire();
  }

  return {
    engineAt,
    size: () => kept.size,
    async close() {
      for (const [key, engine] of kept) forget(key, engine);
    },
  };
}

interface Kept {
  readonly watch: PlanWatch;
  /** When it was last found to be. */
  freshAt: object | undefined;
  /** For one call: closing it ends nothing that others still use. */
  borrowed(): ReadyEngine;
  /** Closed as soon as the last call that uses it is over. */
  retire(): void;
}

/** Lends an engine to one call after another, as a kept one is lent. */
export function lender(engine: ReadyEngine): () => ReadyEngine {
  const { borrowed } = keep(engine);
  return borrowed;
}

function keep(engine: ReadyEngine): Kept {
  let users = 0;
  let retired = false;
  const closeIfDone = () => {
    if (retired && users === 0) void engine.close().catch(() => {});
  };
  return {
    watch: planWatch(engine.plan),
    freshAt: undefined,
    borrowed() {
      users += 1;
      let open = true;
      return new BorrowedEngine(engine, async () => {
        if (open) users -= 1;
        open = false;
        closeIfDone();
      });
    },
    retire() {
      retired = true;
      closeIfDone();
    },
  };
}

/** A class, because copying an object and then replacing a field of the copy is slow, and this is done for every call. */
class BorrowedEngine implements ReadyEngine {
  readonly plan: ReadyEngine["plan"];
  readonly places: ReadyEngine["places"];
  readonly hooks: ReadyEngine["hooks"];
  readonly machine: ReadyEngine["machine"];
  readonly takeRemarks: ReadyEngine["takeRemarks"];
  readonly desk: ReadyEngine["desk"];
  readonly append: ReadyEngine["append"];
  readonly run: ReadyEngine["run"];
  readonly handIn: ReadyEngine["handIn"];
  readonly close: () => Promise<void>;

  constructor(engine: ReadyEngine, close: () => Promise<void>) {
    this.plan = engine.plan;
    this.places = engine.places;
    this.hooks = engine.hooks;
    this.machine = engine.machine;
    this.takeRemarks = engine.takeRemarks;
    this.desk = engine.desk;
    this.append = engine.append;
    this.run = engine.run;
    this.handIn = engine.handIn;
    this.close = close;
  }
}

/** Hooks are made with the caller's environment: another one needs hooks of its own. */
const keyOf = (cwd: string, env: Environment, projectDir: string | undefined) =>
  `${digestOf(env)} ${projectDir ?? ""} ${cwd}`;

const digests = new WeakMap<Environment, string>();

function digestOf(env: Environment): string {
  const known = digests.get(env);
  if (known !== undefined) return known;
  const names = Object.keys(env).sort();
  const digest = sha256(JSON.stringify(names.map((name) => [name, env[name]])));
  digests.set(env, digest);
  return digest;
}
