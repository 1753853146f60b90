/** The tables of both databases. Bodies are the whole thing as JSON text; columns beside them are what is asked for. */
import type { Generated } from "kysely";

export interface Tables {
  approvals: {
    /** In the order they were stored. */
    seq: Generated<number>;
    id: string;
    organisation: string;
    digest: string;
    status: string;
    version: number;
    session: string;
    agent: string | null;
    initiator: string | null;
    tool: string;
    /** When something is due next, in milliseconds since 1970; null: never again. */
    due_at: number | null;
    body: string;
  };
  history: { seq: Generated<number>; approval: string; organisation: string; body: string };
  people: { organisation: string; id: string; body: string };
  identities: { identity: string; organisation: string; person: string };
  channels: { id: string; organisation: string; created_at: string; body: string };
  kept: { key: string; value: string; expires_at: number };
  settings: { organisation: string; body: string };
  audit: {
    source: string;
    sequence: number;
    organisation: string;
    /** As it came, and in milliseconds since 1970. */
    at: string;
    at_ms: number;
    session: string;
    event: string;
    decision: string;
    tool: string | null;
    ms: number;
    ms_class: number;
    record: string;
  };
  /** SQLite: rows of the audit counted by the minute and by the hour, as they came in. */
  audit_counts: {
    organisation: string;
    width_ms: number;
    starts_at: number;
    decision: string;
    ms_class: number;
    rows: number;
  };
  /** PostgreSQL: the same with all classes of latency in one row, the first for class 0. */
  audit_histograms: {
    organisation: string;
    width_ms: number;
    starts_at: number;
    decision: string;
    counts: readonly number[];
  };
}
