import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { outputFileOf } from "../../../runs/files/attempt-file.ts";
import { stored } from "../../../runs/files/store.fixture.ts";
import { task } from "../../../runs/run.fixture.ts";
import type { HookAudit, Run } from "../../../runs/run.ts";
import type { RunStore } from "../../../runs/store.ts";
import { updateRun } from "../../../runs/update.ts";
import { PUBLIC_URL, testServer } from "../server.fixture.ts";
import { testRuns } from "./runs.fixture.ts";
import { sharedRuns } from "./shared-runs.ts";

const HTML = { accept: "text/html" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const SECRET = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";

async function machine() {
  const { source, store, root } = await testRuns("acme");
  const server = await testServer({ runs: source });
  return { server, store, root };
}

const AUDIT: HookAudit = {
  phase: "taskTransition",
  hook: "taskTransition:task:one:0:require-evidence",
  startedAt: "2026-11-15T12:00:01.000Z",
  endedAt: "2026-11-15T12:00:01.004Z",
  outcome: "rejected",
  session: null,
  attempt: null,
  task: "one",
  summary: "no test run that succeeded is recorded",
};

const attemptRecord = (number: number, more: Partial<Run["attempts"][number]> = {}): Run["attempts"][number] => ({
  number,
  session: 0,
  indexInSession: number - 1,
  startedAt: "2026-11-15T12:00:00.000Z",
  endedAt: "2026-11-15T12:02:05.000Z",
  exitCode: 0,
  signal: null,
  isTimedOut: false,
  isAborted: false,
  ...more,
});

async function workedOn(store: RunStore): Promise<Run> {
  const run = await stored(store, {
    name: "Payout limits",
    status: "blocked",
    statusReason: "blocked: two",
    note: "waits for Ann",
    tasks: [
      task("one", { status: "completed", notes: "the cause is in limits.ts" }),
      task("two", { status: "blocked" }),
    ],
    attempts: [attemptRecord(1)],
    hookAudits: [AUDIT],
  });
  await store.writeAttempt(run.id, {
    number: 1,
    prompt: "Begin with one.",
    process: null,
    result: {
      exitCode: 0,
      signal: null,
      isTimedOut: false,
      isAborted: false,
      session: "s-1",
      transcript: `I am done. The key was ${SECRET}.`,
      stdout: "",
      stderr: "",
      isSessionUnknown: false,
    },
  });
  writeFileSync(outputFileOf(store.directoryOf(run.id), 1), `compiling\nkey ${SECRET}\nall green\n`);
  return run;
}

describe("the pages of runs", () => {
  it("show a run's board, attempts, what hooks said and why, its note, and what to do next", async () => {
    const { server, store } = await machine();
    const run = await workedOn(store);
    const child = await stored(store, { name: "Child of it", parentRun: run.id });
    const mia = await server.browser("mia");
    const list = await mia("GET", "/runs", undefined, HTML);
    expect(list.text).toContain("Payout limits");
    const { text } = await mia("GET", `/runs/${run.id}`, undefined, HTML);
    for (const shown of [
      "do one",
      "the cause is in limits.ts",
      "no test run that succeeded is recorded",
      "require-evidence",
      "waits for Ann",
      "blocked: two",
      "2 min 5 s",
      "all green",
      `holdfast resume ${run.id} --message`,
      child.id,
      "1 of 2",
    ])
      expect(text).toContain(shown);
    const attempt = await mia("GET", `/runs/${run.id}/attempts/1`, undefined, HTML);
    expect(attempt.text).toContain("Begin with one.");
    for (const page of [text, attempt.text]) {
      expect(page).toContain("[redacted:");
      expect(page).not.toContain(SECRET);
    }
    const output = await mia("GET", `/runs/${run.id}/attempts/1/output`);
    expect([output.headers.get("content-type"), output.text.includes(SECRET)]).toEqual([
      "text/plain; charset=utf-8",
      false,
    ]);
  });

  it("name the run that started it, not one that mentions it, and no secret in any of their names", async () => {
    const { server, store } = await machine();
    const parent = await stored(store, { name: `The parent ${SECRET}` });
    const run = await stored(store, { parentRun: parent.id, dependencies: [parent.id] });
    await stored(store, { name: `later than ${parent.id}`, createdAt: "2027-01-01T00:00:00.000Z" });
    const { text } = await (await server.browser("mia"))("GET", `/runs/${run.id}`, undefined, HTML);
    expect(text).toContain(`<a href="/runs/${parent.id}">The parent [redacted:`);
    expect([text.includes("later than"), text.includes(SECRET)]).toEqual([false, false]);
  });

  it("another organisation has no runs here: no list, no page, no change", async () => {
    const { server, store } = await machine();
    const run = await workedOn(store);
    const olga = await server.browser("olga");
    for (const path of ["/runs", `/runs/${run.id}`, `/runs/${run.id}/log`, `/runs/${run.id}/attempts/1/output`])
      expect((await olga("GET", path, undefined, HTML)).status, path).toBe(404);
    for (const [what, fields] of [
      ["note", { note: "mine" }],
      ["pin", { isPinned: "true" }],
      ["stop", {}],
    ] as const)
      expect((await olga("POST", `/runs/${run.id}/${what}`, form({ csrf: olga.csrf, ...fields }), FORM)).status).toBe(
        404,
      );
    expect(await store.read(run.id)).toEqual(run);
    expect((await olga("GET", "/inbox", undefined, HTML)).text).not.toContain('href="/runs"');
  });

  it("whoever only reads finds no button, and a form of theirs changes nothing", async () => {
    const { server, store } = await machine();
    const run = await workedOn(store);
    const mia = await server.browser("mia");
    expect((await mia("GET", `/runs/${run.id}`, undefined, HTML)).text).toContain("changed by approvers and admins");
    const refused = await mia("POST", `/runs/${run.id}/note`, form({ csrf: mia.csrf, note: "mine" }), FORM);
    expect(refused.status).toBe(403);
    expect((await mia("PATCH", `/api/runs/${run.id}`, { isPinned: true })).status).toBe(403);
    expect(await store.read(run.id)).toEqual(run);
  });

  it("an approver notes and pins; the page after it says so once, and a link cannot make it say anything", async () => {
    const { server, store } = await machine();
    const run = await workedOn(store);
    const bob = await server.browser("bob");
    const noted = await bob("POST", `/runs/${run.id}/note`, form({ csrf: bob.csrf, note: "ask Cleo <b>" }), FORM);
    expect([noted.status, noted.headers.get("location")]).toEqual([303, `/runs/${run.id}`]);
    await bob("POST", `/runs/${run.id}/pin`, form({ csrf: bob.csrf, isPinned: "true" }), FORM);
    expect(await store.read(run.id)).toMatchObject({ note: "ask Cleo <b>", isPinned: true });
    const said = noted.headers.get("set-cookie")?.split(";")[0] ?? "";
    const after = await bob("GET", `/runs/${run.id}`, undefined, { ...HTML, cookie: `${bob.cookie}; ${said}` });
    expect(after.text).toContain("The note is kept.");
    expect(after.headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await bob("GET", `/runs/${run.id}?said=noted`, undefined, HTML)).text).not.toContain("The note is kept.");
  });

  it("a run that nobody drives cannot be stopped: the page says why", async () => {
    const { server, store } = await machine();
    const run = await workedOn(store);
    const bob = await server.browser("bob");
    const answer = await bob("POST", `/runs/${run.id}/stop`, form({ csrf: bob.csrf }), { ...FORM, ...HTML });
    expect(answer.status).toBe(409);
    expect(answer.text).toContain("Nobody drives run");
  });

  it("attachments are files to keep, whatever their type says, and only those of the run", async () => {
    const { server, store } = await machine();
    const sha256 = "ab".repeat(32);
    const attachment = { id: "a1", name: 'rep"ort.html', mimeType: "text/html", bytes: 9, sha256, addedAt: "" };
    const run = await stored(store, { attachments: [attachment] });
    const place = join(store.directoryOf(run.id), "attachments", "a1", sha256.slice(0, 16));
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, attachment.name), "<b>hi</b>");
    const mia = await server.browser("mia");
    const answer = await mia("GET", `/runs/${run.id}/attachments/a1`);
    expect(answer.text).toBe("<b>hi</b>");
    expect(answer.headers.get("content-type")).toBe("application/octet-stream");
    expect(answer.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''rep%22ort.html");
    for (const wrong of ["a2", "..%2f..%2frun.json"])
      expect((await mia("GET", `/runs/${run.id}/attachments/${wrong}`)).status).toBe(404);
  });

  it.each(["/runs?cursor=made-up", "/runs/nothere", "/runs/..%2f..%2fetc", "/runs?cursor=WyIxIl0"])(
    "%s is answered with what is wrong",
    async (path) => {
      const { server } = await machine();
      const answer = await (await server.browser("mia"))("GET", path, undefined, HTML);
      expect([400, 404]).toContain(answer.status);
      expect(answer.text).toContain("That did not work");
    },
  );
});

describe("the API of runs", () => {
  it("lists in pages, shows one, and reads its log from a cursor on", async () => {
    const { server, store } = await machine();
    for (let count = 0; count < 5; count++) await stored(store, { name: `run ${count}` });
    const run = await workedOn(store);
    await store.append(run.id, [
      { type: "attempt.started", source: "system", data: { attempt: 1 } },
      { type: "run.hook_recorded", source: "hook", data: { ...AUDIT } },
    ]);
    const mia = await server.browser("mia");
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = (await mia("GET", `/api/runs?limit=4${cursor && `&cursor=${cursor}`}`)).json;
      seen.push(...page.runs.map(({ id }: { id: string }) => id));
      cursor = page.next ?? "";
    } while (cursor !== "");
    expect(new Set(seen).size).toBe(6);
    expect((await mia("GET", "/api/runs?search=payout")).json.runs).toHaveLength(1);
    expect((await mia("GET", `/api/runs/${run.id}`)).json).toMatchObject({
      run: { note: "waits for Ann" },
      driver: null,
    });
    const log = (await mia("GET", `/api/runs/${run.id}/log?limit=1`)).json;
    expect(log).toMatchObject({ events: [{ type: "attempt.started" }], next: 2 });
  });

  it("a stream says when the run was changed by any process, and when its output grows", async () => {
    const { server, store } = await machine();
    const run = await workedOn(store);
    const { cookie } = await server.browser("mia");
    const response = await server.app.request(new URL(`/api/run-events?run=${run.id}`, PUBLIC_URL), {
      headers: { host: "127.0.0.1:4173", cookie },
    });
    const reader = response.body?.getReader();
    const heard = async (word: string) => {
      let text = "";
      while (!text.includes(`event: ${word}\n`)) text += new TextDecoder().decode((await reader?.read())?.value);
    };
    await heard("ready");
    await updateRun({ store, now: () => new Date() }, run.id, (before) => ({ next: { ...before, name: "renamed" } }));
    await heard("run");
    writeFileSync(outputFileOf(store.directoryOf(run.id), 1), "one more line\n", { flag: "a" });
    await heard("run");
    await reader?.cancel();
  });
});

it("a store that several machines share is asked while somebody watches: for one run, and for all", async () => {
  const { store } = await testRuns("acme");
  const run = await stored(store);
  const source = sharedRuns({ store, organisation: "acme", everyMs: 10 });
  expect([source.storeOf("acme"), source.storeOf("other")]).toEqual([store, undefined]);
  for (const which of [run.id, null]) {
    let times = 0;
    const looks = vi.spyOn(store, which === null ? "list" : "read");
    const unwatch = source.watch("acme", which, () => {
      times++;
    });
    // The second look begins when the first has seen how things are.
    await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(1);
    expect(times).toBe(0);
    await updateRun({ store, now: () => new Date() }, run.id, (before) => ({
      next: { ...before, name: `now ${which}` },
    }));
    await expect.poll(() => times).toBe(1);
    unwatch();
  }
});
