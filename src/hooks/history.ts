/** What this session did before, newest first, read only as far back as a question needs. */
import type { LedgerEntry } from "../core/effect.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Machine } from "./builtin.ts";

export interface History {
  /** Tool calls that ran. */
  calls(): Iterable<LedgerEntry>;
  /** How often each rule stopped this session's agent, newest first. */
  stops(): Iterable<{ readonly rule: string; readonly tool: string }>;
}

/** The calls of the agent that acts: a sub-agent's loop is its own. */
export function* callsOfAgent(event: AgentEvent, machine: Pick<Machine, "historyOf">): Generator<LedgerEntry> {
  for (const call of machine.historyOf(event).calls()) if (call.agent === event.agent) yield call;
}

/** The whole command of a shell call. */
export const commandOf = (call: LedgerEntry): string => call.command ?? call.input_summary ?? "";

const WRITES: readonly string[] = ["write", "edit"];
export const isEdit = (call: LedgerEntry) => WRITES.includes(call.tool_kind);
