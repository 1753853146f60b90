import { type AgentEvent, eventRow, hasTool } from "./event.ts";
import { type ToolKind, toolNames } from "./tool.ts";

/** A compiled pattern. Who compiles it promises that no input can make it hang. */
export interface Pattern {
  readonly source: string;
  test(value: string): boolean;
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
  /** Glob on any path the call names. */
  readonly paths?: Pattern;
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
  if (!when) return undefined;
  for (const [test, explain] of TESTS) {
    const reason = test(event, when) ? undefined : explain(when);
    if (reason) return reason;
  }
  return undefined;
}

type Test = (event: AgentEvent, when: When) => boolean;

const TESTS: readonly (readonly [Test, (when: When) => string])[] = [
  [(event, { hosts }) => !hosts || hosts.includes(event.host), ({ hosts }) => `only on host ${hosts?.join(", ")}`],
  [
    (event, { agents }) => !agents || isFor(agents, event),
    ({ agents }) => `only for agent ${agents?.names.join(", ")}`,
  ],
  [
    (event, { matcher }) => !matcher || subjects(event).some((subject) => matcher.test(subject)),
    ({ matcher }) => `matcher ${matcher?.source} does not match`,
  ],
  [
    (event, { kinds }) => !kinds || (hasTool(event) && kinds.includes(event.tool.kind)),
    ({ kinds }) => `only for tools of kind ${kinds?.join(", ")}`,
  ],
  [
    (event, { tool }) => !tool || (hasTool(event) && toolNames(event.tool).some((name) => tool.test(name))),
    ({ tool }) => `only for tool ${tool?.source}`,
  ],
  [
    (event, { command }) =>
      !command || (hasTool(event) && event.tool.kind === "shell" && command.test(event.tool.command)),
    ({ command }) => `only for command ${command?.source}`,
  ],
  [
    (event, { paths }) => !paths || (hasTool(event) && event.tool.paths.some((path) => paths.test(path))),
    ({ paths }) => `only for paths ${paths?.source}`,
  ],
];

function isFor({ names, inherited }: AgentScope, { agent, parentAgent, ancestors }: AgentEvent): boolean {
  if (agent !== null && names.includes(agent)) return true;
  if (!inherited) return false;
  return (ancestors ?? (parentAgent === null ? [] : [parentAgent])).some((name) => names.includes(name));
}

function subjects(event: AgentEvent): readonly string[] {
  if (eventRow(event.name).matcher === "agent" && "targetAgentId" in event) return [event.targetAgentId];
  return hasTool(event) ? toolNames(event.tool) : [];
}
