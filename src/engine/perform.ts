/** Performs what decisions ask for besides the answer. Records are written before the answer is given. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { escapeText } from "../core/context.ts";
import type { Effect, Notice } from "../core/effect.ts";
import type { AgentEvent } from "../core/event.ts";
import { makeDirectory } from "../files/make-directory.ts";
import type { HostAnswer, Outcome, Support } from "../hosts/host.ts";
import type { IoFailure } from "../records/io-failure.ts";
import { type AppendResult, appendRecords, type Journal } from "../records/journal.ts";
import { recordsNewestFirst } from "../records/newest-first.ts";
import { spooledRecords } from "../records/spool.ts";
import { auditRecord } from "./audit-record.ts";
import { type JournalName, journalOf, trackingDir } from "./journals.ts";
import { keepOutputs } from "./kept-outputs.ts";
import { recordModifiedFiles } from "./modified-files.ts";
import type { ReadyEngine } from "./ready.ts";
import type { SessionMemory } from "./session-memory.ts";

export interface Performance {
  readonly memory: SessionMemory;
  /** The records may hold these outcomes already. */
  readonly maybeRecorded?: boolean;
  /** Hears of each notice that is written. */
  readonly onNotice?: (notice: NoticeRecord) => void;
}

/** A notice as it stands in the journal. */
export type NoticeRecord = Notice & Pick<AgentEvent, "host" | "session"> & { readonly timestamp: string };

/** What will be written down of them. */
export interface PreparedRecords {
  readonly audit: ReturnType<typeof auditRecord>[];
  readonly ledger: ReturnType<typeof ledgerLines>;
}

export function prepareRecords(
  outcomes: readonly Outcome[],
  { plan, run }: Pick<ReadyEngine, "plan" | "run">,
  support?: Support,
): PreparedRecords {
  const inRun = <R extends object>(record: R): R => (run === undefined ? record : { run, ...record });
  const audit = outcomes.map((outcome) => inRun(auditRecord(outcome, plan, support)));
  const ledger = outcomes.flatMap(ledgerLines).map(inRun);
  return { audit, ledger };
}

/** Returns what could not be recorded, in a person's words. */
export async function performOutcomes(
  outcomes: readonly Outcome[],
  records: PreparedRecords,
  answer: HostAnswer,
  engine: Pick<ReadyEngine, "plan" | "places" | "append">,
  { memory, maybeRecorded = false, onNotice }: Performance,
): Promise<string[]> {
  const first = outcomes[0]?.event;
  if (!first) return [];
  const { plan, places } = engine;
  const tracking = trackingDir(plan.root, places);
  const effects = effectsOf(outcomes);
  const missing = <R extends { readonly id?: string; readonly event_id?: string }>(name: JournalName, records: R[]) =>
    maybeRecorded ? notYetIn(journalOf(name, plan, places), records) : records;
  const broken: IoFailure[] = [];
  const write = recorder(engine, (failure) => broken.push(failure));
  ignoreInGit(tracking);
  const audit = write("audit", missing("audit", records.audit));
  // Most calls have none, and begun together they are one write.
  const problems =
    records.ledger.length === 0
      ? await audit
      : (await Promise.all([audit, write("ledger", missing("ledger", records.ledger))])).flat();
  if (effects.length > 0) {
    const paths = effects.flatMap((effect) => (effect.type === "modified-file" ? [effect.path] : []));
    problems.push(...recordModifiedFiles(paths, tracking), ...keepOutputs(effects));
  }
  const undelivered = answer.undelivered ?? [];
  if (effects.length > 0 || undelivered.length > 0 || broken.length > 0) {
    const fresh = freshNotices(noticesOf(effects, undelivered, broken, first), first, memory);
    problems.push(...(await write("notices", fresh)));
    if (onNotice) for (const notice of fresh) onNotice(notice);
  }
  if (outcomes.some(tellsContext)) memory.learn(delivered(outcomes, answer));
  return problems;
}

/** Usually there is one outcome, and nothing to be done for it. */
function effectsOf(outcomes: readonly Outcome[]): readonly Effect[] {
  const [only] = outcomes;
  return only && outcomes.length === 1
    ? only.decision.effects
    : outcomes.flatMap(({ decision }) => [...decision.effects]);
}

const tellsContext = ({ decision }: Outcome) => decision.context.length > 0;

/** With the event's id, by which a line is known again. */
const ledgerLines = ({ event, decision }: Outcome) =>
  decision.effects.flatMap((effect) => (effect.type === "ledger" ? [{ event_id: event.id, ...effect.entry }] : []));

/** How far back a call that another process took up a moment ago can be. */
const RECENT_LINES = 2_000;

function notYetIn<R extends { readonly id?: string; readonly event_id?: string }>(journal: Journal, records: R[]): R[] {
  const idOf = (record: { readonly id?: unknown; readonly event_id?: unknown }) => record.event_id ?? record.id;
  const waiting = new Set(spooledRecords(journal).map(idOf));
  return records.filter((record) => {
    const id = String(idOf(record));
    if (waiting.has(id)) return false;
    for (const found of recordsNewestFirst(journal, {
      maxLines: RECENT_LINES,
      marks: [id],
    })) {
      if (idOf(found) === id) return false;
    }
    return true;
  });
}

/** Directories that have been looked at: once in the life of a process. */
const ignored = new Set<string>();

/** Records are this machine's: they do not belong into a commit. */
function ignoreInGit(directory: string): void {
  if (ignored.has(directory)) return;
  ignored.add(directory);
  const file = join(directory, ".gitignore");
  if (existsSync(file)) return;
  try {
    makeDirectory(directory, 0o700);
    writeFileSync(file, "*\n", { mode: 0o600 });
  } catch {
    // An unwritable directory is reported by the records themselves.
  }
}

/** Writes records to a journal and says what became of them. `report` hears of damage that a person should look at. */
export function recorder(
  { plan, places, append = appendRecords }: Pick<ReadyEngine, "plan" | "places" | "append">,
  report?: (failure: IoFailure) => void,
) {
  return async (name: JournalName, records: readonly object[]): Promise<string[]> => {
    if (records.length === 0) return [];
    const result = await append(journalOf(name, plan, places), records);
    if (result.kind !== "written") return [problemOf(name, result)];
    for (const warning of result.warnings) if (DAMAGE.includes(warning.code)) report?.(warning);
    return result.warnings.map(({ message }) => `${name}: ${message}`);
  };
}

const DAMAGE = ["JOURNAL_BROKEN", "SPOOL_SET_ASIDE"];

function problemOf(name: JournalName, result: Exclude<AppendResult, { kind: "written" }>): string {
  const { cause } = result;
  return result.kind === "spooled"
    ? `the ${name} could not be written (${cause.message}); the record waits in ${result.spoolFile} and is added later`
    : `HF602 a record for the ${name} is lost: ${[cause, result.spoolCause].flatMap((c) => c?.message ?? []).join("; ")}`;
}

function noticesOf(
  effects: readonly Effect[],
  undelivered: readonly string[],
  broken: readonly IoFailure[],
  { name }: AgentEvent,
): Notice[] {
  const notice = { event_name: name, hook: null };
  return [
    ...effects.flatMap((effect) => (effect.type === "notice" ? [effect.notice] : [])),
    ...undelivered.map((message): Notice => ({ ...notice, message, is_error: false, code: "undelivered" })),
    ...broken.map(
      ({ message }): Notice => ({
        ...notice,
        message: `${message} (holdfast log verify)`,
        is_error: true,
        code: "record",
      }),
    ),
  ];
}

/** Standing conditions are told once a session; every single failure is told. */
const STANDING = ["untrusted", "config", "undelivered", "record"];

function freshNotices(notices: readonly Notice[], event: AgentEvent, memory: SessionMemory): NoticeRecord[] {
  const fresh = notices.filter((notice) => !STANDING.includes(notice.code) || !memory.knows(noticeText(notice)));
  memory.learn(fresh.filter(({ code }) => STANDING.includes(code)).map(noticeText));
  return fresh.map((notice) => ({ timestamp: event.at, host: event.host, session: event.session, ...notice }));
}

const noticeText = ({ code, hook, message }: Notice) => `notice ${code} ${hook} ${message}`;

/** Context counts as told only where the answer really holds it: not every host takes it on every event. */
function delivered(outcomes: readonly Outcome[], { stdout, stderr }: HostAnswer): string[] {
  const said = `${stdout}\n${stderr}`;
  return outcomes
    .flatMap(({ decision }) => decision.context.map(({ text }) => text))
    .filter((text) => {
      const written = escapeText(text);
      return said.includes(written) || said.includes(JSON.stringify(written).slice(1, -1));
    });
}
