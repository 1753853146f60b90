import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changeAttachments } from "./attachments.ts";
import { createRun } from "./create.ts";
import { editDependencies } from "./dependencies.ts";
import { editTask } from "./edit-task.ts";
import { exitCodeOf } from "./exit-code.ts";
import {
  archiveRun,
  deleteRun,
  noteRun,
  pinRun,
  reconfigureRun,
  reinitializeRun,
  resetRun,
  unarchiveRun,
} from "./lifecycle.ts";
import { addMessage } from "./messages.ts";
import type { Run } from "./run.ts";
import { hook, type Scene, scene, VARIABLE } from "./runs.fixture.ts";
import { readyRun, resumeRun, startRun } from "./start.ts";
import { readRun, updateRun } from "./update.ts";

let at: Scene;
let id: string;
beforeEach(async () => {
  at = scene();
  id = await initialized();
});
afterEach(() => at.remove());

const initialized = async (...[assignment, overrides]: Parameters<Scene["wanted"]>) =>
  (await createRun(at.ports, at.wanted(assignment, overrides, { isStarted: false }))).id;
const current = () => readRun(at.ports, id);
const put = (change: Partial<Run>, run = id) =>
  updateRun(at.ports, run, (before) => ({ next: { ...before, ...change } }));
const file = (name: string, text: string) => {
  writeFileSync(join(at.cwd, name), text);
  return name;
};
const attach = (name: string, text: string, more = {}) =>
  changeAttachments(at.ports, id, { add: [{ sourcePath: file(name, text), ...more }] }, at.cwd);
const filesIn = (name: string) => {
  const directory = join(at.ports.store.directoryOf(id), name);
  if (!existsSync(directory)) return [];
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
};
const bytesOf = async (index: number) => {
  const attachment = (await current()).attachments[index];
  if (!attachment) throw new Error(`there is no attachment ${index}`);
  return readFileSync(await at.ports.store.attachmentFile(id, attachment), "utf8");
};

describe("what is done to a run as a whole", () => {
  it("R-51 ready is for an initialized run, once", async () => {
    expect(await readyRun(at.ports, id)).toMatchObject({ status: "ready" });
    await readyRun(at.ports, id);
    await put({ status: "success" });
    await expect(readyRun(at.ports, id)).rejects.toMatchObject({ code: "HF1023" });
  });

  it("R-51 reset leaves nothing that people said to the run before", async () => {
    await addMessage(at.ports, id, "leave the migration alone");
    expect((await resetRun(at.ports, id)).messages).toBeUndefined();
    expect((await current()).messages).toBeUndefined();
  });

  it("tasks that a resume adds are added once, also when a kill comes before its session", async () => {
    await put({ status: "exhausted", sessions: [{ index: 0, startedAt: "", endedAt: "" }] });
    const killed: typeof at.ports = {
      ...at.ports,
      store: {
        ...at.ports.store,
        change: (next, change) =>
          change?.events?.some(({ type }) => type === "session.started")
            ? Promise.reject(new Error("killed"))
            : at.ports.store.change(next, change),
      },
    };
    const addTasks = ["lint", "lint", "docs"].map((title) => ({ title, body: "" }));
    await expect(resumeRun(killed, id, { addTasks })).rejects.toThrow("killed");
    await resumeRun(at.ports, id, { addTasks });
    const titles = (await current()).tasks.map(({ title }) => title);
    expect(titles).toEqual(["do one", "do two", "lint", "lint", "docs"]);
    await resumeRun(at.ports, id, { addTasks: [{ title: "lint", body: "" }] });
    expect((await current()).tasks).toHaveLength(6);
  });

  it("R-39 R-51 reset goes back to what prepare left: tasks, state, note, attachments with their bytes; the log stays", async () => {
    at.hooks.push(
      hook("prepare", () => ({
        mutate: {
          state: { n: 1 },
          note: "seed",
          attachments: { add: [{ sourcePath: file("kept.txt", "seed") }, { sourcePath: file("gone.txt", "gone") }] },
        },
      })),
    );
    id = await initialized();
    at.hooks.length = 0;
    const [kept, gone] = (await current()).attachments;
    await changeAttachments(
      at.ports,
      id,
      {
        replace: [{ attachmentId: kept?.id ?? "", sourcePath: file("kept.txt", "other") }],
        remove: [gone?.id ?? ""],
        add: [{ sourcePath: file("late.txt", "late") }],
      },
      at.cwd,
    );
    await editTask(at.ports, id, { kind: "set", task: "one", status: "completed" });
    await noteRun(at.ports, id, "later");
    await put({ state: { n: 9 }, status: "exhausted", sessions: [{ index: 0, startedAt: "", endedAt: "" }] });
    const events = (await at.types(id)).length;
    const run = await resetRun(at.ports, id);
    expect(run).toMatchObject({
      status: "initialized",
      state: { n: 1 },
      note: "seed",
      sessions: [],
      attempts: [],
      tasks: [{ status: "pending" }, {}],
    });
    expect(await bytesOf(0)).toBe("seed");
    expect(await bytesOf(1)).toBe("gone");
    expect(readdirSync(join(at.ports.store.directoryOf(id), "attachments")).sort()).toEqual(
      [kept?.id, gone?.id].sort(),
    );
    expect((await at.types(id)).slice(events)).toEqual(["run.reset"]);
  });

  it("R-51 reconfigure renders again with other variables and another message, with the hooks it was made with", async () => {
    at.hooks.push(
      hook("prepare", ({ vars }) => ({
        mutate: {
          note: `on ${vars.branch}`,
          attachments: { add: [{ sourcePath: file("p.txt", String(vars.branch)) }] },
        },
      })),
    );
    id = await initialized({ vars: { branch: VARIABLE }, body: "On {{branch}}." }, { name: "mine" });
    await attach("own.txt", "own");
    const run = await reconfigureRun(at.ports, id, { cliVars: { branch: "next" }, message: "go" });
    expect(run).toMatchObject({
      id,
      name: "mine",
      note: "on next",
      status: "initialized",
      settings: { message: "go" },
    });
    expect(run.brief).toContain("On next.");
    expect(run.attachments.map(({ name }) => name)).toEqual(["own.txt", "p.txt"]);
    expect(await bytesOf(1)).toBe("next");
    expect(readdirSync(join(at.ports.store.directoryOf(id), "attachments"))).toHaveLength(2);
    await put({ status: "success" });
    await expect(reconfigureRun(at.ports, id, {})).rejects.toMatchObject({ code: "HF1023" });
  });

  it("R-51 init on a run that is there reads its definitions again", async () => {
    const run = await reinitializeRun(at.ports, id, at.wanted({ body: "Build something else." }));
    expect(run).toMatchObject({ id, status: "initialized" });
    expect(run.brief).toContain("Build something else.");
  });

  it("R-51 archive hides it and keeps it from being resumed; unarchive brings it back; not while it runs", async () => {
    await put({ status: "exhausted" });
    await archiveRun(at.ports, id);
    expect(await at.ports.store.list({})).toEqual([]);
    await expect(resumeRun(at.ports, id, { message: "go" })).rejects.toMatchObject({ code: "HF1023" });
    await unarchiveRun(at.ports, id);
    expect(await at.ports.store.list({})).toHaveLength(1);
    await put({ status: "running" });
    await expect(archiveRun(at.ports, id)).rejects.toMatchObject({ code: "HF1023" });
  });

  it("R-51 delete takes everything; not while somebody drives it", async () => {
    const directory = at.ports.store.directoryOf(id);
    const lease = await at.ports.store.lease(id);
    await expect(deleteRun(at.ports, id)).rejects.toMatchObject({ code: "HF1024" });
    if (!("heldBy" in lease)) await lease.release();
    await deleteRun(at.ports, id);
    expect(existsSync(directory)).toBe(false);
    expect(readdirSync(join(at.dir, "runs")).filter((name) => name.startsWith(".removed"))).toEqual([]);
  });

  it("R-42 a note of white space is none; notes and pins are in no prompt", async () => {
    await noteRun(at.ports, id, "mind the gap");
    await pinRun(at.ports, id, true);
    const run = await current();
    expect(run).toMatchObject({ note: "mind the gap", isPinned: true });
    expect(run.brief).not.toContain("mind the gap");
    expect(await noteRun(at.ports, id, " \n ")).toMatchObject({ note: null });
  });
});

describe("what may be resumed", () => {
  const refused = (request = {}) =>
    resumeRun(at.ports, id, request).then(
      () => "resumed",
      (error) => [error.code, exitCodeOf(error)],
    );

  it("R-53 a blocked run needs a message; one with nothing open needs a message or a task", async () => {
    await put({ status: "blocked", statusReason: "blocked: one" });
    expect(await refused()).toEqual(["HF1027", 3]);
    await put({ status: "success", tasks: [] });
    expect(await refused()).toEqual(["HF1027", 3]);
    expect(await refused({ message: "  " })).toEqual(["HF1027", 3]);
  });

  it("R-51 only what has ended; a passive run never; no locked field", async () => {
    expect(await refused({ message: "go" })).toEqual(["HF1023", 3]);
    await put({ status: "exhausted", lockedFields: ["model", "tasks"] });
    expect(await refused({ model: "m" })).toEqual(["HF1026", 3]);
    expect(await refused({ addTasks: [{ title: "t", body: "" }] })).toEqual(["HF1026", 3]);
    id = await initialized({}, { backend: "passive" });
    await put({ status: "blocked" });
    expect(await refused({ message: "go" })).toEqual(["HF1023", 3]);
    await expect(startRun(at.ports, id)).rejects.toMatchObject({ code: "HF1023" });
  });
});

describe("dependencies", () => {
  it("are taken while initialized, make no circle, and keep a run from starting until they succeed", async () => {
    const [second, third] = [await initialized(), await initialized()];
    await editDependencies(at.ports, id, { add: second });
    await editDependencies(at.ports, second, { add: third });
    await expect(editDependencies(at.ports, third, { add: id })).rejects.toMatchObject({ code: "HF1030" });
    await expect(editDependencies(at.ports, id, { add: id })).rejects.toMatchObject({ code: "HF1030" });
    await expect(editDependencies(at.ports, id, { add: "zzzzzz" })).rejects.toMatchObject({ code: "HF1021" });
    await expect(startRun(at.ports, id)).rejects.toMatchObject({
      code: "HF1037",
      message: expect.stringContaining(`${second} is initialized`),
    });
    expect(await editDependencies(at.ports, id, { remove: second })).toMatchObject({ dependencies: [] });
    await put({ status: "success" }, third);
    await expect(editDependencies(at.ports, third, { add: id })).rejects.toMatchObject({ code: "HF1030" });
  });

  it("two edits at once cannot each close half a circle", async () => {
    const other = await initialized();
    const both = await Promise.allSettled([
      editDependencies(at.ports, id, { add: other }),
      editDependencies(at.ports, other, { add: id }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  it("a group stands for every run in it", async () => {
    await createRun(at.ports, at.wanted({}, { group: "first" }, { isStarted: false }));
    await editDependencies(at.ports, id, { add: "group:first" });
    await expect(startRun(at.ports, id)).rejects.toMatchObject({ code: "HF1037" });
  });
});

describe("attachments", () => {
  it("R-41 have a sum, a type by their name, and their bytes; a replaced one keeps its id and leaves no old file", async () => {
    await attach("a.md", "one");
    const [added] = (await current()).attachments;
    expect(added).toMatchObject({
      name: "a.md",
      mimeType: "text/markdown",
      bytes: 3,
      sha256: expect.stringMatching(/^7692c3ad/),
    });
    const replace = [{ attachmentId: added?.id ?? "", sourcePath: file("b.txt", "second"), name: "b.txt" }];
    await changeAttachments(at.ports, id, { replace }, at.cwd);
    expect((await current()).attachments).toMatchObject([{ id: added?.id, name: "b.txt", bytes: 6 }]);
    expect(await bytesOf(0)).toBe("second");
    expect(filesIn("attachments")).toEqual(["b.txt"]);
    await changeAttachments(at.ports, id, { remove: [added?.id ?? ""] }, at.cwd);
    expect(filesIn("attachments")).toEqual([]);
  });

  it.each(["", ".", "..", "a/b", "a\\b", "a\nb", "x".repeat(300)])(
    "R-41 the name %j is refused, and nothing stays",
    async (name) => {
      await expect(attach("a.txt", "x", { name })).rejects.toMatchObject({ code: "HF1029" });
      expect((await current()).attachments).toEqual([]);
      expect(readdirSync(at.ports.store.directoryOf(id)).includes("attachments")).toBe(false);
    },
  );

  it("R-41 at most 25 MiB each, 100 of them, 100 MiB together; what is no file is none", async () => {
    const large = "x".repeat(25 * 1024 * 1024);
    await expect(attach("large", `${large}x`)).rejects.toThrow("larger than 25 MiB");
    const add = Array.from({ length: 5 }, () => ({ sourcePath: file("large", large) }));
    await expect(changeAttachments(at.ports, id, { add }, at.cwd)).rejects.toThrow("100 MiB together");
    const many = Array.from({ length: 101 }, () => ({ sourcePath: file("small", "x") }));
    await expect(changeAttachments(at.ports, id, { add: many }, at.cwd)).rejects.toThrow("at most 100");
    await expect(changeAttachments(at.ports, id, { add: [{ sourcePath: at.cwd }] }, at.cwd)).rejects.toThrow("no file");
    await expect(changeAttachments(at.ports, id, { remove: ["att-000000"] }, at.cwd)).rejects.toThrow(
      "no attachment att-000000",
    );
    const directory = at.ports.store.directoryOf(id);
    expect(existsSync(join(directory, "staging")) ? readdirSync(join(directory, "staging")) : []).toEqual([]);
  });

  it.each(["append run-events.jsonl", "move a.txt"])(
    "R-54 are not lost on a disk that is full for %s: the run that names them is stored",
    async (refused) => {
      at.remove();
      let isFull = false;
      at = scene([], {
        onWrite(point) {
          if (isFull && point === `before ${refused}`)
            throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
        },
      });
      id = await initialized();
      isFull = true;
      await attach("a.txt", "bytes");
      isFull = false;
      expect(await bytesOf(0)).toBe("bytes");
      await noteRun(at.ports, id, "one more change");
      expect([filesIn("attachments"), filesIn("staging")]).toEqual([["a.txt"], []]);
    },
  );

  it("RB-3 of a phase that fails leave nothing: neither in the run nor on the disk", async () => {
    at.hooks.push(
      hook("task_transition", () => ({ mutate: { attachments: { add: [{ sourcePath: file("a.txt", "x") }] } } }), {
        name: "first",
      }),
    );
    at.hooks.push(
      hook("task_transition", () => {
        throw new Error("boom");
      }),
    );
    await expect(editTask(at.ports, id, { kind: "set", task: "one", status: "completed" })).rejects.toThrow("boom");
    const directory = at.ports.store.directoryOf(id);
    expect((await current()).attachments).toEqual([]);
    expect(existsSync(join(directory, "attachments"))).toBe(false);
    expect(existsSync(join(directory, "staging")) ? readdirSync(join(directory, "staging")) : []).toEqual([]);
  });

  it("R-38 added by many at once are all there", async () => {
    await Promise.all(Array.from({ length: 5 }, (_, index) => attach(`f${index}.txt`, `${index}`)));
    expect((await current()).attachments.map(({ name }) => name).sort()).toEqual([
      "f0.txt",
      "f1.txt",
      "f2.txt",
      "f3.txt",
      "f4.txt",
    ]);
  });
});
