/** What `holdfast log` was asked for. Checked before anything is read: a misspelt filter must not look like an empty record. */
import { HoldfastError } from "../../core/errors.ts";
import { canonicalEventName, EVENT_NAMES } from "../../core/event.ts";
import { nearest } from "../../core/nearest.ts";
import { HOSTS } from "../../hosts/registry.ts";
import { type CommandCall, textFlag } from "./command.ts";
import { observedInRecord } from "./observed.ts";
import { DECISION_COLOURS } from "./outcome.ts";

export interface LogFilter {
  /** Decisions instead of tool calls. */
  readonly audit: boolean;
  passes(record: Entry): boolean;
}

export function logFilter(call: CommandCall): LogFilter {
  const filters = filtersOf(call);
  // Only decisions have these.
  const audit = Boolean(call.flags.audit ?? filters.event ?? filters.decision) || filters.observed;
  if (audit && filters.failed) throw new HoldfastError("HF701", "--failed is about tool calls, not decisions");
  return { audit, passes: (record) => matches(record, filters) };
}

type Entry = Readonly<Record<string, unknown>>;

interface Filters {
  readonly tool: string | undefined;
  readonly session: string | undefined;
  readonly host: string | undefined;
  readonly event: string | undefined;
  readonly decision: string | undefined;
  readonly sinceMs: number | undefined;
  readonly failed: boolean;
  readonly observed: boolean;
}

function filtersOf(call: CommandCall): Filters {
  const flag = (name: string) => textFlag(call, name);
  return {
    tool: flag("tool"),
    session: flag("session"),
    host: oneOf(
      "host",
      flag("host"),
      HOSTS.map(({ id }) => id),
    ),
    event: oneOf("event", canonicalEventName(flag("event") ?? "") ?? flag("event"), EVENT_NAMES),
    decision: oneOf("decision", flag("decision"), Object.keys(DECISION_COLOURS)),
    sinceMs: parseTime(flag("since")),
    failed: call.flags.failed === true,
    observed: call.flags.observed === true,
  };
}

function oneOf(name: string, value: string | undefined, known: readonly string[]): string | undefined {
  if (value === undefined || known.includes(value)) return value;
  const meant = nearest(value, known);
  throw new HoldfastError("HF701", `there is no ${name} "${value}"`, {
    hint: meant ? `did you mean ${meant}?` : `use one of ${known.join(", ")}`,
  });
}

function parseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new HoldfastError("HF701", `"${text}" is not a time`, { hint: "use RFC 3339, as in 2026-11-13T16:00:00Z" });
  return time;
}

function matches(record: Entry, { tool, decision, sinceMs, failed, observed, ...equal }: Filters): boolean {
  return (
    (tool === undefined || [record.tool_name, record.tool_kind, record.tool].includes(tool)) &&
    // Whoever looks for what was blocked looks for questions too that a host could only be told as a block.
    (decision === undefined || [record.decision, record.delivered].includes(decision)) &&
    Object.entries(equal).every(([field, value]) => value === undefined || record[field] === value) &&
    (!failed || (record.success === false && record.outcome_unknown !== true)) &&
    (!observed || observedInRecord(record).length > 0) &&
    (sinceMs === undefined || Date.parse(String(record.timestamp)) >= sinceMs)
  );
}
