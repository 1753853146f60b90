/** Built-in hooks as config sees them: the catalogue that the schema is made from, and their entries in a plan. */
import type { GuardSetting } from "../config/guards.ts";
import type { PlanHook, PlanSettings } from "../config/plan.ts";
import type { Tunable } from "../core/tunable.ts";
import type { BuiltinHook } from "../hooks/builtin.ts";
import { BUILTIN_HOOKS } from "../hooks/registry.ts";

export const CATALOGUE: readonly Tunable[] = BUILTIN_HOOKS.filter(
  ({ guards, optIn, ownSection }) => (guards || optIn) && !ownSection,
);

export function builtinPlanHooks(settings: readonly GuardSetting[], sections: PlanSettings): PlanHook[] {
  return BUILTIN_HOOKS.flatMap((hook): PlanHook[] => {
    if (hook.ownSection) return [];
    if (hook.switchedOnBy && sections[hook.switchedOnBy] === undefined) return [];
    const setting = settings.find(({ entry }) => entry.name === hook.name);
    if (setting && !setting.enabled) return [];
    return [planHook(hook, setting)];
  });
}

/** As an agent's list names it: it belongs to the layer of the file that does. */
export function builtinPlanHook(setting: GuardSetting): PlanHook {
  const hook = BUILTIN_HOOKS.find(({ name }) => name === setting.entry.name);
  if (!hook) throw new Error(`there is no built-in hook ${setting.entry.name}`);
  return planHook(hook, setting);
}

const planHook = (hook: BuiltinHook, setting: GuardSetting | undefined): PlanHook => ({
  name: hook.name,
  source: "builtin",
  layer: setting?.managed ? "managed" : "builtin",
  priority: hook.priority,
  ...(hook.last ? { last: hook.last } : {}),
  on: hook.on,
  onError: hook.onError,
  ...(setting?.mode === "observe" ? { mode: "observe" as const } : {}),
  timeoutMs: 1000,
  run: { type: "builtin", name: hook.name, options: setting?.options ?? hook.defaults },
  trust: "not-needed",
});
