/** Payloads as hosts sent them, moved into a machine's project. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "./program.ts";

const hostsDir = join(import.meta.dirname, "../src/hosts");

export interface Recorded {
  readonly host: string;
  readonly name: string;
  /** What was recorded, `/project` made the machine's project. */
  on(machine: Machine): { payload: Record<string, unknown>; env: Record<string, string> };
}

const FOLDERS = [
  ["claude-code", "2.1.325"],
  ["kiro", "documented-2.x"],
  ["kiro", "documented-3.x"],
  ["pi", "0.87.1"],
] as const;

export const RECORDED: readonly Recorded[] = FOLDERS.flatMap(([host, version]) => {
  const dir = join(hostsDir, host, "fixtures", version);
  return readdirSync(dir).map((file) => recorded(host, `${version}/${file.replace(/\.json$/, "")}`, join(dir, file)));
});

function recorded(host: string, name: string, file: string): Recorded {
  return {
    host,
    name,
    on({ projectDir }) {
      const inJson = JSON.stringify(projectDir).slice(1, -1);
      const text = readFileSync(file, "utf8").replaceAll(/\/project(?=["/])/g, () => inJson);
      const { stdin, env } = JSON.parse(text);
      return { payload: stdin, env };
    },
  };
}

/** The payload of a recorded event, with some of its fields changed. */
export function payload(machine: Machine, host: string, name: string, changes: object = {}): Record<string, unknown> {
  const found = RECORDED.find((item) => item.host === host && item.name.endsWith(`/${name}`));
  if (!found) throw new Error(`nothing was recorded of ${host} ${name}`);
  return { ...found.on(machine).payload, ...changes };
}

export const claude = (machine: Machine, name: string, changes: object = {}) =>
  payload(machine, "claude-code", name, changes);

export const kiro = (machine: Machine, name: string, changes: object = {}) => payload(machine, "kiro", name, changes);

/** A shell command as Claude Code is about to run it. */
export const claudeShell = (machine: Machine, command: string, changes: object = {}) =>
  claude(machine, "PreToolUse", { tool_input: { command }, ...changes });

export const kiroShell = (machine: Machine, command: string, changes: object = {}) =>
  kiro(machine, "preToolUse.shell", { tool_input: { command }, ...changes });
