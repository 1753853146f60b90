/** Rules for a machine. The user's hooks need no trust, the project's do. */
import { expect } from "vitest";
import type { Machine } from "./program.ts";

export interface ScriptHook {
  readonly event: string;
  readonly matcher?: string;
  /** A POSIX shell script: the event on stdin, the answer on stdout. */
  readonly script: string;
  readonly timeout_sec?: number;
  readonly on_error?: "block" | "continue";
  readonly id?: string;
}

export const userHooks = (machine: Machine, hooks: readonly ScriptHook[], rest: object = {}) =>
  put(machine, "config", hooks, rest);

export const projectHooks = (machine: Machine, hooks: readonly ScriptHook[], rest: object = {}) =>
  put(machine, "project", hooks, rest);

/** The plan is compiled here and now: a process would take ten times as long over it. */
async function put(machine: Machine, place: string, hooks: readonly ScriptHook[], rest: object): Promise<string> {
  const file = machine.write(`${place}/holdfast.json`, rulesText(machine, place, hooks, rest));
  await machine.cli(["check"]);
  return file;
}

function rulesText(machine: Machine, place: string, hooks: readonly ScriptHook[], rest: object): string {
  const groups: Record<string, object[]> = {};
  for (const [index, { event, matcher, script, ...entry }] of hooks.entries()) {
    const name = entry.id ?? `${index + 1}-${event}`;
    machine.write(`${place}/scripts/${name}.sh`, script);
    const hook = { type: "command", command: `sh ./scripts/${name}.sh`, ...entry };
    groups[event] = [...(groups[event] ?? []), { ...(matcher ? { matcher } : {}), hooks: [hook] }];
  }
  return JSON.stringify({ version: 1, hooks: groups, ...rest }, null, 2);
}

/** A script that answers with this object, whatever it is asked. */
export const answers = (answer: object) => `cat > /dev/null\ncat <<'ANSWER'\n${JSON.stringify(answer)}\nANSWER\n`;

/** How a block reads: the reason as its hook gave it, then whom to ask. */
export const blockedBy = (reason: string) =>
  expect.stringMatching(
    new RegExp(
      `^Blocked by holdfast: ${escaped(reason)}\\nA person can allow it once: holdfast allow-once [0-9a-f]{8}\\.$`,
    ),
  );

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

export const blocks = (reason: string) => answers({ decision: "block", reason });

export const tells = (event: string, text: string) =>
  answers({ hook_specific_output: { hook_event_name: event, additional_context: text } });
