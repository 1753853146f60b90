/** Module hooks in their worker, as config and the assembled engine use them. */
import { join } from "node:path";
import type { ModuleDescription } from "../config/compile-hook.ts";
import { globData } from "../config/pattern.ts";
import type { Environment } from "../config/places.ts";
import type { PlanWhen } from "../config/plan.ts";
import type { Member, Panel } from "../core/hook.ts";
import type { HookData } from "../custom/define-hook.ts";
import { Asker, type AskerPlace } from "../custom/module-asker.ts";
import { createModuleRunner } from "../custom/module-host.ts";
import type { Pins } from "../sources/pins.ts";
import type { ModuleRuns } from "./lazy.ts";

export interface DescribingRuns extends ModuleRuns {
  describe(file: string, pins: Pins | null): Promise<readonly ModuleDescription[]>;
}

/** `env`: the caller's, as command hooks have it; a daemon has another. */
export function moduleRuns(distDir: string, stateDir: string, env: Environment): DescribingRuns {
  const runner = createModuleRunner({
    workerFile: join(distDir, "custom", "module-worker.js"),
    packageEntry: join(distDir, "index.js"),
    cacheDir: join(stateDir, "module-cache"),
    env,
  });
  const panel: Panel = {
    hear: (members, event, context) => runner.judgeInTurn(members as readonly ModuleMember[], event, context),
  };
  return {
    describe: async (file, pins) => (await runner.describe(file, pins)).map(description),
    judge: ({ file, index, pins, event, context, timeoutMs }) =>
      runner.judge(file, index, event, context, timeoutMs, pins),
    member: ({ file, index, pins, options, timeoutMs }) =>
      new ModuleMember(panel, { file, exportIndex: index, pins, options, timeoutMs }),
    close: () => runner.close(),
  };
}

class ModuleMember extends Asker implements Member {
  readonly panel: Panel;

  constructor(panel: Panel, place: AskerPlace, isUnderstudy = false) {
    super(place, true, isUnderstudy);
    this.panel = panel;
  }

  override understudy(): ModuleMember {
    return new ModuleMember(this.panel, this, true);
  }
}

function description({ name, on, when, onError, priority, timeoutMs, options }: HookData): ModuleDescription {
  return {
    name,
    on,
    ...(when ? { when: planWhen(when) } : {}),
    ...(onError ? { onError } : {}),
    ...(priority !== undefined ? { priority } : {}),
    ...(timeoutMs !== undefined ? { timeoutMs } : {}),
    ...(options ? { options } : {}),
  };
}

const planWhen = ({ kinds, tool, command, paths, hosts }: NonNullable<HookData["when"]>): PlanWhen => ({
  ...(kinds ? { kinds } : {}),
  ...(hosts ? { hosts } : {}),
  ...(tool ? { tool: globData(tool) } : {}),
  ...(command ? { command: globData(command) } : {}),
  ...(paths ? { paths: globData(paths) } : {}),
});
