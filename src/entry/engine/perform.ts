/** Performs what decisions ask for besides the answer. Records are written before the answer is given. */
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
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
  const broken: string[] = [];
  const write = (name: JournalName, records: readonly object[]) => {
    if (records.length === 0) return [];
    const result = appendRecords(journalOf(name, plan, places), records);
    if (result.kind !== "written") return [`${name}: ${result.cause.message} (${result.kind})`];
    broken.push(...result.warnings.map(({ message }) => `${name}: ${message}`));
    return [];
  };
  ignoreInGit(plan.root);
  const problems = [
    ...write(
      "audit",
      outcomes.map((outcome) => auditRecord(outcome, plan)),
    ),
    ...write(
      "ledger",
      effects.flatMap((effect) => (effect.type === "ledger" ? [effect.entry] : [])),
    ),
    ...write("notices", [
      ...freshNotices(notices, first, memory),
      ...freshNotices(
        broken.map((message) => brokenNotice(message, first)),
        first,
        memory,
      ),
    ]),
    ...recordModifiedFiles(effects, plan.root),
  ];
  memory.learn(outcomes.flatMap(({ decision }) => decision.context.map(({ text }) => text)));
  return problems;
}

/** Records are this machine's: they do not belong into a commit. */
function ignoreInGit(root: string): void {
  const file = join(trackingDir(root), ".gitignore");
  if (existsSync(file)) return;
  try {
    mkdirSync(trackingDir(root), { recursive: true, mode: 0o700 });
    writeFileSync(file, "*\n", { mode: 0o600 });
  } catch {
    // An unwritable directory is reported by the records themselves.
  }
}

const brokenNotice = (message: string, { name }: AgentEvent): Notice => ({
  event_name: name,
  message: `${message} (holdfast log verify)`,
  is_error: true,
  code: "record",
  hook: null,
});

/** Standing conditions are told once a session; every single failure is told. */
const STANDING = ["untrusted", "config", "undelivered", "record"];

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
