/** A plan made into hooks that run. */
import { interpolate } from "../config/interpolate.ts";
import { compilePattern, type LinearRegex, type PatternData } from "../config/pattern.ts";
import type { Environment } from "../config/places.ts";
import type { Plan, PlanHook } from "../config/plan.ts";
import { EVENT_NAMES, type EventName, eventRow } from "../core/event.ts";
import { HookFailure } from "../core/failure.ts";
import { verdictOf } from "../core/hearing.ts";
import type { Hook, Member } from "../core/hook.ts";
import type { JsonObject } from "../core/json.ts";
import type { When } from "../core/match.ts";
import { commandHook } from "../custom/command.ts";
import type { Machine } from "../hooks/builtin.ts";
import { pathsPattern } from "../hooks/covered-paths.ts";
import { BUILTIN_HOOKS } from "../hooks/registry.ts";
import type { ModuleRuns } from "./lazy.ts";
import { SameQuestions } from "./same-question.ts";

export interface Assembly {
  readonly env: Environment;
  readonly machine: Machine;
  /** Present where the plan has a pattern that needs one. */
  readonly regex: LinearRegex | undefined;
  /** Present where the plan has a module hook. */
  readonly modules: ModuleRuns | undefined;
}

export function assembleHooks(plan: Plan, assembly: Assembly): Hook[] {
  const names = plan.hooks.flatMap(({ run }) => (run.type === "builtin" ? [run.name] : []));
  const questions = new SameQuestions(assembly.machine, names);
  const hooks = plan.hooks.map((hook) => assembleHook(hook, plan, assembly, questions));
  return plan.errors.length > 0 ? [brokenConfigHook(plan), ...hooks] : hooks;
}

export const needsRegex = (plan: Plan): boolean =>
  plan.hooks.some(({ matcher, when }) =>
    [matcher, when?.tool, when?.command].some((data) => data?.type === "regex" || data?.type === "glob"),
  );

export const needsModules = (plan: Plan): boolean => plan.hooks.some(({ run }) => run.type === "module");

function assembleHook(hook: PlanHook, plan: Plan, assembly: Assembly, questions: SameQuestions): Hook {
  const { name, source, layer, priority, on, mode } = hook;
  const when = whenOf(hook, assembly);
  const { statusMessage } = hook;
  const common = {
    name,
    source,
    layer,
    priority,
    on,
    ...(hook.last ? { last: hook.last } : {}),
    ...(mode ? { mode } : {}),
    ...(when ? { when } : {}),
    ...(statusMessage ? { statusMessage } : {}),
  };
  if (hook.trust === "untrusted") return { ...common, ...untrusted(hook, plan) };
  const options = optionsOf(hook, assembly.env);
  const member = memberOf(hook, options, assembly);
  const judge = member ? judgedAs(member) : judgeOf(hook, options, assembly, questions);
  // Begun with a field of its own: as a copy of `common` each hook would have another shape, and asking them were slow.
  return { onError: hook.onError, ...common, options, judge, ...(member ? { member } : {}) };
}

function memberOf({ run, timeoutMs }: PlanHook, options: JsonObject, { modules }: Assembly): Member | undefined {
  if (run.type !== "module") return undefined;
  return modules?.member({ file: run.file, index: run.index, pins: run.pins, options, timeoutMs });
}

/** For calls that are made up: undefined where nobody stands in for the hook. */
export function understudyOf(hook: Hook): Hook | undefined {
  const member = hook.member?.understudy?.();
  return member ? { ...hook, judge: judgedAs(member), member } : undefined;
}

/** Asked alone. */
function judgedAs(member: Member): Hook["judge"] {
  return (event, context) => {
    const told = member.panel.hear([member], event, context);
    return told instanceof Promise ? told.then(verdictOf) : verdictOf(told);
  };
}

function judgeOf(hook: PlanHook, options: JsonObject, { env }: Assembly, questions: SameQuestions): Hook["judge"] {
  const { run, name, timeoutMs } = hook;
  switch (run.type) {
    case "builtin": {
      const builtin = BUILTIN_HOOKS.find((candidate) => candidate.name === run.name);
      if (!builtin) throw new Error(`the plan names a built-in hook ${run.name} that does not exist`);
      return questions.judgeOf(builtin, options);
    }
    case "command":
      return commandHook({
        name,
        command: interpolate(run.command, env),
        env: interpolate(run.env, env),
        inherited: env,
        ...(hook.place ? { configFile: hook.place.file } : {}),
        timeoutMs,
      });
    case "module":
      return () => {
        throw new HookFailure("not-loaded", "module hooks are not available here");
      };
  }
}

const optionsOf = ({ run }: PlanHook, env: Environment): JsonObject =>
  run.type === "command" ? {} : interpolate(run.options, env);

function whenOf({ matcher, when }: PlanHook, { regex, machine }: Assembly): When | undefined {
  if (!matcher && !when) return undefined;
  const pattern = (data: PatternData) =>
    compilePattern(data, () => {
      if (!regex) throw new Error(`no regular expression engine was loaded for ${data.source}`);
      return regex;
    });
  return {
    ...(matcher ? { matcher: pattern(matcher) } : {}),
    ...(when?.kinds ? { kinds: when.kinds } : {}),
    ...(when?.hosts ? { hosts: when.hosts } : {}),
    ...(when?.agents ? { agents: when.agents } : {}),
    ...(when?.tool ? { tool: pattern(when.tool) } : {}),
    ...(when?.command ? { command: pattern(when.command) } : {}),
    ...(when?.paths ? { paths: pathsPattern(when.paths.source, machine) } : {}),
  };
}

/** Code that nobody trusted does not run; whether that blocks is the person's choice. */
function untrusted(hook: PlanHook, { settings }: Plan): Pick<Hook, "onError" | "judge"> {
  const choice = hook.onError === "block" ? settings.untrusted.guards : settings.untrusted.advice;
  return {
    onError: choice === "block" ? "block" : "continue",
    judge() {
      const place = hook.place ? ` (${hook.place.file}${hook.place.line ? `:${hook.place.line}` : ""})` : "";
      throw new HookFailure(
        "untrusted",
        `this project's hook${place} has not been trusted; the person can look at it and run: holdfast trust`,
      );
    },
  };
}

/**
 * With rules that cannot be read nobody knows what is forbidden, nor what would have been hidden of an output: everything
 * that guards is closed, and what a tool returns that ran meanwhile is withheld.
 */
function brokenConfigHook({ errors }: Plan): Hook {
  const [first] = errors;
  const where = first?.place.file ? ` in ${first.place.file}${first.place.line ? `:${first.place.line}` : ""}` : "";
  const more = errors.length > 1 ? ` and ${errors.length - 1} more` : "";
  const closed = EVENT_NAMES.filter((name: EventName) => eventRow(name).guards || name === "post_tool_use");
  return {
    name: "config",
    source: "holdfast",
    layer: "builtin",
    priority: -1000,
    on: closed,
    onError: "block",
    judge: ({ name }) => ({
      opinion: {
        kind: "block",
        rule: `config/${first?.code}`,
        reason: `the rules cannot be read: ${first?.code} ${first?.message}${where}${more}.\n${name === "post_tool_use" ? HAS_RUN : ""}Do instead: stop and tell the person; \`holdfast check\` shows what to fix. Until then every call is blocked, and every output withheld.`,
      },
      effects: [
        {
          type: "notice",
          notice: {
            event_name: "load",
            message: `${first?.code} ${first?.message}${where}${more}; everything is blocked until it is fixed (holdfast check)`,
            is_error: true,
            code: "config",
            hook: null,
          },
        },
      ],
    }),
  };
}

/** Whoever reads nothing of an output takes a call for stopped and makes it again, also one that a person let through once. */
const HAS_RUN =
  "The call has run; only what it returned is withheld, because the rules may hide some of it. Do not make it again.\n";
