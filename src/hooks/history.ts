/** What this session did before, newest first, read only as far back as a question needs. */
import type { LedgerEntry } from "../core/effect.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Machine } from "./builtin.ts";

export interface History {
  /** Tool calls that ran. */
  calls(): Iterable<LedgerEntry>;
  /** One of them by its place, 0 being the newest: an iterator for each call costs more than most hooks. */
  callAt(index: number): LedgerEntry | undefined;
  /** How often each rule stopped this session's agent, newest first. */
  stops(): Iterable<{ readonly rule: string; readonly tool: string }>;
}

/** The calls of the agent that acts: a sub-agent's loop is its own. */
export const callsOfAgent = (event: AgentEvent, machine: Pick<Machine, "historyOf">): Iterable<LedgerEntry> =>
  new CallsOfAgent(event.agent, machine.historyOf(event).calls()[Symbol.iterator]());

/** To be gone through once. No generator: it is resumed for every call of the past on every call. */
class CallsOfAgent implements IterableIterator<LedgerEntry> {
  private readonly agent: string | null;
  private readonly calls: Iterator<LedgerEntry>;

  constructor(agent: string | null, calls: Iterator<LedgerEntry>) {
    this.agent = agent;
    this.calls = calls;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<LedgerEntry> {
    for (;;) {
      const next = this.calls.next();
      if (next.done || next.value.agent === this.agent) return next;
    }
  }
}

/** The whole command of a shell call. */
export const commandOf = (call: LedgerEntry): string => call.command ?? call.input_summary ?? "";

const WRITES: readonly string[] = ["write", "edit"];
export const isEdit = (call: LedgerEntry) => WRITES.includes(call.tool_kind);
