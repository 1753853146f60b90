/** The audit as a stream, page by page: as much as there is, with little of it in memory at a time. */
import type { AuditQuery, AuditRow } from "../../approvals/store.ts";
import type { ServerContext } from "./context.ts";

interface Format {
  readonly type: string;
  readonly extension: string;
  readonly head: (context: ServerContext) => string;
  readonly row: (row: AuditRow) => string;
  readonly between: string;
  readonly foot: string;
}

const COLUMNS = ["at", "source", "sequence", "session", "event", "decision", "tool", "ms", "record"] as const;

export const AUDIT_FORMATS = {
  jsonl: {
    type: "application/x-ndjson",
    extension: "jsonl",
    head: () => "",
    row: ({ organisation: _, record, ...row }) => `${JSON.stringify(row).slice(0, -1)},"record":${record}}\n`,
    between: "",
    foot: "",
  },
  csv: {
    type: "text/csv; charset=utf-8",
    extension: "csv",
    head: () => `${COLUMNS.join(",")}\r\n`,
    row: (row) => `${COLUMNS.map((column) => cell(row[column])).join(",")}\r\n`,
    between: "",
    foot: "",
  },
  otlp: {
    type: "application/json",
    extension: "json",
    head: ({ version }) =>
      `{"resourceLogs":[{"resource":{"attributes":[${attribute("service.name", "holdfast")}]},` +
      `"scopeLogs":[{"scope":{"name":"holdfast.audit","version":${JSON.stringify(version)}},"logRecords":[`,
    row: logRecord,
    between: ",\n",
    foot: "]}]}]}\n",
  },
} as const satisfies Record<string, Format>;

const PAGE = 500;

export function exportAudit(
  context: ServerContext,
  query: Omit<AuditQuery, "cursor" | "limit">,
  name: keyof typeof AUDIT_FORMATS,
  isStillSignedIn: () => Promise<boolean>,
): Response {
  const format: Format = AUDIT_FORMATS[name];
  const encoder = new TextEncoder();
  const texts = textsOf(context, query, format, isStillSignedIn);
  const body = new ReadableStream<Uint8Array>({
    // A failure in the middle breaks the connection off: a shortened export never looks like a whole one.
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return();
    },
  });
  return new Response(body, {
    headers: {
      "content-type": format.type,
      "content-disposition": `attachment; filename="holdfast-audit.${format.extension}"`,
    },
  });
}

async function* textsOf(
  context: ServerContext,
  query: Omit<AuditQuery, "cursor" | "limit">,
  { head, row, between, foot }: Format,
  isStillSignedIn: () => Promise<boolean>,
): AsyncGenerator<string, void, void> {
  let cursor: string | undefined;
  let separator = "";
  yield head(context);
  do {
    if (!(await isStillSignedIn())) throw new Error("whoever asked for the export may no longer read it");
    const page = await context.stores.audit({ ...query, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    let text = "";
    for (const found of page.rows) {
      text += separator + row(found);
      separator = between;
    }
    if (text !== "") yield text;
    cursor = page.next;
  } while (cursor !== undefined);
  yield foot;
}

/** Quoted; and what a spreadsheet would take for a formula is made text. */
function cell(value: string | number | null): string {
  const text = value === null ? "" : String(value);
  const harmless = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** One log record of OpenTelemetry's JSON encoding. */
function logRecord({ at, source, sequence, session, event, decision, tool, ms, record }: AuditRow): string {
  const nanoseconds = `${BigInt(Date.parse(at)) * 1_000_000n}`;
  const isRefusal = decision === "block" || decision === "deny";
  const attributes = [
    attribute("holdfast.source", source),
    attribute("holdfast.sequence", sequence),
    attribute("session.id", session),
    attribute("holdfast.event", event),
    attribute("holdfast.decision", decision),
    ...(tool === null ? [] : [attribute("holdfast.tool", tool)]),
    attribute("holdfast.duration_ms", ms),
  ];
  return (
    `{"timeUnixNano":"${nanoseconds}","observedTimeUnixNano":"${nanoseconds}",` +
    `"severityNumber":${isRefusal ? 13 : 9},"severityText":"${isRefusal ? "WARN" : "INFO"}",` +
    `"body":{"stringValue":${JSON.stringify(record)}},"attributes":[${attributes.join(",")}]}`
  );
}

function attribute(key: string, value: string | number): string {
  const typed =
    typeof value === "string"
      ? { stringValue: value }
      : Number.isInteger(value)
        ? { intValue: String(value) }
        : { doubleValue: value };
  return JSON.stringify({ key, value: typed });
}
