/** Runs wired with the real things: their store, the engine, module hooks, backends. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Environment, placesOf } from "../../config/places.ts";
import type { WorkerSettings } from "../../config/plan.ts";
import { moduleRuns } from "../../engine/modules.ts";
import { type Backends, createBackends } from "../../runs/backends/registry.ts";
import { freezeHooks } from "../../runs/hooks/freeze.ts";
import { runPhase } from "../../runs/hooks/phase.ts";
import type { RunPorts } from "../../runs/ports.ts";
import type { RunQueue } from "../../runs/queue.ts";
import type { Run } from "../../runs/run.ts";
import { definitionPlaces, hookDirs, trustOf } from "./definitions.ts";
import { requireTrustedHere } from "./frozen-trust.ts";
import { createPhaseEngine } from "./phase-engine.ts";
import { repositoryOf } from "./repository.ts";
import { createRunMachine } from "./run-machine.ts";
import { openRunStore } from "./run-store.ts";
import { tellPeople } from "./tell-people.ts";

export interface RunSetting {
  readonly env: Environment;
  readonly cwd: string;
  readonly distDir: string;
  /** Nothing is recorded beside the run: somebody only asks what would happen. */
  readonly isRehearsal?: boolean;
  /** What stops nothing but should be known. */
  onRemark(remark: string): void;
}

export interface OpenRuns extends RunPorts {
  readonly backends: Backends;
  /** Undefined: runs are files, and there is no queue. */
  readonly queue: RunQueue | undefined;
  /** What a worker on this machine takes. */
  readonly worker: WorkerSettings;
  /** Tells people in a channel how a run ended. Why nobody was told; undefined: they were. */
  tellPeople(run: Run, channel: string): Promise<string | undefined>;
  close(): Promise<void>;
}

export async function openRuns(setting: RunSetting): Promise<OpenRuns> {
  const { cwd, distDir } = setting;
  const env = surroundingsOf(setting.env, distDir);
  const places = placesOf(env);
  const { store, queue, worker, close } = await openRunStore({ env, cwd, distDir });
  const engine = createPhaseEngine({ ...setting, env });
  const modules = moduleRuns(distDir, places.stateDir, env);
  const backends = createBackends({
    holdfast: [process.execPath, join(distDir, "..", "bin", "holdfast")],
    configDir: places.userDir,
    packageFile: join(distDir, "index.js"),
  });
  return {
    store,
    queue,
    worker,
    backends,
    env,
    places: { configDir: places.userDir, stateDir: places.stateDir },
    now: () => new Date(),
    backendOf: (id) => backends.named(id),
    repoOf: async (directory) => repositoryOf(directory),
    freeze: (assignment, values) =>
      freezeHooks(assignment, {
        ...{ values, env, modules, isTrusted: trustOf(env) },
        hookDirs: hookDirs(definitionPlaces(cwd, env)),
      }),
    async runPhase({ env: more, ...call }) {
      const { hooks = call.run.hooks } = call;
      requireTrustedHere({ queue, env }, { hooks, assignment: call.run.assignment });
      const machine = createRunMachine({ env: { ...env, ...more }, modules, store, desk: engine.desk });
      return runPhase({ ...call, engine, machine, now: () => new Date() });
    },
    tellPeople: async (run, channel) => tellPeople(run, channel, await engine.deskPlace(run.settings.cwd)),
    async close() {
      await Promise.all([engine.close(), modules.close(), close()]);
    },
  };
}

/**
 * What everything that works on a run inherits: the Holdfast that drives it comes first on the PATH, and hooks judge,
 * whoever started the run.
 */
function surroundingsOf(
  { HOLDFAST_INTERNAL: _, HOLDFAST_DETACHED: __, ...env }: Environment,
  distDir: string,
): Environment {
  const bin = join(distDir, "..", "bin");
  const first = env.PATH?.split(delimiter)[0];
  if (first === bin || !existsSync(join(bin, "holdfast"))) return env;
  return { ...env, PATH: [bin, env.PATH].filter(Boolean).join(delimiter) };
}
