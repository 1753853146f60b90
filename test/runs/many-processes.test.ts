import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRun } from "../../src/runs/create.ts";
import { authored, type Scene, scene } from "../../src/runs/runs.fixture.ts";
import type { TaskEdit } from "../../src/runs/task.ts";
import { readRun } from "../../src/runs/update.ts";

let at: Scene;
let started: ChildProcess[] = [];
beforeEach(() => {
  at = scene();
});
afterEach(() => {
  for (const child of started) child.kill("SIGKILL");
  started = [];
  at.remove();
});

function edit(
  id: string,
  hook: string,
  edits: readonly TaskEdit[],
): { child: ChildProcess; said: (text: string) => Promise<void> } {
  const args = [join(import.meta.dirname, "edit-tasks.mjs"), at.dir, id, hook, JSON.stringify(edits)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  started.push(child);
  let output = "";
  let problem = "";
  child.stderr.on("data", (chunk) => {
    problem += chunk;
  });
  const said = (text: string) =>
    new Promise<void>((done, fail) => {
      const look = () => output.includes(text) && done();
      child.stdout.on("data", (chunk) => {
        output += chunk;
        look();
      });
      child.on("exit", () => (output.includes(text) ? done() : fail(new Error(`it never said ${text}\n${problem}`))));
    });
  return { child, said };
}

const complete = (task: string): TaskEdit => ({ kind: "set", task, status: "completed" });

describe("several processes on one run", () => {
  it("R-38 eight that edit tasks at once, with a hook that counts: every edit and every count is there", async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `t${index}`);
    const wanted = at.wanted({ tasks: ids.map((id) => authored(id)) }, {}, { isStarted: false });
    const { id } = await createRun(at.ports, wanted);
    const editors = Array.from({ length: 8 }, (_, index) =>
      edit(id, "counts", ids.slice(index * 5, index * 5 + 5).map(complete)),
    );
    await Promise.all(editors.map(({ said }) => said("done")));
    const run = await readRun(at.ports, id);
    expect(run.tasks.filter(({ status }) => status === "completed")).toHaveLength(40);
    expect(run.state.count).toBe(40);
    const events = await at.events(id);
    expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ type }) => type === "task.edited")).toHaveLength(40);
    expect(readdirSync(at.ports.store.directoryOf(id)).sort()).toEqual(["origin.json", "run-events.jsonl", "run.json"]);
  });

  it("RB-6 one whose hook hangs holds up neither readers nor editors; killed, it leaves no lock", async () => {
    const { id } = await createRun(at.ports, at.wanted({}, {}, { isStarted: false }));
    const hanging = edit(id, "hangs", [complete("one")]);
    await hanging.said("asked");
    expect((await readRun(at.ports, id)).tasks.map(({ status }) => status)).toEqual(["pending", "pending"]);
    await edit(id, "none", [complete("two")]).said("done");
    hanging.child.kill("SIGKILL");
    await edit(id, "none", [complete("one")]).said("done");
    expect((await readRun(at.ports, id)).tasks.map(({ status }) => status)).toEqual(["completed", "completed"]);
  });
});
