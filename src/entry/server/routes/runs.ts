/** Runs: which there are, how far each has come, what its hooks said; and what people may do to one. */
import { z } from "zod";
import { redactJson } from "../../../core/redact.ts";
import { noteRun, pinRun } from "../../../runs/lifecycle.ts";
import { HOOK_OUTCOMES, PHASES, RUN_STATUSES } from "../../../runs/run.ts";
import { TASK_STATUSES } from "../../../runs/task.ts";
import { unknown } from "../problem.ts";
import { route } from "../route.ts";
import { decodeRunCursor, encodeRunCursor } from "../runs/run-cursor.ts";
import { changedRun, runStore, runView, seenRun } from "../runs/seen-run.ts";
import { next, paging } from "../schemas.ts";
import { serverSentEvents } from "../server-sent-events.ts";
import { countedStream } from "../stream-count.ts";
import { personOf } from "./person-of.ts";

const text = z.string();
const maybe = z.string().nullable();
const count = z.number().int();

const summary = z
  .strictObject({
    id: text,
    repo: text,
    status: z.enum(RUN_STATUSES),
    name: maybe,
    assignment: maybe,
    group: maybe,
    parentRun: maybe,
    isArchived: z.boolean(),
    isPinned: z.boolean(),
    tasksCompleted: count,
    tasksTotal: count,
    hooks: count,
    createdAt: text,
    updatedAt: text,
    problem: text.optional().describe("its record cannot be read, and why"),
  })
  .meta({ id: "RunSummary" });

const run = z
  .strictObject({
    id: text,
    version: count,
    repo: text,
    status: z.enum(RUN_STATUSES),
    statusReason: text,
    name: maybe,
    note: maybe,
    isPinned: z.boolean(),
    isArchived: z.boolean(),
    group: maybe,
    parentRun: maybe,
    dependencies: z.array(text),
    assignment: maybe,
    agent: text,
    backend: text,
    model: maybe,
    cwd: text,
    maxRetries: count,
    backendSession: maybe,
    tasks: z.array(z.strictObject({ id: text, title: text, body: text, status: z.enum(TASK_STATUSES), notes: text })),
    hooks: z.array(z.strictObject({ id: text, phase: z.enum(PHASES), task: maybe })),
    hookAudits: z
      .array(
        z.strictObject({
          phase: z.enum(PHASES),
          hook: text,
          startedAt: text,
          endedAt: text,
          outcome: z.enum(HOOK_OUTCOMES),
          session: count.nullable(),
          attempt: count.nullable(),
          task: maybe,
          summary: text,
        }),
      )
      .describe("the last few; the log has all of them"),
    attempts: z.array(
      z.strictObject({
        number: count,
        session: count,
        indexInSession: count,
        startedAt: text,
        endedAt: maybe,
        exitCode: count.nullable(),
        signal: maybe,
        isTimedOut: z.boolean(),
        isAborted: z.boolean(),
      }),
    ),
    sessions: z.array(z.strictObject({ index: count, startedAt: text, endedAt: maybe })),
    attachments: z.array(
      z.strictObject({ id: text, name: text, mimeType: text, bytes: count, sha256: text, addedAt: text }),
    ),
    createdAt: text,
    updatedAt: text,
    endedAt: maybe,
  })
  .meta({ id: "Run" });

const logEntry = z
  .strictObject({
    cursor: count,
    at: text,
    run: text,
    type: text,
    source: text,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "RunLogEntry" });

export const runRoutes = [
  route({
    method: "get",
    path: "/api/runs",
    operation: "listRuns",
    summary: "Runs, the newest first",
    access: ["member"],
    query: z.strictObject({
      ...paging,
      status: z.enum(RUN_STATUSES).optional(),
      group: z.string().max(200).optional(),
      parent: z.string().max(200).optional(),
      search: z.string().max(200).optional(),
      archived: z.enum(["true", "false"]).default("false"),
    }),
    answer: z.strictObject({ runs: z.array(summary), next }),
    handle: async ({ context, organisation, query }) => {
      const store = runStore(context, organisation);
      if (!store) return { runs: [], next: null };
      const { status, group, parent, search, cursor, limit, archived } = query;
      const runs = await store.list({
        limit: limit + 1,
        includeArchived: archived === "true",
        ...(status && { statuses: [status] }),
        ...(group !== undefined && { group }),
        ...(parent !== undefined && { parentRun: parent }),
        ...(search && { search }),
        ...(cursor !== undefined && { after: decodeRunCursor(cursor) }),
      });
      const page = runs.slice(0, limit);
      const last = page.at(-1);
      return { runs: redactJson(page), next: runs.length > limit && last ? encodeRunCursor(last) : null };
    },
  }),
  route({
    method: "get",
    path: "/api/runs/:id",
    operation: "getRun",
    summary: "One run: its tasks, attempts, what its hooks said last, its attachments, and who drives it",
    access: ["member"],
    answer: z.strictObject({ run, driver: maybe.describe("null: nobody who is alive") }),
    refusals: [404],
    handle: async ({ context, organisation, params }) => {
      const { store, run } = await seenRun(context, organisation, params.id);
      return { run: runView(run), driver: (await store.driverOf(run.id)) ?? null };
    },
  }),
  route({
    method: "get",
    path: "/api/runs/:id/log",
    operation: "getRunLog",
    summary: "The run's event log, from a cursor on: attempts, task edits, every verdict of a hook",
    access: ["member"],
    query: z.strictObject({
      from: z.coerce.number().int().min(1).default(1),
      limit: z.coerce.number().int().min(1).max(1_000).default(200),
    }),
    answer: z.strictObject({ events: z.array(logEntry), next: count.nullable() }),
    refusals: [404],
    handle: async ({ context, organisation, params, query }) => {
      const { store } = await seenRun(context, organisation, params.id);
      const events = [];
      for await (const event of store.events(params.id, query.from)) {
        if (events.length === query.limit) return { events, next: event.cursor };
        events.push(redactJson(event));
      }
      return { events, next: null };
    },
  }),
  route({
    method: "post",
    path: "/api/runs/:id/stop",
    operation: "stopRun",
    summary: "Whoever drives the run ends it as aborted, with all that it started. For approvers and admins",
    access: ["member"],
    answer: null,
    refusals: [404, 409],
    handle: async ({ context, principal, params }) => {
      const person = personOf(principal);
      const { store, run } = await changedRun(context, person, params.id);
      await store.requestStop(run.id, person.id, "web");
    },
  }),
  route({
    method: "patch",
    path: "/api/runs/:id",
    operation: "changeRun",
    summary: "Pins a run, or notes something about it that no agent sees. For approvers and admins",
    access: ["member"],
    body: z.strictObject({ note: z.string().max(10_000).nullable().optional(), isPinned: z.boolean().optional() }),
    answer: run,
    refusals: [404],
    handle: async ({ context, organisation, principal, params, body }) => {
      const { store } = await changedRun(context, personOf(principal), params.id);
      const ports = { store, now: () => new Date() };
      if (body.note !== undefined) await noteRun(ports, params.id, body.note);
      if (body.isPinned !== undefined) await pinRun(ports, params.id, body.isPinned);
      return runView((await seenRun(context, organisation, params.id)).run);
    },
  }),
  route({
    method: "get",
    path: "/api/run-events",
    operation: "watchRuns",
    summary: "Server-sent events: `run` whenever a run was changed (or, with `run`, that one), `ready` once it listens",
    access: ["member"],
    query: z.strictObject({ run: z.string().max(200).optional() }),
    answer: ["text/event-stream"],
    refusals: [404],
    handle: async ({ c, context, principal, organisation, query }) => {
      const { runs } = context;
      if (!runs) throw unknown("run");
      if (query.run !== undefined) await seenRun(context, organisation, query.run);
      const reader = {
        isStillSignedIn: c.get("isStillSignedIn"),
        gone: c.req.raw.signal,
        onEnd: countedStream(principal),
      };
      return serverSentEvents(context, reader, async (send, atEnd) => {
        const data = { run: query.run ?? null };
        atEnd(runs.watch(organisation, query.run ?? null, () => send("run", data)));
        send("ready", {});
      });
    },
  }),
];
