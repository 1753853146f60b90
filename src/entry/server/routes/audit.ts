/** Decisions of hooks, as machines hand them in and people read them. */
import { z } from "zod";
import type { AuditRow } from "../../../approvals/store.ts";
import { isJsonObject, type JsonObject } from "../../../core/json.ts";
import { AUDIT_FORMATS, exportAudit } from "../audit-export.ts";
import { sourceIn } from "../audit-source.ts";
import { unusable } from "../problem.ts";
import { route } from "../route.ts";
import { next, paging } from "../schemas.ts";

const time = z.iso.datetime({ offset: true });
const text = z.string().max(500);

const row = z.strictObject({
  sequence: z.number().int().min(0).describe("where it stands in its source, without gaps"),
  at: time,
  session: text,
  event: text,
  decision: text,
  tool: text.nullable(),
  ms: z.number().min(0),
  record: z.string().max(512_000).describe("the record whole, as the JSON text it was chained as"),
});

const shownRow = row
  .extend({ source: z.string(), at: z.string(), record: z.unknown().describe("the record, parsed") })
  .meta({ id: "AuditRow" });

const filters = {
  session: text.optional(),
  decision: text.optional(),
  tool: text.optional(),
  search: text.optional(),
  from: time.optional(),
  to: time.optional(),
};

const bucket = z.strictObject({
  startsAt: z.string(),
  decisions: z.record(z.string(), z.number()),
  p50Ms: z.number(),
  p95Ms: z.number(),
});

const HOUR_MS = 60 * 60 * 1000;
const MAX_BUCKETS = 2_000;

export const auditRoutes = [
  route({
    method: "post",
    path: "/api/audit",
    operation: "ingestAudit",
    summary: "Hands in records of one source; what is here already is left out",
    access: ["agent:ingest"],
    body: z.strictObject({ source: z.string().min(1).max(200), rows: z.array(row).min(1).max(1000) }),
    answer: z.strictObject({ added: z.number().int(), lastSequence: z.number().int() }),
    handle: async ({ context, organisation, body }) => {
      for (const { record, sequence } of body.rows) assertRecord(record, sequence);
      const source = sourceIn(organisation, body.source);
      const added = await context.stores.appendAudit(body.rows.map((given) => ({ ...given, source, organisation })));
      return { added, lastSequence: await context.stores.lastSequence(source) };
    },
  }),
  route({
    method: "get",
    path: "/api/audit/sources/:source",
    operation: "getAuditSource",
    summary: "How far the records of a source have been handed in",
    access: ["member", "agent:ingest"],
    answer: z.strictObject({ lastSequence: z.number().int() }),
    handle: async ({ context, organisation, params }) => ({
      lastSequence: await context.stores.lastSequence(sourceIn(organisation, params.source)),
    }),
  }),
  route({
    method: "get",
    path: "/api/audit",
    operation: "listAudit",
    summary: "Decisions of hooks, the newest first",
    access: ["member"],
    query: z.strictObject({ ...filters, ...paging }),
    answer: z.strictObject({ rows: z.array(shownRow), next }),
    handle: async ({ context, organisation, query }) => {
      const { cursor, limit } = query;
      const page = await context.stores.audit({
        ...filtersOf(query),
        organisation,
        limit,
        ...(cursor === undefined ? {} : { cursor }),
      });
      return { rows: page.rows.map(shown), next: page.next ?? null };
    },
  }),
  route({
    method: "get",
    path: "/api/audit/buckets",
    operation: "getAuditBuckets",
    summary: "Decisions and latency over time",
    access: ["member"],
    query: z.strictObject({
      from: time.optional().describe("default: a day ago"),
      to: time.optional().describe("default: now"),
      bucketMs: z.coerce.number().int().min(60_000).multipleOf(60_000).default(HOUR_MS),
    }),
    answer: z.strictObject({ buckets: z.array(bucket) }),
    handle: async ({ context, organisation, query }) => {
      const to = query.to ? new Date(query.to) : context.stores.now();
      const from = query.from ? new Date(query.from) : new Date(to.getTime() - 24 * HOUR_MS);
      if ((to.getTime() - from.getTime()) / query.bucketMs > MAX_BUCKETS)
        throw unusable(`that would be more than ${MAX_BUCKETS} buckets`, "Ask for a shorter time or larger buckets.");
      const buckets = await context.stores.auditBuckets(organisation, from, to, query.bucketMs);
      return { buckets: buckets.map((known) => ({ ...known, decisions: { ...known.decisions } })) };
    },
  }),
  route({
    method: "get",
    path: "/api/audit/export",
    operation: "exportAudit",
    summary: "All decisions that fit, as JSON lines, CSV, or OpenTelemetry logs in JSON; streamed",
    access: ["member"],
    query: z.strictObject({ ...filters, format: z.enum(["jsonl", "csv", "otlp"]).default("jsonl") }),
    answer: Object.values(AUDIT_FORMATS).map(({ type }) => type),
    limit: { times: 20, perMs: 60_000 },
    handle: async ({ c, context, organisation, query }) =>
      exportAudit(context, { ...filtersOf(query), organisation }, query.format, c.get("isStillSignedIn")),
  }),
  route({
    method: "get",
    path: "/api/notices",
    operation: "listNotices",
    summary: "What people should know about hooks: notices that machines handed in, the newest first",
    access: ["member"],
    query: z.strictObject(paging),
    answer: z.strictObject({ rows: z.array(shownRow), next }),
    handle: async ({ context, organisation, query }) => {
      const { cursor, limit } = query;
      const page = await context.stores.audit({
        organisation,
        decision: NOTICE,
        limit,
        ...(cursor === undefined ? {} : { cursor }),
      });
      return { rows: page.rows.map(shown), next: page.next ?? null };
    },
  }),
];

/** A notice is handed in like a decision, and says so in the place of one. */
const NOTICE = "notice";

const shown = ({ organisation, source, record, ...given }: AuditRow) => ({
  ...given,
  source: source.slice(sourceIn(organisation, "").length),
  record: JSON.parse(record) as JsonObject,
});

function assertRecord(record: string, sequence: number): void {
  try {
    if (!/[\r\n]/.test(record) && isJsonObject(JSON.parse(record))) return;
  } catch {
    // Said below: whatever it is, it is not a record.
  }
  throw unusable(`the record of sequence ${sequence} is not a JSON object in one line`);
}

type Filters = { readonly [Key in keyof typeof filters]?: string | undefined };

function filtersOf({ session, decision, tool, search, from, to }: Filters) {
  return {
    ...(session === undefined ? {} : { session }),
    ...(decision === undefined ? {} : { decision }),
    ...(tool === undefined ? {} : { tool }),
    ...(search === undefined ? {} : { search }),
    ...(from === undefined ? {} : { from: new Date(from) }),
    ...(to === undefined ? {} : { to: new Date(to) }),
  };
}
