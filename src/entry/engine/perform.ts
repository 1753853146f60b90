/** Performs what decisions ask for besides the answer. Records are written before the answer is given. */
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "../../config/places.ts";
import type { Plan } from "../../config/plan.ts";
import type { Effect, Notice } from "../../core/effect.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { Outcome } from "../../hosts/host.ts";
import { appendRecords } from "../../records/journal.ts";
import { auditRecord } from "./audit-record.ts";
import { type JournalName, journalOf, trackingDir } from "./journals.ts";
import type { SessionMemory } from "./session-memory.ts";

export interface Performance {
  readonly plan: Plan;
  readonly places: Places;
  readonly memory: SessionMemory;
}

/** Returns what could not be recorded, in a person's words. */
export function performOutcomes(
  outcomes: readonly Outcome[],
  undelivered: readonly string[],
  performance: Performance,
): string[] {
  const { plan, places, memory } = performance;
  const first = outcomes[0]?.event;
  if (!first) return [];
  const effects = outcomes.flatMap(({ decision }) => decision.effects);
  const notices = [
    ...effects.flatMap((effect) => (effect.type === "notice" ? [effect.notice] : [])),
    ...undelivered.map(
      (message): Notice => ({ event_name: first.name, message, is_error: false, code: "undelivered", hook: null }),
    ),
  ];
  const write = (name: JournalName, records: readonly object[]) => {
    if (records.length === 0) return [];
    const result = appendRecords(journalOf(name, plan, places), records);
    return result.kind === "written" ? [] : [`${name}: ${result.cause.message} (${result.kind})`];
  };
  const problems = [
    ...write(
      "audit",
      outcomes.map((outcome) => auditRecord(outcome, plan)),
    ),
    ...write(
      "ledger",
      effects.flatMap((effect) => (effect.type === "ledger" ? [effect.entry] : [])),
    ),
    ...write("notices", freshNotices(notices, first, memory)),
    ...recordModifiedFiles(effects, plan.root),
  ];
  memory.learn(outcomes.flatMap(({ decision }) => decision.context.map(({ text }) => text)));
  return problems;
}

/** Standing conditions are told once a session; every single failure is told. */
const STANDING = ["untrusted", "config", "undelivered"];

function freshNotices(notices: readonly Notice[], event: AgentEvent, memory: SessionMemory) {
  const fresh = notices.filter((notice) => !STANDING.includes(notice.code) || !memory.knows(noticeText(notice)));
  memory.learn(fresh.filter(({ code }) => STANDING.includes(code)).map(noticeText));
  return fresh.map((notice) => ({ timestamp: event.at, host: event.host, session: event.session, ...notice }));
}

const noticeText = ({ code, hook, message }: Notice) => `notice ${code} ${hook} ${message}`;

function recordModifiedFiles(effects: readonly Effect[], root: string): string[] {
  const paths = effects.flatMap((effect) => (effect.type === "modified-file" ? [effect.path] : []));
  if (paths.length === 0) return [];
  try {
    mkdirSync(trackingDir(root), { recursive: true, mode: 0o700 });
    appendFileSync(join(trackingDir(root), "modified-files.log"), paths.map((path) => `${path}\n`).join(""), {
      mode: 0o600,
    });
    return [];
  } catch (error) {
    return [`modified-files.log: ${(error as Error).message}`];
  }
}
