import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRun } from "./create.ts";
import { editTask } from "./edit-task.ts";
import { archiveRun } from "./lifecycle.ts";
import { block, hook, type Scene, scene } from "./runs.fixture.ts";
import { readyRun } from "./start.ts";
import type { TaskEdit } from "./task.ts";
import { readRun, updateRun } from "./update.ts";

let at: Scene;
let id: string;
beforeEach(async () => {
  at = scene();
  id = (await createRun(at.ports, at.wanted({}, {}, { isStarted: false }))).id;
});
afterEach(() => at.remove());

const complete = (task: string): TaskEdit => ({ kind: "set", task, status: "completed" });
const current = () => readRun(at.ports, id);
const statuses = async () => (await current()).tasks.map(({ status }) => status);

describe("an edit of a task", () => {
  it("R-32 asks hooks before it is stored, with what it changes and who asks", async () => {
    const seen: unknown[] = [];
    at.hooks.push(
      hook("task_transition", async ({ taskId, from, to, changedFields, source, tasks }) => {
        const stored = (await statuses()).join();
        seen.push([
          source,
          taskId,
          from?.status ?? null,
          to?.status ?? null,
          changedFields.join(),
          tasks.length,
          stored,
        ]);
        return undefined;
      }),
    );
    await editTask(at.ports, id, complete("one"));
    await editTask(at.ports, id, { kind: "append-notes", task: "one", notes: " n " });
    await editTask(at.ports, id, { kind: "add", id: "three", title: "more", body: "" });
    await editTask(at.ports, id, { kind: "delete", task: "three" });
    expect(seen).toEqual([
      ["task-set", "one", "pending", "completed", "status", 2, "pending,pending"],
      ["task-append-notes", "one", "completed", "completed", "notes", 2, "completed,pending"],
      ["task-add", "three", null, "pending", expect.any(String), 3, "completed,pending"],
      ["task-delete", "three", "pending", null, expect.any(String), 2, "completed,pending,pending"],
    ]);
  });

  it("R-33 that changes nothing asks nobody and stores nothing", async () => {
    at.hooks.push(hook("task_transition", () => ({ opinion: block("never") })));
    const { version } = await current();
    expect(await editTask(at.ports, id, { kind: "set", task: "one", status: "pending", notes: "" })).toMatchObject({
      isChanged: false,
    });
    expect((await current()).version).toBe(version);
  });

  it("R-34 that a hook rejects is not made, with the reason; what hooks changed besides stays", async () => {
    at.hooks.push(
      hook("task_transition", () => ({
        opinion: block("no tests were run"),
        mutate: {
          note: "seen",
          pinned: true,
          state: { rejected: 1 },
          patchTasks: [
            { taskId: "one", notesAppend: "lost" },
            { taskId: "two", notesAppend: "kept" },
          ],
        },
      })),
    );
    await expect(editTask(at.ports, id, complete("one"))).rejects.toMatchObject({
      code: "HF1025",
      message: "no tests were run",
    });
    expect(await current()).toMatchObject({
      note: "seen",
      isPinned: true,
      state: { rejected: 1 },
      tasks: [
        { status: "pending", notes: "" },
        { status: "pending", notes: "kept" },
      ],
    });
    expect(await at.types(id)).toEqual(["run.created", "run.hook_recorded", "task.edit_rejected"]);
  });

  it("R-34 an added task that a hook rejects is not there", async () => {
    at.hooks.push(hook("task_transition", () => ({ opinion: block("enough") })));
    await expect(editTask(at.ports, id, { kind: "add", title: "more", body: "" })).rejects.toThrow("enough");
    expect((await current()).tasks).toHaveLength(2);
  });

  it("R-35 that all accept is stored once, with one event", async () => {
    at.hooks.push(hook("task_transition", () => ({ opinion: { kind: "allow" }, mutate: { state: { n: 1 } } })));
    const { version } = await current();
    await editTask(at.ports, id, complete("one"));
    expect(await current()).toMatchObject({ version: version + 1, state: { n: 1 } });
    expect((await at.types(id)).filter((type) => type === "task.edited")).toHaveLength(1);
  });

  it("R-36 whose hook throws changes nothing, whatever the hooks before it changed; the log says so", async () => {
    at.hooks.push(
      hook(
        "task_transition",
        () => ({ mutate: { note: "n", state: { n: 1 }, patchTasks: [{ taskId: "two", status: "blocked" }] } }),
        { name: "first" },
      ),
    );
    at.hooks.push(
      hook("task_transition", () => {
        throw new Error("boom");
      }),
    );
    await expect(editTask(at.ports, id, complete("one"))).rejects.toMatchObject({
      code: "HF1034",
      message: expect.stringContaining("boom"),
    });
    expect(await current()).toMatchObject({
      note: null,
      state: {},
      tasks: [{ status: "pending" }, { status: "pending" }],
    });
    expect((await at.events(id)).map(({ data }) => data.outcome).filter(Boolean)).toEqual(["accepted", "error"]);
  });

  it("R-38 twenty at once, with a hook that counts, lose neither an edit nor a count", async () => {
    for (let index = 0; index < 20; index += 1)
      await editTask(at.ports, id, { kind: "add", id: `t${index}`, title: "t", body: "" });
    at.hooks.push(
      hook("task_transition", async ({ state }) => {
        await new Promise((done) => setTimeout(done, Math.random() * 5));
        return { mutate: { state: { count: Number(state.count ?? 0) + 1 } } };
      }),
    );
    await Promise.all(Array.from({ length: 20 }, (_, index) => editTask(at.ports, id, complete(`t${index}`))));
    const run = await current();
    expect(run.state.count).toBe(20);
    expect(run.tasks.filter(({ status }) => status === "completed")).toHaveLength(20);
  });

  it("R-38 notes appended at once are all there", async () => {
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        editTask(at.ports, id, { kind: "append-notes", task: "one", notes: `n${index}` }),
      ),
    );
    expect((await current()).tasks[0]?.notes.split("\n").sort()).toEqual(
      Array.from({ length: 10 }, (_, index) => `n${index}`),
    );
  });

  it("R-38 hooks that judged by what has changed meanwhile are asked again", async () => {
    let asked = 0;
    at.hooks.push(
      hook("task_transition", async ({ taskId, tasks }) => {
        if (taskId !== "one") return undefined;
        asked += 1;
        if (asked === 1)
          await updateRun(at.ports, id, (run) => ({
            next: {
              ...run,
              tasks: run.tasks.map((task) => (task.id === "two" ? { ...task, status: "blocked" } : task)),
            },
          }));
        const isBlocked = tasks.some(({ status }) => status === "blocked");
        return isBlocked ? { opinion: block("two is blocked") } : undefined;
      }),
    );
    await expect(editTask(at.ports, id, complete("one"))).rejects.toThrow("two is blocked");
    expect(asked).toBe(2);
    expect(await statuses()).toEqual(["pending", "blocked"]);
  });
});

describe("hooks that edit their own run", () => {
  it("RB-6 as their environment says within which edit they are: the outer one is neither held up nor asked again", async () => {
    let asked = 0;
    at.hooks.push(
      hook("task_transition", async ({ taskId }) => {
        if (taskId !== "one") return undefined;
        asked += 1;
        // What `holdfast task add` in a process that the hook starts would do.
        await editTask(nested(), id, { kind: "add", title: "found on the way", body: "" });
        return { mutate: { state: { asked } } };
      }),
    );
    const inner: Record<string, string>[] = [];
    const { runPhase } = at.ports;
    const ports = {
      ...at.ports,
      runPhase(call: Parameters<typeof runPhase>[0]) {
        inner.push({ ...call.env });
        return runPhase(call);
      },
    };
    const nested = () => ({ ...at.ports, env: { ...at.ports.env, ...inner[0] } });
    await editTask(ports, id, complete("one"));
    expect(asked).toBe(1);
    expect(await current()).toMatchObject({
      state: { asked: 1 },
      tasks: [{ status: "completed" }, {}, { title: "found on the way" }],
    });
  });

  it("RB-6 without it: an edit that comes to rest is made, once", async () => {
    at.hooks.push(
      hook("task_transition", async ({ taskId }) => {
        if (taskId === "one") await editTask(at.ports, id, complete("two"));
        return undefined;
      }),
    );
    await editTask(at.ports, id, complete("one"));
    expect(await statuses()).toEqual(["completed", "completed"]);
    expect((await at.types(id)).filter((type) => type === "task.edited")).toHaveLength(2);
  });

  it("RB-6 without it: one that never comes to rest is an error, not a hang", async () => {
    at.hooks.push(
      hook("task_transition", async ({ source }) => {
        if (source === "task-set") await editTask(at.ports, id, { kind: "add", title: "again", body: "" });
        return undefined;
      }),
    );
    await expect(editTask(at.ports, id, complete("one"))).rejects.toMatchObject({ code: "HF1033" });
    expect((await statuses())[0]).toBe("pending");
  });

  it("RB-11 hooks that edit from within edits end at a depth", async () => {
    const deep = { ...at.ports, env: { HOLDFAST_TASK_EDIT: "a,b,c,d,e" } };
    await expect(editTask(deep, id, complete("one"))).rejects.toMatchObject({ code: "HF1033" });
  });

  it("RB-6 a hook that hangs holds up nobody who reads, and nobody who edits", async () => {
    const stop = new AbortController();
    at.hooks.push(
      hook("task_transition", ({ taskId }, { signal }) =>
        taskId === "one"
          ? new Promise((_, fail) => signal.addEventListener("abort", () => fail(new Error("told to stop"))))
          : undefined,
      ),
    );
    const hanging = editTask(at.ports, id, complete("one"), { signal: stop.signal });
    await new Promise((done) => setTimeout(done, 20));
    expect(await statuses()).toEqual(["pending", "pending"]);
    await editTask(at.ports, id, complete("two"));
    expect(await statuses()).toEqual(["pending", "completed"]);
    stop.abort();
    await expect(hanging).rejects.toMatchObject({ code: "HF1034" });
  });
});

describe("who may edit when", () => {
  const EDITS: readonly TaskEdit[] = [
    complete("one"),
    { kind: "append-notes", task: "one", notes: "n" },
    { kind: "add", title: "t", body: "" },
    { kind: "text", task: "one", title: "other" },
    { kind: "delete", task: "two" },
  ];
  const allowed = async () => {
    const results = [];
    for (const edit of EDITS)
      results.push(
        await editTask(at.ports, id, edit).then(
          () => edit.kind,
          (error) => error.code,
        ),
      );
    return results;
  };
  const put = (change: object) => updateRun(at.ports, id, (run) => ({ next: { ...run, ...change } }));
  const ALL = ["set", "append-notes", "add", "text", "delete"];

  it("R-37 R-51 initialized and ended: everything", async () => {
    expect(await allowed()).toEqual(ALL);
    await put({ status: "exhausted", tasks: (await at.ports.store.read(id))?.seed?.tasks });
    expect(await allowed()).toEqual(ALL);
  });

  it("R-51 ready: only notes", async () => {
    await readyRun(at.ports, id);
    expect(await allowed()).toEqual(["HF1023", "append-notes", "HF1023", "HF1023", "HF1023"]);
  });

  it("R-37 R-51 running: no task is rewritten or deleted", async () => {
    await put({ status: "running" });
    expect(await allowed()).toEqual(["set", "append-notes", "add", "HF1023", "HF1023"]);
  });

  it("R-51 tasks that are locked, or of an archived run, are neither added nor rewritten", async () => {
    await put({ lockedFields: ["tasks"] });
    expect(await allowed()).toEqual(["set", "append-notes", "HF1023", "HF1023", "HF1023"]);
    await put({ lockedFields: [], tasks: (await at.ports.store.read(id))?.seed?.tasks });
    await archiveRun(at.ports, id);
    expect(await allowed()).toEqual(["set", "append-notes", "HF1023", "HF1023", "HF1023"]);
  });

  it("R-37 the status of a passive run follows from its tasks", async () => {
    id = (await createRun(at.ports, at.wanted({}, { backend: "passive" }))).id;
    expect(await current()).toMatchObject({ status: "initialized", progress: null });
    await editTask(at.ports, id, complete("one"));
    await editTask(at.ports, id, { kind: "set", task: "two", status: "blocked" });
    expect(await current()).toMatchObject({ status: "blocked", statusReason: "blocked: two" });
    await editTask(at.ports, id, complete("two"));
    expect(await current()).toMatchObject({ status: "success", statusReason: "" });
    await editTask(at.ports, id, { kind: "set", task: "two", status: "pending" });
    expect(await current()).toMatchObject({ status: "initialized", endedAt: null });
  });

  it("says what cannot be: an unknown task with the nearest name, empty notes, a title of two lines", async () => {
    await expect(editTask(at.ports, id, complete("on"))).rejects.toMatchObject({
      code: "HF1035",
      place: { hint: "did you mean one?" },
    });
    await expect(editTask(at.ports, id, { kind: "append-notes", task: "one", notes: "  " })).rejects.toMatchObject({
      code: "HF1036",
    });
    await expect(editTask(at.ports, id, { kind: "add", title: "a\nb", body: "" })).rejects.toMatchObject({
      code: "HF1036",
    });
    await expect(editTask(at.ports, id, { kind: "add", id: "one", title: "a", body: "" })).rejects.toMatchObject({
      code: "HF1036",
    });
  });
});
