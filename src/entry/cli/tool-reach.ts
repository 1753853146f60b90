/** Which tools a rule's patterns can mean on which host, from the tables of tools alone. */
import { compilePattern, type LinearRegex, type PatternData } from "../../config/pattern.ts";
import type { PlanHook } from "../../config/plan.ts";
import { eventRow } from "../../core/event.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { almostSpelt } from "../../core/nearest.ts";
import { TOOL_KINDS } from "../../core/tool.ts";
import { wildcardMatcher } from "../../hooks/path-glob.ts";
import type { Host } from "../../hosts/host.ts";

/** known: a tool of the host, or a kind. brought: only one that an MCP server brings. none: no tool. */
export type Reach = "known" | "brought" | "none";

/** What must hold of a call's tool: one of these. */
export interface ToolCondition {
  readonly written: string;
  readonly choices: readonly Choice[];
  /** Without it the hook is not asked. */
  readonly isOfHook: boolean;
}

interface Choice {
  readonly word: string;
  test(name: string): boolean;
  readonly mayBeBrought: boolean;
}

export function reachOn(host: Pick<Host, "tools">, { choices }: Pick<ToolCondition, "choices">): Reach {
  const names = [...host.tools.names, ...TOOL_KINDS];
  if (choices.some(({ test }) => names.some(test))) return "known";
  return choices.some(({ mayBeBrought }) => mayBeBrought) ? "brought" : "none";
}

export function toolConditions(hook: PlanHook, regex: LinearRegex): readonly ToolCondition[] {
  const { matcher, when, on, run } = hook;
  const isOnTools = on.every((event) => eventRow(event).matcher === "tool");
  const given = [
    ...(matcher && isOnTools ? [{ name: "matcher", data: matcher }] : []),
    ...(when?.tool ? [{ name: "tool", data: when.tool }] : []),
  ];
  return [
    ...given.map(({ name, data }) => ({
      written: `${name} ${data.source}`,
      choices: choicesOf(data, regex),
      isOfHook: true,
    })),
    ...(run.type === "builtin" ? conditionsOfOptions(run.name, run.options) : []),
  ];
}

function conditionsOfOptions(name: string, options: JsonObject): ToolCondition[] {
  const condition = (written: string, globs: readonly string[], isOfHook = false): ToolCondition[] =>
    globs.length === 0
      ? []
      : [{ written: `${written} ${globs.join(", ")}`, choices: globs.map((glob) => globChoice(glob)), isOfHook }];
  const rules = listOf(options.rules) as readonly JsonObject[];
  switch (name) {
    case "requires-confirmation":
      return condition("tools", texts(options.tools), true);
    case "workflow":
      return rules.flatMap(({ before }) => condition("before.tool", texts((before as JsonObject).tool)));
    case "approvals":
      return rules.flatMap(({ when }) => condition("when.tool", texts((when as JsonObject).tools)));
    default:
      return [];
  }
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

const texts = (value: Json | undefined): string[] =>
  (typeof value === "string" ? [value] : listOf(value)).filter((item) => typeof item === "string");

function choicesOf(data: PatternData, regex: LinearRegex): readonly Choice[] {
  if (data.type === "names")
    return data.exact.map((word) => ({ word, test: (name) => name === word, mayBeBrought: BROUGHT.test(word) }));
  const { test } = compilePattern(data, () => regex);
  if (data.type === "glob") return [{ ...globChoice(data.source), test }];
  const [, beginning] = /^\^([\w-]+)/.exec(data.source) ?? [];
  const word = data.source.replace(/[^\w-]+/g, "");
  return [{ word, test, mayBeBrought: beginning === undefined || BROUGHT.test(beginning) }];
}

const globChoice = (glob: string): Choice => ({
  word: glob.replace(/[^\w-]+/g, ""),
  test: wildcardMatcher(glob),
  mayBeBrought: BROUGHT.test(glob),
});

/** How names of MCP servers' tools begin, on one host or another; and what may begin so. */
const BROUGHT = /^(mcp|@|[*?{])|__/i;

/** What a person should hear: a tool that no host has, and whose name is almost that of one that some host has. */
export function misspeltTools(
  hooks: readonly PlanHook[],
  hosts: readonly Pick<Host, "tools">[],
  regex: LinearRegex,
): string[] {
  const known = [...new Set([...hosts.flatMap(({ tools }) => tools.names), ...TOOL_KINDS])];
  return hooks.flatMap((hook) =>
    toolConditions(hook, regex).flatMap(({ written, choices }) =>
      choices.flatMap((choice) => {
        if (choice.mayBeBrought || hosts.some((host) => reachOn(host, { choices: [choice] }) === "known")) return [];
        const meant = almostSpelt(choice.word, known);
        const file = hook.place ? `${hook.place.file}${hook.place.line ? `:${hook.place.line}` : ""}: ` : "";
        return meant === undefined
          ? []
          : [
              `${file}${written} of ${hook.name} never matches: no known host has a tool ${choice.word}; did you mean ${meant}?`,
            ];
      }),
    ),
  );
}
