/** The engine as the phases of a run use it: the same rules, trust, audit and notices as for every other event. */
import type { Desk } from "../../approvals/desk.ts";
import type { Environment } from "../../config/places.ts";
import { decide } from "../../core/engine.ts";
import { EVENT_NAMES, type EventName, eventRow } from "../../core/event.ts";
import type { Hook } from "../../core/hook.ts";
import type { ToolReader } from "../../core/rewrite.ts";
import type { DeskPlace } from "../../engine/desks.ts";
import { keptDesks } from "../../engine/kept-desks.ts";
import { keptEngines } from "../../engine/kept-engines.ts";
import { noted } from "../../engine/overrides.ts";
import { openPause, pausedHooks } from "../../engine/pause.ts";
import { performOutcomes, prepareRecords } from "../../engine/perform.ts";
import { memoryOf } from "../../engine/session-memory.ts";
import { monotonicMs } from "../../records/monotonic.ts";
import type { OpenEngine, PhaseEngine } from "../../runs/hooks/engine.ts";

export interface PhaseEngineSetting {
  readonly env: Environment;
  readonly distDir: string;
  /** Nothing is recorded: somebody only asks what would happen. */
  readonly isRehearsal?: boolean;
  /** What could not be recorded and the like, for a person. */
  onRemark(remark: string): void;
}

export interface ClosablePhaseEngine extends PhaseEngine {
  /** Where the rules that hold in a directory have people asked. */
  desk(cwd: string): Promise<Desk>;
  deskPlace(cwd: string): Promise<DeskPlace>;
  close(): Promise<void>;
}

export function createPhaseEngine({ env, distDir, isRehearsal, onRemark }: PhaseEngineSetting): ClosablePhaseEngine {
  const desks = keptDesks();
  const engines = keptEngines({ desks: desks.deskAt, ...(isRehearsal ? { rehearsal: true } : {}) });
  return {
    async close() {
      await engines.close();
      await desks.close();
    },
    async deskPlace(cwd) {
      const { plan, places, close } = await engines.engineAt(cwd, env, distDir, undefined);
      await close();
      return { settings: plan.settings.approvals, places, env };
    },
    async desk(cwd) {
      const engine = await engines.engineAt(cwd, env, distDir, undefined);
      try {
        return await engine.desk();
      } finally {
        await engine.close();
      }
    },
    async open({ id, cwd }): Promise<OpenEngine> {
      const found = await engines.engineAt(cwd, env, distDir, undefined);
      const engine = { ...found, run: id };
      const pause = openPause(engine.plan.root, engine.places, new Date());
      const rules = pause ? pausedHooks(engine.hooks) : engine.hooks;
      return {
        hooks: rules.filter(isPhaseHook),
        decide: (event, hook, signal) =>
          decide(event, [hook], deciding(engine.plan.settings.maxContextCharacters, signal)),
        async record(event, decision) {
          if (isRehearsal) return;
          const judged = { event, decision };
          const outcome = pause ? noted(judged, { paused: pause.until }) : judged;
          const performance = { memory: memoryOf(event, engine) };
          const records = prepareRecords([outcome], engine);
          const problems = await performOutcomes([outcome], records, NO_ANSWER, engine, performance);
          for (const remark of [...engine.takeRemarks(), ...problems]) onRemark(remark);
          engine.handIn();
        },
        close: () => engine.close(),
      };
    },
  };
}

/** Run and task events: what hooks of a run may hear. */
export const PHASE_EVENTS: readonly EventName[] = EVENT_NAMES.filter((name) => eventRow(name).law === "procedure");

const NO_ANSWER = { stdout: "", stderr: "", exitCode: 0 };

/** Events of a run carry no tool call. */
const NO_TOOLS: ToolReader = {
  read: (name) => {
    throw new Error(`an event of a run has no tool ${name}`);
  },
};

const deciding = (maxCharacters: number, signal: AbortSignal) => ({
  tools: NO_TOOLS,
  clock: () => Math.round(monotonicMs() * 1000) / 1000,
  signal,
  context: { maxCharacters, told: () => false },
  maxContinuations: 1,
});

const isPhaseHook = (hook: Hook): boolean => hook.on.some((name) => PHASE_EVENTS.includes(name));
