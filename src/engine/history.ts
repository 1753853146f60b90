/** A session's past, from the records: read backwards, a bounded way, so that it costs the same in any project. */
import type { LedgerEntry } from "../core/effect.ts";
import type { AgentEvent } from "../core/event.ts";
import type { History } from "../hooks/history.ts";
import type { Journal } from "../records/journal.ts";
import type { NewestFirst } from "../records/newest-first.ts";
import type { ReadRecord } from "../records/read-record.ts";
import { presentMoment } from "./moment.ts";

/** Evidence further back than this counts as missing: a guard then asks for it again. */
const MAX_LINES = 5_000;

/** Several hooks ask about one event: what one has read, the next need not read again. */
export function rememberedHistory(
  newestFirst: NewestFirst,
): (event: AgentEvent, ledger: Journal, audit: Journal) => History {
  let last: { event: AgentEvent; moment: object; history: History } | undefined;
  return (event, ledger, audit) => {
    const moment = presentMoment();
    if (last?.moment !== moment || last.event.id !== event.id || last.event.session !== event.session)
      last = { event, moment, history: new ReadHistory(event, ledger, audit, newestFirst) };
    return last.history;
  };
}

class ReadHistory implements History {
  private readonly event: AgentEvent;
  private readonly ledger: Journal;
  private readonly audit: Journal;
  private readonly newestFirst: NewestFirst;
  private ran: Calls | undefined;
  private stopped: Replayable<Stop> | undefined;

  constructor(event: AgentEvent, ledger: Journal, audit: Journal, newestFirst: NewestFirst) {
    this.event = event;
    this.ledger = ledger;
    this.audit = audit;
    this.newestFirst = newestFirst;
    this.ran = undefined;
    this.stopped = undefined;
  }

  calls(): Iterable<LedgerEntry> {
    return this.read();
  }

  callAt(index: number): LedgerEntry | undefined {
    return this.read().at(index);
  }

  private read(): Calls {
    this.ran ??= new Calls(this.ledger, this.event, this.newestFirst);
    return this.ran;
  }

  stops(): Iterable<Stop> {
    this.stopped ??= new Replayable(stopsIn(this.audit, this.event, this.newestFirst));
    return this.stopped;
  }
}

/** What was read once is not read again; the rest is, as far as somebody goes. */
class Replayable<T> implements Iterable<T> {
  private readonly source: Iterator<T>;
  private readonly read: T[] = [];
  private isOver = false;

  constructor(source: Iterator<T>) {
    this.source = source;
  }

  [Symbol.iterator](): Iterator<T> {
    return new Replay(this);
  }

  at(index: number): T | undefined {
    if (index < this.read.length) return this.read[index];
    if (this.isOver) return undefined;
    const next = this.source.next();
    if (next.done) this.isOver = true;
    else this.read.push(next.value);
    return next.value;
  }
}

class Replay<T> implements Iterator<T> {
  private readonly of: { at(index: number): T | undefined };
  private index = 0;

  constructor(of: { at(index: number): T | undefined }) {
    this.of = of;
  }

  next(): IteratorResult<T> {
    const value = this.of.at(this.index++);
    return value === undefined ? OVER : { done: false, value };
  }
}

const OVER = { done: true, value: undefined } as const;

type Stop = { readonly rule: string; readonly tool: string };
type Whose = Pick<AgentEvent, "session" | "host">;

let lastMark = { session: "", mark: '"session":""' };

/** One session calls again and again. */
function markOf({ session }: Whose): string {
  if (lastMark.session !== session) lastMark = { session, mark: `"session":${JSON.stringify(session)}` };
  return lastMark.mark;
}

/** A session's calls, read as far as somebody goes, and once. No generator: it would be resumed for each of them. */
class Calls implements Iterable<LedgerEntry> {
  private readonly records: Iterator<ReadRecord>;
  private readonly session: string;
  private readonly host: string;
  private readonly read: LedgerEntry[] = [];
  private isOver = false;

  constructor(ledger: Journal, whose: Whose, newestFirst: NewestFirst) {
    this.session = whose.session;
    this.host = whose.host;
    this.records = newestFirst(ledger, { maxLines: MAX_LINES, marks: [markOf(whose)] })[Symbol.iterator]();
  }

  [Symbol.iterator](): Iterator<LedgerEntry> {
    return new Replay(this);
  }

  at(index: number): LedgerEntry | undefined {
    const { read } = this;
    while (read.length <= index && !this.isOver) {
      const next = this.records.next();
      const value = next.done ? undefined : next.value;
      if (value === undefined) this.isOver = true;
      else if (value.session === this.session && value.host === this.host) read.push(value as unknown as LedgerEntry);
    }
    return read[index];
  }
}

function* stopsIn(audit: Journal, whose: Whose, newestFirst: NewestFirst): Generator<Stop> {
  for (const record of newestFirst(audit, { maxLines: MAX_LINES, marks: [markOf(whose), '"decision":"block"'] })) {
    if (record.session !== whose.session || record.decision !== "block") continue;
    for (const { rule } of reasonsOf(record.reasons)) if (rule) yield { rule, tool: String(record.tool ?? "") };
  }
}

const reasonsOf = (value: unknown) => (Array.isArray(value) ? (value as { rule?: string }[]) : []);
