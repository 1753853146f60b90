/** Some decisions are a person's alone. An agent that runs our commands must not be able to take them. */
import { readFileSync } from "node:fs";
import type { Environment } from "../../config/places.ts";
import { HoldfastError } from "../../core/errors.ts";
import { HOSTS } from "../../hosts/registry.ts";

export interface Surroundings {
  readonly env: Environment;
  readonly isTerminal: boolean;
  /** Names of the processes above this one. */
  readonly ancestors: readonly string[];
}

/** Markers of agents that have no adapter here yet. */
const OTHER_MARKERS = [
  "AI_AGENT",
  "CODEX_SANDBOX",
  "CODEX_THREAD_ID",
  "CURSOR_AGENT",
  "GEMINI_CLI",
  "OPENCODE",
  "QWEN_CODE",
  "COPILOT_AGENT",
  "CLINE_ACTIVE",
];
const AGENT_PROGRAMS = [
  "claude",
  "codex",
  "cursor-agent",
  "gemini",
  "kiro-cli",
  "pi",
  "pi-rpc",
  "copilot",
  "opencode",
  "qwen",
  "aider",
  "goose",
];

/** Throws unless a person, and not an agent on their behalf, is at the other end. */
export function assertPerson({ env, isTerminal, ancestors }: Surroundings, what: string): void {
  assertNoAgentShell(env, what);
  const agent = ancestors.find((name) => AGENT_PROGRAMS.includes(name));
  if (agent) throw refuse(what, `this shell runs under ${agent}`);
  if (!isTerminal) throw refuse(what, "there is no terminal");
}

/** For what a person's script may do, but not the shell of an agent. */
export function assertNoAgentShell(env: Environment, what: string): void {
  const marker = [...HOSTS.flatMap(({ markers }) => markers), ...OTHER_MARKERS].find((name) => env[name]);
  if (marker) throw refuse(what, `this shell was started by an agent (${marker} is set)`);
}

const refuse = (what: string, why: string) =>
  new HoldfastError("HF501", `${what} needs a person at a terminal, but ${why}`, {
    hint: `open a terminal of your own and run: holdfast ${what}`,
  });

export const surroundings = (env: Environment): Surroundings => ({
  env,
  isTerminal: Boolean(process.stdin.isTTY && process.stdout.isTTY),
  ancestors: ancestorNames(process.ppid),
});

/** From /proc, where there is one; elsewhere the other signs must do. */
function ancestorNames(pid: number): string[] {
  const names: string[] = [];
  for (let current = pid; current > 1 && names.length < 64; ) {
    let stat: string;
    try {
      stat = readFileSync(`/proc/${current}/stat`, "utf8");
    } catch {
      return names;
    }
    const end = stat.lastIndexOf(")");
    names.push(stat.slice(stat.indexOf("(") + 1, end));
    current = Number(stat.slice(end + 2).split(" ")[1]);
  }
  return names;
}
