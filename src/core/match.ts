import { type AgentEvent, eventRow, hasTool, type ToolEvent } from "./event.ts";
import { type ToolKind, toolNames } from "./tool.ts";

/** A compiled pattern. Who compiles it promises that no input can make it hang. */
export interface Pattern {
  readonly source: string;
  test(value: string): boolean;
}

/** The same for the files of a call: who compiles it knows where the project is, and what a command would change. */
export interface PathsPattern {
  readonly source: string;
  test(event: ToolEvent): boolean;
}

/** When a hook is asked, as data, so that a hook that does not match need not even be loaded. */
export interface When {
  /** Tested, unanchored, against the tool's names or the target agent's id. */
  readonly matcher?: Pattern;
  readonly kinds?: readonly ToolKind[];
  /** Glob on the tool's name. */
  readonly tool?: Pattern;
  /** Glob on the shell command. */
  readonly command?: Pattern;
  /** Glob on the files a call names or its command would change. */
  readonly paths?: PathsPattern;
  readonly hosts?: readonly string[];
  readonly agents?: AgentScope;
}

/** The agents a hook is for. */
export interface AgentScope {
  readonly names: readonly string[];
  /** For the sub-agents below them too. */
  readonly inherited: boolean;
}

/** Why a hook is not asked about an event; undefined: it is. */
export function whyNot(event: AgentEvent, when: When | undefined): string | undefined {
  return when && unmet(event, conditionsOf(when));
}

/** The same of conditions that are at hand. */
export function unmet(event: AgentEvent, conditions: readonly Condition[]): string | undefined {
  for (const condition of conditions) if (!condition.test(event)) return condition.reason;
  return undefined;
}

/** One thing that must hold, and what is said where it does not. */
export interface Condition {
  readonly test: (event: AgentEvent) => boolean;
  readonly reason: string;
}

const known = new WeakMap<When, readonly Condition[]>();

/** Only those it has, found once: a rule book of hundreds of hooks is gone through on every call. */
export function conditionsOf(when: When): readonly Condition[] {
  const found = known.get(when);
  if (found) return found;
  const conditions = [...makeConditions(when)];
  known.set(when, conditions);
  return conditions;
}

function* makeConditions({ hosts, agents, matcher, kinds, tool, command, paths }: When): Generator<Condition> {
  if (hosts) yield { test: (event) => hosts.includes(event.host), reason: `only on host ${hosts.join(", ")}` };
  if (agents) yield { test: (event) => isFor(agents, event), reason: `only for agent ${agents.names.join(", ")}` };
  if (matcher)
    yield {
      test: (event) => subjects(event).some((subject) => matcher.test(subject)),
      reason: `matcher ${matcher.source} does not match`,
    };
  if (kinds)
    yield {
      test: (event) => hasTool(event) && kinds.includes(event.tool.kind),
      reason: `only for tools of kind ${kinds.join(", ")}`,
    };
  if (tool)
    yield {
      test: (event) => hasTool(event) && toolNames(event.tool).some((name) => tool.test(name)),
      reason: `only for tool ${tool.source}`,
    };
  if (command)
    yield {
      test: (event) => hasTool(event) && event.tool.kind === "shell" && command.test(event.tool.command),
      reason: `only for command ${command.source}`,
    };
  if (paths)
    yield {
      test: (event) => hasTool(event) && paths.test(event),
      reason: `only for paths ${paths.source}`,
    };
}

function isFor({ names, inherited }: AgentScope, { agent, parentAgent, ancestors }: AgentEvent): boolean {
  if (agent !== null && names.includes(agent)) return true;
  if (!inherited) return false;
  return (ancestors ?? (parentAgent === null ? [] : [parentAgent])).some((name) => names.includes(name));
}

let last: { readonly event: AgentEvent; readonly subjects: readonly string[] } | undefined;

/** Of one event they are asked for by every hook that has a matcher. */
function subjects(event: AgentEvent): readonly string[] {
  if (last?.event !== event) last = { event, subjects: subjectsOf(event) };
  return last.subjects;
}

function subjectsOf(event: AgentEvent): readonly string[] {
  if (eventRow(event.name).matcher === "agent" && "targetAgentId" in event) return [event.targetAgentId];
  return hasTool(event) ? toolNames(event.tool) : [];
}
