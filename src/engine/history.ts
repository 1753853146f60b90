/** A session's past, from the records: read backwards, a bounded way, so that it costs the same in any project. */
import type { LedgerEntry } from "../core/effect.ts";
import type { AgentEvent } from "../core/event.ts";
import type { History } from "../hooks/history.ts";
import type { Journal } from "../records/journal.ts";
import type { NewestFirst } from "../records/newest-first.ts";

/** Evidence further back than this counts as missing: a guard then asks for it again. */
const MAX_LINES = 5_000;

/** Several hooks ask about one event: what one has read, the next need not read again. */
export function rememberedHistory(
  newestFirst: NewestFirst,
): (event: AgentEvent, ledger: Journal, audit: Journal) => History {
  let last: { event: AgentEvent; history: History } | undefined;
  return (event, ledger, audit) => {
    if (last?.event.id !== event.id || last.event.session !== event.session) {
      const { calls, stops } = historyOf(event, ledger, audit, newestFirst);
      last = { event, history: { calls: replayable(calls()), stops: replayable(stops()) } };
    }
    return last.history;
  };
}

function replayable<T>(source: Iterable<T>): () => Generator<T> {
  const iterator = source[Symbol.iterator]();
  const read: T[] = [];
  let done = false;
  return function* () {
    for (let index = 0; ; index++) {
      if (index === read.length) {
        const next = done ? { done: true as const, value: undefined } : iterator.next();
        if (next.done) {
          done = true;
          return;
        }
        read.push(next.value);
      }
      yield read[index] as T;
    }
  };
}

function historyOf(
  event: Pick<AgentEvent, "session" | "host">,
  ledger: Journal,
  audit: Journal,
  newestFirst: NewestFirst,
): History {
  const mark = `"session":${JSON.stringify(event.session)}`;
  return {
    *calls() {
      for (const record of newestFirst(ledger, {
        maxLines: MAX_LINES,
        marks: [mark],
      })) {
        if (record.session === event.session && record.host === event.host) yield record as unknown as LedgerEntry;
      }
    },
    *stops() {
      for (const record of newestFirst(audit, { maxLines: MAX_LINES, marks: [mark, '"decision":"block"'] })) {
        if (record.session !== event.session || record.decision !== "block") continue;
        for (const { rule } of reasonsOf(record.reasons)) if (rule) yield { rule, tool: String(record.tool ?? "") };
      }
    },
  };
}

const reasonsOf = (value: unknown) => (Array.isArray(value) ? (value as { rule?: string }[]) : []);
