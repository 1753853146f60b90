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
  private ran: Replayable<LedgerEntry> | undefined;
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
    this.ran ??= new Replayable(new CallsIn(this.ledger, this.event, this.newestFirst));
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

  at(index: number): IteratorResult<T> {
    if (index < this.read.length) return { done: false, value: this.read[index] as T };
    if (this.isOver) return OVER;
    const next = this.source.next();
    if (next.done) this.isOver = true;
    else this.read.push(next.value);
    return next;
  }
}

class Replay<T> implements Iterator<T> {
  private readonly of: Replayable<T>;
  private index = 0;

  constructor(of: Replayable<T>) {
    this.of = of;
  }

  next(): IteratorResult<T> {
    return this.of.at(this.index++);
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

/** No generator: it is resumed for many calls of the past on every call. */
class CallsIn implements Iterator<LedgerEntry> {
  private readonly records: Iterator<ReadRecord>;
  private readonly session: string;
  private readonly host: string;

  constructor(ledger: Journal, whose: Whose, newestFirst: NewestFirst) {
    this.session = whose.session;
    this.host = whose.host;
    this.records = newestFirst(ledger, { maxLines: MAX_LINES, marks: [markOf(whose)] })[Symbol.iterator]();
  }

  next(): IteratorResult<LedgerEntry> {
    for (;;) {
      const next = this.records.next();
      if (next.done) return next;
      const { value } = next;
      if (value.session === this.session && value.host === this.host)
        return next as unknown as IteratorResult<LedgerEntry>;
    }
  }
}

function* stopsIn(audit: Journal, whose: Whose, newestFirst: NewestFirst): Generator<Stop> {
  for (const record of newestFirst(audit, { maxLines: MAX_LINES, marks: [markOf(whose), '"decision":"block"'] })) {
    if (record.session !== whose.session || record.decision !== "block") continue;
    for (const { rule } of reasonsOf(record.reasons)) if (rule) yield { rule, tool: String(record.tool ?? "") };
  }
}

const reasonsOf = (value: unknown) => (Array.isArray(value) ? (value as { rule?: string }[]) : []);
