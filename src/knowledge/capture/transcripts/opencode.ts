/** OpenCode: its database. Asking the program to export a session takes seconds; a query takes none. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../../core/json.ts";
import { readsOf } from "../content.ts";
import { MAX_LINE_BYTES } from "../json-lines.ts";
import type { SessionPlace, TranscriptFaults, TranscriptFormat, TranscriptItem } from "../transcript.ts";

export const opencode: TranscriptFormat = { locate, items };

async function locate({ homeDir, env }: SessionPlace): Promise<string | undefined> {
  const file = join(env.XDG_DATA_HOME || join(homeDir, ".local", "share"), "opencode", "opencode.db");
  return existsSync(file) ? file : undefined;
}

/** In the order of time; what is too long is not even taken out. */
const PARTS = `
  select m.data as message, m.time_created as at, p.id as id,
         case when length(p.data) <= ${MAX_LINE_BYTES} then p.data end as part
  from message m join part p on p.message_id = m.id
  where m.session_id = ? and json_extract(p.data, '$.type') in ('text', 'tool')
  order by m.time_created, m.id, p.id`;

interface Row {
  readonly message: string;
  readonly at: number;
  readonly id: string;
  readonly part: string | null;
}

const ROWS_AT_A_TIME = 500;

async function* items(path: string, session: string, faults: TranscriptFaults): AsyncGenerator<TranscriptItem> {
  const { default: Database } = await import("libsql");
  const database = new Database(path, { readonly: true } as object);
  try {
    let rows = 0;
    for (const row of database.prepare(PARTS).iterate(session) as Iterable<Row>) {
      if (row.part === null) faults.longLines += 1;
      else yield* itemsOf(row.part, row, faults);
      rows += 1;
      // The query is synchronous: others in this process get their turn in between.
      if (rows % ROWS_AT_A_TIME === 0) await new Promise(setImmediate);
    }
  } finally {
    database.close();
  }
}

function itemsOf(text: string, { message, at, id }: Row, faults: TranscriptFaults): readonly TranscriptItem[] {
  const part = parsed(text);
  const info = parsed(message);
  if (!part || !info) {
    faults.badLines += 1;
    return [];
  }
  if (part.type === "tool") {
    const state = isJsonObject(part.state) ? part.state : {};
    return readsOf(part.tool, state.input, part.callID);
  }
  // A summary of a compaction and what the program adds to a prompt are nobody's words.
  if (part.synthetic === true || part.ignored === true || info.summary === true) return [];
  if (typeof part.text !== "string" || (info.role !== "user" && info.role !== "assistant")) return [];
  return [{ type: "said", speaker: info.role === "user" ? "user" : "agent", text: part.text, key: id, at }];
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
