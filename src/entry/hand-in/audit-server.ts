/** The server that takes records, over its API. */
import type { HandedRow } from "../../engine/handed-row.ts";

export interface AuditServer {
  /** How far a source has been handed in. */
  lastSequence(source: string): Promise<number>;
  /** Rows of one source in their order; returns how far it has been handed in now. */
  handIn(source: string, rows: readonly HandedRow[]): Promise<number>;
}

const PATIENCE_MS = 20_000;
/** What the API takes in one field and in one record. */
const LONGEST_TEXT = 500;
const LONGEST_RECORD = 500_000;

export function auditServer(server: string, token: string): AuditServer {
  const base = server.replace(/\/+$/, "");

  async function ask(path: string, body?: object): Promise<number> {
    const response = await fetch(`${base}/api/audit${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      redirect: "error",
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).catch((error: Error) => {
      throw new Error(`${base} cannot be reached: ${(error.cause as Error | undefined)?.message ?? error.message}`);
    });
    const text = await response.text();
    const { lastSequence, error } = answerOf(text);
    if (response.ok && lastSequence !== undefined) return lastSequence;
    throw new ServerRefusal(
      response.status,
      `${base} answered ${response.status}: ${error?.message ?? "no JSON of ours"}`,
    );
  }

  async function handIn(source: string, rows: readonly HandedRow[]): Promise<number> {
    try {
      return await ask("", { source, rows: rows.map(fitting) });
    } catch (error) {
      if (!(error instanceof ServerRefusal && error.isOfContent)) throw error;
      const [only] = rows;
      if (!only) throw error;
      // One row that the server cannot use must hold up no other: it is found by halves, and its outline sent instead.
      if (rows.length === 1) return ask("", { source, rows: [fitting(outlineOf(only))] });
      const middle = Math.ceil(rows.length / 2);
      await handIn(source, rows.slice(0, middle));
      return handIn(source, rows.slice(middle));
    }
  }

  return { lastSequence: (source) => ask(`/sources/${encodeURIComponent(source)}`), handIn };
}

class ServerRefusal extends Error {
  readonly isOfContent: boolean;

  constructor(status: number, message: string) {
    super(message);
    this.isOfContent = [400, 413, 422].includes(status);
  }
}

function answerOf(text: string): { lastSequence?: number; error?: { message?: string } } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function fitting(row: HandedRow): HandedRow {
  const cut = (text: string) => text.slice(0, LONGEST_TEXT);
  const { record } = row.record.length > LONGEST_RECORD ? outlineOf(row) : row;
  return {
    ...row,
    record,
    // A line whose time somebody changed is evidence too.
    at: Number.isNaN(Date.parse(row.at)) ? new Date(0).toISOString() : new Date(row.at).toISOString(),
    session: cut(row.session),
    event: cut(row.event),
    decision: cut(row.decision),
    tool: row.tool === null ? null : cut(row.tool),
  };
}

function outlineOf({ sequence, record, ...row }: HandedRow): HandedRow {
  const leftOut = `${record.length} characters: too long for the server; the whole record is on its machine`;
  return { sequence, ...row, record: JSON.stringify({ seq: sequence, timestamp: row.at, left_out: leftOut }) };
}
