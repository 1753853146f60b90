/** The pages of runs, and what people do there. */
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { Hono } from "hono";
import { redactJson } from "../../../../core/redact.ts";
import { unmetDependencies } from "../../../../runs/dependencies.ts";
import { noteRun, pinRun } from "../../../../runs/lifecycle.ts";
import { RUN_STATUSES, type Run } from "../../../../runs/run.ts";
import type { RunEvent, RunStore } from "../../../../runs/store.ts";
import type { ServerCall, ServerContext, ServerEnv } from "../../context.ts";
import { isDecider } from "../../deciders.ts";
import { countedAs } from "../../principal.ts";
import { unknown, unusable } from "../../problem.ts";
import { attemptOutput, wholeOutput } from "../../runs/attempt-output.ts";
import { decodeRunCursor, encodeRunCursor } from "../../runs/run-cursor.ts";
import { changedRun, runStore, runView, seenRun } from "../../runs/seen-run.ts";
import { leaveWord, type Sentences, takeWord } from "../flash.ts";
import { html } from "../markup.ts";
import { answerPage, viewerOf } from "../page-call.ts";
import { attemptPage } from "./attempt-page.ts";
import { logPage } from "./log-page.ts";
import { runPage, titleOf } from "./run-page.ts";
import { runsPage } from "./runs-page.ts";

const PAGE_RUNS = 50;
const LOG_LINES = 200;
const MOST_CHILDREN = 100;
const SHOWN_ATTEMPTS = 20;
const TAIL_CHARACTERS = 16 * 1024;
const ATTEMPT_CHARACTERS = 256 * 1024;
const MAX_NOTE = 10_000;
const CHANGES = { times: 60, perMs: 60_000 };

const SAID: Sentences = {
  stopped: () => html`The run is told to stop. It ends as soon as its agent has ended.`,
  pinned: () => html`The run is pinned.`,
  unpinned: () => html`The run is no longer pinned.`,
  noted: () => html`The note is kept.`,
};

export function runRoutes(context: ServerContext): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>();
  const live = (id?: string) => `/api/run-events${id === undefined ? "" : `?run=${id}`}`;
  const clock = { now: () => new Date() };

  app.get("/runs", async (c) => {
    const viewer = await viewerOf(context, c);
    const store = storeFor(context, viewer.person.organisation);
    const { q: search = "", group = "", cursor, archived } = c.req.query();
    const status = RUN_STATUSES.find((name) => name === c.req.query("status")) ?? "";
    const found = await store.list({
      limit: PAGE_RUNS + 1,
      includeArchived: archived === "true",
      ...(status && { statuses: [status] }),
      ...(search && { search }),
      ...(group && { group }),
      ...(cursor && { after: decodeRunCursor(cursor) }),
    });
    const runs = found.slice(0, PAGE_RUNS);
    const last = runs.at(-1);
    const list = {
      runs: redactJson(runs),
      filter: { search, status, group, archived: archived === "true" },
      next: found.length > PAGE_RUNS && last ? encodeRunCursor(last) : undefined,
      isLater: cursor !== undefined,
    } as const;
    return answerPage(context, c, viewer, "Runs", runsPage(list), live());
  });

  app.get("/runs/:id", async (c) => {
    const viewer = await viewerOf(context, c);
    const { store, run } = await seenRun(context, viewer.person.organisation, c.req.param("id"));
    const { id } = run;
    const [driver, waitsFor, children, parent, attempts] = await Promise.all([
      store.driverOf(id),
      unmetDependencies({ store }, run).catch((error: Error) => [error.message]),
      store.list({ parentRun: id, includeArchived: true, limit: MOST_CHILDREN }),
      run.parentRun === null ? undefined : store.read(run.parentRun).catch(() => undefined),
      shownAttempts(store, run),
    ]);
    const last = run.attempts.at(-1);
    const details = {
      run: runView(run),
      driver: driver ?? null,
      waitsFor: redactJson(waitsFor),
      parent: parent && redactJson({ id: parent.id, name: parent.name, assignment: parent.assignment?.name ?? null }),
      children: redactJson(children),
      attempts,
      output: last ? await attemptOutput(store, id, last.number, TAIL_CHARACTERS) : null,
      mayChange: isDecider(viewer.person),
      said: takeWord(context, c, SAID),
    };
    return answerPage(context, c, viewer, titleOf(details.run), runPage(details, viewer, clock.now()), live(id));
  });

  app.get("/runs/:id/log", async (c) => {
    const viewer = await viewerOf(context, c);
    const { store, run } = await seenRun(context, viewer.person.organisation, c.req.param("id"));
    const from = Math.max(1, wholeNumber(c.req.query("from") ?? "1"));
    const events: RunEvent[] = [];
    let next: number | undefined;
    for await (const event of store.events(run.id, from)) {
      if (events.length === LOG_LINES) {
        next = event.cursor;
        break;
      }
      events.push(redactJson(event));
    }
    const content = logPage({ run: runView(run), events, from, next, pageSize: LOG_LINES });
    return answerPage(context, c, viewer, `Log of ${run.id}`, content, live(run.id));
  });

  app.get("/runs/:id/attempts/:number", async (c) => {
    const viewer = await viewerOf(context, c);
    const { store, run } = await seenRun(context, viewer.person.organisation, c.req.param("id"));
    const record = attemptOf(run, c.req.param("number"));
    const kept = await store.readAttempt(run.id, record.number);
    const details = redactJson({
      run: runView(run),
      record,
      prompt: kept?.prompt ?? "",
      transcript: kept?.result?.transcript ?? "",
      events: await eventsOf(store, run.id, record.number),
      output: await attemptOutput(store, run.id, record.number, ATTEMPT_CHARACTERS),
    });
    const title = `Attempt ${record.number} of ${run.id}`;
    return answerPage(context, c, viewer, title, attemptPage(details, clock.now()), live(run.id));
  });

  app.get("/runs/:id/attempts/:number/output", async (c) => {
    const viewer = await viewerOf(context, c);
    const { store, run } = await seenRun(context, viewer.person.organisation, c.req.param("id"));
    const output = await store.attemptOutput(run.id, attemptOf(run, c.req.param("number")).number);
    const text = Readable.from(output ? wholeOutput(output) : [], { encoding: "utf8" });
    const bytes = text.map((piece: string) => Buffer.from(piece));
    return c.body(Readable.toWeb(bytes) as ReadableStream, 200, { "content-type": "text/plain; charset=utf-8" });
  });

  app.get("/runs/:id/attachments/:attachment", async (c) => {
    const viewer = await viewerOf(context, c);
    const { store, run } = await seenRun(context, viewer.person.organisation, c.req.param("id"));
    const attachment = run.attachments.find(({ id }) => id === c.req.param("attachment"));
    if (!attachment) throw unknown("such attachment");
    const file = createReadStream(await store.attachmentFile(run.id, attachment));
    // Whatever it is, a browser keeps it as a file: nothing an agent attached is shown as a page of this server.
    return c.body(Readable.toWeb(file) as ReadableStream, 200, {
      "content-type": "application/octet-stream",
      "content-length": String(attachment.bytes),
      "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(attachment.name)}`,
    });
  });

  app.post("/runs/:id/stop", async (c) => {
    const { store, run, person } = await changing(c);
    await store.requestStop(run.id, person.id, "web");
    context.log(`${person.organisation}: ${person.id} stopped run ${run.id}`);
    return done(c, run, "stopped");
  });

  app.post("/runs/:id/pin", async (c) => {
    const { store, run } = await changing(c);
    const isPinned = context.form(c).isPinned === "true";
    await pinRun({ store, ...clock }, run.id, isPinned);
    return done(c, run, isPinned ? "pinned" : "unpinned");
  });

  app.post("/runs/:id/note", async (c) => {
    const { store, run } = await changing(c);
    const { note = "" } = context.form(c);
    if (note.length > MAX_NOTE) throw unusable(`the note is longer than ${MAX_NOTE} characters`, "Shorten it.");
    await noteRun({ store, ...clock }, run.id, note);
    return done(c, run, "noted");
  });
  return app;

  async function changing(c: ServerCall) {
    const { person } = await viewerOf(context, c);
    await context.limit(c, "change-run", { ...CHANGES, by: countedAs(person) });
    return { ...(await changedRun(context, person, c.req.param("id") ?? "")), person };
  }

  function done(c: ServerCall, { id }: Run, sentence: string): Response {
    leaveWord(context, c, sentence);
    return c.redirect(`/runs/${id}`, 303);
  }
}

function storeFor(context: ServerContext, organisation: string): RunStore {
  const store = runStore(context, organisation);
  if (!store) throw unknown("run");
  return store;
}

const shownAttempts = (store: RunStore, run: Run) =>
  Promise.all(
    run.attempts.slice(-SHOWN_ATTEMPTS).map(async (record) => {
      const kept = await store.readAttempt(run.id, record.number);
      return redactJson({ record, transcript: kept?.result?.transcript ?? "" });
    }),
  );

function attemptOf(run: Run, text: string) {
  const found = run.attempts.find(({ number }) => String(number) === text);
  if (!found) throw unknown(`attempt ${text}`);
  return found;
}

/** From its beginning to its end, in the log. */
async function eventsOf(store: RunStore, id: string, attempt: number): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  let isWithin = false;
  for await (const event of store.events(id)) {
    const isOwn = event.data.attempt === attempt;
    if (event.type === "attempt.started") isWithin = isOwn;
    else if (isOwn || (isWithin && event.type.startsWith("task."))) events.push(event);
    if (events.length > MOST_EVENTS) break;
  }
  return events;
}

const MOST_EVENTS = 1_000;

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw unusable(`${text} is no place in the log`, "Begin at its first page.");
  return Number(text);
}
