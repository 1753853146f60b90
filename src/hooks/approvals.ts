/** Calls that need the yes of people the config names. It only asks: the engine finds out what they say. */
import { APPROVALS_HOOK, APPROVALS_PREFIX, type ApprovalRule, type ApprovalWhen } from "../core/approval-rule.ts";
import type { EventOf } from "../core/event.ts";
import { anyJson, list } from "../core/fields.ts";
import { isJsonObject, type Json } from "../core/json.ts";
import { NO_OPINION } from "../core/verdict.ts";
import type { BuiltinHook, Machine } from "./builtin.ts";
import { coveredBy } from "./covered-paths.ts";
import { effectWords } from "./effect-words.ts";
import { wildcardMatches } from "./path-glob.ts";
import { namesTool } from "./tool-glob.ts";
import { touchedPaths } from "./touched-paths.ts";

type Call = EventOf<"pre_tool_use">;

export const approvals: BuiltinHook = {
  name: APPROVALS_HOOK,
  doc: "asks the people named under `approvals:` about the calls named there, and lets them run after their yes",
  on: ["pre_tool_use"],
  answers: ["ask", "block"],
  guards: true,
  ownSection: true,
  onError: "block",
  priority: 40,
  options: { rules: list(anyJson("a rule of the section `approvals:`, compiled")) },
  defaults: { rules: [] },
  judge(event, { options }, machine) {
    if (event.name !== "pre_tool_use") return NO_OPINION;
    // In one file the first rule that matches speaks; files add up, because each has a hook of its own.
    const rule = (options.rules as unknown as readonly ApprovalRule[]).find(({ when }) => needs(when, event, machine));
    if (!rule) return NO_OPINION;
    return {
      opinion: {
        kind: "ask",
        rule: `${APPROVALS_PREFIX}${rule.name}`,
        reason: `${whatOf(event)} needs the approval of ${approversOf(rule)}.`,
      },
    };
  },
};

function needs(when: ApprovalWhen, event: Call, machine: Machine): boolean {
  const tests: readonly [unknown, () => boolean][] = [
    [when.agents, () => isOfAgent(when, event)],
    [when.tools, () => namesTool(when.tools ?? [], event.tool)],
    [when.kinds, () => when.kinds?.includes(event.tool.kind) === true],
    [when.requiresConfirmation, () => isMarked(event.metadata?.requires_confirmation)],
    [when.amount, () => exceeds(event.tool.input, when.amount ?? { field: "", above: 0 })],
    [when.commands, () => runs(when.commands ?? [], event, machine)],
    [when.paths, () => touchedPaths(event, machine).some(coveredBy(when.paths ?? [], machine))],
    [when.effects, () => effectWords(event, machine).some((word) => when.effects?.includes(word))],
  ];
  return tests.every(([asked, holds]) => asked === undefined || holds());
}

function isOfAgent(
  { agents = [], inheritsAgents = true }: ApprovalWhen,
  { agent, parentAgent, ancestors }: Call,
): boolean {
  if (agent !== null && agents.includes(agent)) return true;
  const above = ancestors ?? (parentAgent === null ? [] : [parentAgent]);
  return inheritsAgents && above.some((name) => agents.includes(name));
}

/** Only a clear no is a no. */
const isMarked = (mark: unknown) => mark !== undefined && mark !== false && mark !== null;

/** What is missing, or no number, may be any amount. */
export function exceeds(input: Json, { field, above }: { readonly field: string; readonly above: number }): boolean {
  let value: Json | undefined = input;
  for (const key of field.split(".")) {
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  const amount = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof amount !== "number" || !Number.isFinite(amount) || Math.abs(amount) > above;
}

/** A glob on the line as written, and on every program it starts, through whatever wrapper. */
function runs(globs: readonly string[], { tool, cwd }: Call, machine: Machine): boolean {
  if (tool.kind !== "shell") return false;
  const started = machine
    .analyse(tool.command, cwd)
    .invocations.map(({ program, args }) => [program, ...args.map(({ text }) => text)].join(" "));
  const lines = [tool.command.trim(), ...started];
  return globs.some((glob) => lines.some((line) => wildcardMatches(glob, line)));
}

const MAX_SHOWN = 80;

export function whatOf({ tool }: Pick<Call, "tool">): string {
  const text = tool.kind === "shell" ? tool.command : [tool.name, ...tool.paths].join(" ");
  const line = text.replace(/\s+/g, " ").trim();
  return `\`${line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line}\``;
}

export function approversOf({ approvers: { people, roles, count } }: Pick<ApprovalRule, "approvers">): string {
  const named = [
    ...people.map((name) => (name === "@initiator" ? "the person the agent acts for" : name)),
    ...roles.map((role) => `role ${role}`),
  ];
  const who = named.length > 0 ? named.join(", ") : "an approver";
  return count > 1 ? `${count} of: ${who}` : who;
}
