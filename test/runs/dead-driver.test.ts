import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { marked } from "../../src/process/kill-tree.ts";
import { createRun } from "../../src/runs/create.ts";
import { markOfAttempt } from "../../src/runs/files/attempt-file.ts";
import { deleteRun, resetRun } from "../../src/runs/lifecycle.ts";
import { driveRun } from "../../src/runs/loop.ts";
import { addMessage } from "../../src/runs/messages.ts";
import type { RunPorts } from "../../src/runs/ports.ts";
import type { QueueEntry } from "../../src/runs/queue.ts";
import type { Run } from "../../src/runs/run.ts";
import { block, hook, type Scene, scene } from "../../src/runs/runs.fixture.ts";
import { type ResumeRequest, resumeRun } from "../../src/runs/start.ts";
import type { AttemptState, Change } from "../../src/runs/store.ts";
import { takeUp } from "../../src/runs/take-up.ts";

let at: Scene;
afterEach(() => at.remove());

const DONE = ["set one completed", "set two completed"];

interface Death {
  /** Before this change of the run is stored. */
  readonly change?: (next: Run, change: Change | undefined) => boolean;
  /** Before this is written of an attempt. */
  readonly attempt?: (state: AttemptState) => boolean;
}

/** The run of a driver that got as far as `death`, and nobody has gone on with it. */
async function leftBy(death: Death, ...wanted: Parameters<Scene["wanted"]>): Promise<string> {
  const { id } = await createRun(at.ports, at.wanted(...wanted));
  await expect(driveRun(dying(death), id)).rejects.toThrow("killed");
  return id;
}

function dying({ change: atChange, attempt: atAttempt }: Death): RunPorts {
  const { store } = at.ports;
  return {
    ...at.ports,
    store: {
      ...store,
      change: (next, change) =>
        atChange?.(next, change) ? Promise.reject(new Error("killed")) : store.change(next, change),
      writeAttempt: (id, state, lease) =>
        atAttempt?.(state) ? Promise.reject(new Error("killed")) : store.writeAttempt(id, state, lease),
    },
  };
}

const storing = (type: string): Death => ({
  change: (_, change) => change?.events?.some((event) => event.type === type) ?? false,
});
const resulting: Death = { attempt: ({ result }) => result !== null };
const afterExit: Death = { change: (next) => next.status === "exhausted" && next.progress === null };

describe("a run whose driver died", () => {
  it.each([
    ["before its end was stored", storing("run.finished")],
    ["before its last hooks were through", afterExit],
  ])(
    "R-53 %s: it ends as it would have, and what a resume asks for is done in a session after that",
    async (_, death) => {
      at = scene([[], DONE]);
      const ends: string[] = [];
      const id = await leftBy(death, { maxRetries: 0 });
      at.hooks.push(hook("after_exit", ({ status }) => void ends.push(status)));
      const { run, exitCode } = await resumeRun(at.ports, id, { message: "mind the gap", addTasks: [] });
      expect(at.prompts()[1]).toContain("mind the gap");
      expect([exitCode, ends, run.sessions.length]).toEqual([0, ["exhausted", "success"], 2]);
    },
  );

  it("a task that is asked for as it ends is worked on", async () => {
    at = scene([[], [...DONE]]);
    const id = await leftBy(afterExit, { maxRetries: 0 });
    const { run } = await resumeRun(at.ports, id, { addTasks: [{ title: "lint", body: "" }] });
    expect(at.prompts()[1]).toContain("lint");
    expect(run.tasks.map(({ title }) => title)).toEqual(["do one", "do two", "lint"]);
  });

  it("is given a task once, also when whoever asked for it is killed in the session it began, and asks again", async () => {
    at = scene([[], [], []]);
    const id = await leftBy(resulting, { maxRetries: 0 });
    const request = { addTasks: [{ title: "lint", body: "" }] };
    await expect(resumeRun(dying(resulting), id, request)).rejects.toThrow("killed");
    const { run } = await resumeRun(at.ports, id, request);
    expect(run.tasks.map(({ title }) => title)).toEqual(["do one", "do two", "lint"]);
  });

  it("and of which nothing is asked but to go on ends as it would have", async () => {
    at = scene();
    const id = await leftBy(afterExit, { maxRetries: 0 });
    expect(await resumeRun(at.ports, id)).toMatchObject({ exitCode: 1, run: { sessions: [{ index: 0 }] } });
    expect(at.prompts()).toHaveLength(1);
  });

  it("R-25 R-28 hooks after an attempt see what came of it, also when whoever goes on has something to say", async () => {
    at = scene([["exit 7"], DONE]);
    const seen: unknown[] = [];
    const id = await leftBy(storing("attempt.ended"));
    at.hooks.push(
      hook("after_attempt", ({ outcome }) => {
        seen.push(outcome.exitCode);
        return seen.length > 1 ? { opinion: block("not like this") } : undefined;
      }),
    );
    const { run } = await resumeRun(at.ports, id, { message: "mind the gap" });
    expect(seen).toEqual([7, 0]);
    expect(run).toMatchObject({ status: "blocked", attempts: [{ exitCode: 7, isAborted: false }, { exitCode: 0 }] });
    expect(at.prompts()[1]).toContain("mind the gap");
  });

  it("a message is told though the attempt that was under way was the last of its session", async () => {
    at = scene([["sleep 1"], DONE]);
    const id = await leftBy(resulting, { maxRetries: 0 });
    const { run, exitCode } = await resumeRun(at.ports, id, { message: "mind the gap" });
    expect([exitCode, at.prompts().length]).toEqual([0, 2]);
    expect(at.prompts()[1]).toContain("mind the gap");
    expect(run.attempts).toMatchObject([
      { session: 0, isAborted: true },
      { session: 1, indexInSession: 0 },
    ]);
    expect(run.sessions).toMatchObject([{ endedAt: expect.any(String) }, { index: 1 }]);
  });

  it.each([
    ["blocked", ["set one blocked"]],
    ["exhausted", []],
    ["an error", ["exit 1"]],
  ])("and whose last attempt would end it as %s is told what is said to it", async (end, lines) => {
    at = scene([lines, DONE]);
    const id = await leftBy(storing("attempt.ended"), { maxRetries: 0, ...(end === "an error" ? { tasks: [] } : {}) });
    const { exitCode, run } = await resumeRun(at.ports, id, { message: "mind the gap" });
    expect(at.prompts()[1]).toContain("mind the gap");
    expect([exitCode, at.prompts().length, run.messages]).toEqual([0, 2, undefined]);
  });

  it("after it was stopped is told what is said to it", async () => {
    at = scene([["working", "sleep 60000"], DONE]);
    const { id } = await createRun(at.ports, at.wanted());
    const stop = new AbortController();
    const options = { signal: stop.signal, onProgress: () => stop.abort() };
    await expect(driveRun(dying(storing("attempt.ended")), id, options)).rejects.toThrow("killed");
    const { exitCode, run } = await resumeRun(at.ports, id, { message: "mind the gap" });
    expect(at.prompts()[1]).toContain("mind the gap");
    expect([exitCode, run.attempts]).toMatchObject([0, [{ isAborted: true }, { isAborted: false }]]);
  });

  it("is told what a hook wanted it to be told, and what is said to it", async () => {
    at = scene([["exit 7"], DONE]);
    at.hooks.push(
      hook("after_attempt", ({ outcome }) =>
        outcome.exitCode === 7 ? { opinion: { kind: "reinvoke", prompt: "run the tests" } } : undefined,
      ),
    );
    const id = await leftBy({ change: (next) => next.attempts.length === 2 });
    await resumeRun(at.ports, id, { message: "mind the gap" });
    expect(at.prompts()[1]).toMatch(/run the tests\n.*mind the gap$/s);
  });

  it("goes on with the settings that a resume gives it", async () => {
    at = scene([[], [], DONE]);
    const id = await leftBy(resulting, { maxRetries: 0 });
    const { run, exitCode } = await resumeRun(at.ports, id, { maxRetries: 5, model: "other" });
    expect([exitCode, run.settings]).toMatchObject([0, { maxRetries: 5, model: "other" }]);
  });
});

describe("a queued resume of a run whose driver died", () => {
  async function taken(ports: RunPorts, run: string, resume: ResumeRequest) {
    const lease = await at.ports.store.lease(run);
    if ("heldBy" in lease) throw new Error("it is free");
    const entry = { run, sessions: 1, resume } as QueueEntry;
    return takeUp(ports, { entry, lease }, {}).finally(() => lease.release());
  }

  it.each([
    ["in an attempt", resulting, storing("run.finished")],
    ["in an attempt", resulting, { change: (next) => next.status === "success" && next.progress === null } as Death],
    ["after an attempt", storing("attempt.ended"), storing("attempt.ended")],
    ["after an attempt", storing("attempt.ended"), storing("run.finished")],
  ])("%s is done once, also when the worker that began it died", async (_, first, second) => {
    at = scene([[], DONE]);
    const id = await leftBy(first);
    const resume = { message: "mind the gap", addTasks: [] };
    await expect(taken(dying(second), id, resume)).rejects.toThrow("killed");
    const { exitCode, run } = await taken(at.ports, id, resume);
    expect([exitCode, run.sessions.length]).toEqual([0, 2]);
    expect(at.prompts().map((prompt) => prompt.split("mind the gap").length - 1)).toEqual([0, 1]);
  });

  it("adds its tasks once, also when the worker that began it died", async () => {
    at = scene([[], []]);
    const id = await leftBy(resulting, { maxRetries: 0 });
    const resume = { addTasks: [{ title: "lint", body: "" }] };
    await expect(taken(dying(storing("run.finished")), id, resume)).rejects.toThrow("killed");
    const { run } = await taken(at.ports, id, resume);
    expect(run.tasks.map(({ title }) => title)).toEqual(["do one", "do two", "lint"]);
  });
});

describe("a queued resume that adds tasks, whose worker died as soon as they were there", () => {
  const entryOf = (run: string, resume: ResumeRequest) =>
    ({ run, sessions: 1, resume, key: "this-entry" }) as QueueEntry;
  async function taken(ports: RunPorts, entry: QueueEntry) {
    const lease = await at.ports.store.lease(entry.run);
    if ("heldBy" in lease) throw new Error("it is free");
    return takeUp(ports, { entry, lease }, {}).finally(() => lease.release());
  }
  const addTasks = ["lint", "lint", "docs"].map((title) => ({ title, body: "" }));
  const titles = async (id: string) => (await at.ports.store.read(id))?.tasks.map(({ title }) => title);

  it.each([
    ["that had ended", undefined],
    ["whose driver died, too", storing("attempt.ended")],
  ])("adds them once, though somebody else went on with the run %s meanwhile", async (_, death) => {
    at = scene([[], [], [], []]);
    const { id } = await createRun(at.ports, at.wanted({ maxRetries: 0 }));
    const first = driveRun(death ? dying(death) : at.ports, id);
    await (death ? expect(first).rejects.toThrow("killed") : first);
    await expect(taken(dying(storing("session.started")), entryOf(id, { addTasks }))).rejects.toThrow("killed");
    expect(await titles(id)).toEqual(["do one", "do two", "lint", "lint", "docs"]);
    await resumeRun(at.ports, id);
    const { run } = await taken(at.ports, entryOf(id, { addTasks }));
    expect(run.tasks.map(({ title }) => title)).toEqual(["do one", "do two", "lint", "lint", "docs"]);
    expect(run.sessions.at(-1)?.request).toBe("this-entry");
  });

  it("adds what another entry asked for in the same words", async () => {
    at = scene([[], [], []]);
    const { id } = await createRun(at.ports, at.wanted({ maxRetries: 0 }));
    await driveRun(at.ports, id);
    await taken(at.ports, entryOf(id, { addTasks }));
    const { run } = await taken(at.ports, { ...entryOf(id, { addTasks }), key: "another", sessions: 2 });
    expect(run.tasks).toHaveLength(8);
  });
});

describe("a queued resume that asks for nothing but to go on", () => {
  const entryOf = (run: string, sessions: number, resume: ResumeRequest = {}) =>
    ({ run, sessions, resume, key: "this-entry" }) as QueueEntry;
  async function taken(ports: RunPorts, entry: QueueEntry) {
    const lease = await at.ports.store.lease(entry.run);
    if ("heldBy" in lease) throw new Error("it is free");
    return takeUp(ports, { entry, lease }, {}).finally(() => lease.release());
  }

  it.each([
    ["before it ended", storing("run.finished")],
    ["after it ended, before the queue was told", undefined],
  ])("of a run whose driver died begins no session of its own, though its worker died too, %s", async (_, death) => {
    at = scene([[], DONE]);
    const id = await leftBy(storing("attempt.ended"), { maxRetries: 0 });
    const first = taken(death ? dying(death) : at.ports, entryOf(id, 1));
    await (death ? expect(first).rejects.toThrow("killed") : first);
    const { run } = await taken(at.ports, entryOf(id, 1));
    expect([run.status, run.sessions.length, at.prompts().length]).toEqual(["exhausted", 1, 1]);
  });

  it("is done where somebody resumed the run meanwhile; one with a message is not", async () => {
    at = scene([[], [], DONE]);
    const { id } = await createRun(at.ports, at.wanted({ maxRetries: 0 }));
    await driveRun(at.ports, id);
    await resumeRun(at.ports, id);
    expect((await taken(at.ports, entryOf(id, 1))).run).toMatchObject({ status: "exhausted", sessions: { length: 2 } });
    const told = await taken(at.ports, entryOf(id, 1, { message: "mind the gap" }));
    expect([told.exitCode, told.run.sessions.length]).toEqual([0, 3]);
    expect(at.prompts()[2]).toContain("mind the gap");
    await taken(at.ports, entryOf(id, 1, { message: "mind the gap" }));
    expect(at.prompts()).toHaveLength(3);
  });
});

describe("a run whose machine lost its power in an attempt", () => {
  /** What of an attempt is not worth a sync may come back as anything. */
  async function torn(text: string): Promise<string> {
    at = scene([["exit 7"], DONE]);
    const id = await leftBy(resulting);
    writeFileSync(join(at.ports.store.directoryOf(id), "attempts", "01.json"), text);
    return id;
  }

  it.each(["", "{", "\0\0\0\0", "null"])("goes on, though the file of the attempt says %j", async (text) => {
    const id = await torn(text);
    expect(await resumeRun(at.ports, id)).toMatchObject({ exitCode: 0, run: { attempts: [{ number: 1 }] } });
  });

  it.each([
    ["reset", resetRun],
    ["deleted", deleteRun],
  ])("can be %s all the same", async (_, undo) => {
    const id = await torn("{");
    await undo(at.ports, id);
  });
});

describe("the agent that a dead driver left", () => {
  it.each([
    ["reset", resetRun],
    ["deleted", deleteRun],
  ])("is ended before the run is %s: it would go on with a run that is not its own any more", async (_, undo) => {
    at = scene();
    const id = await leftBy({ change: (next) => next.attempts.some(({ endedAt }) => endedAt !== null) });
    const env = marked({ PATH: process.env.PATH }, markOfAttempt(id, 1));
    const agent = spawn("sleep", ["600"], { env: env as NodeJS.ProcessEnv, stdio: "ignore" });
    onTestFinished(() => void agent.kill("SIGKILL"));
    const ended = once(agent, "exit");
    await undo(at.ports, id);
    await expect(Promise.race([ended, sleep(60_000, "still there")])).resolves.not.toBe("still there");
  });
});

describe("what people say to a run", () => {
  it.each([
    ["another prompt", () => ({ opinion: { kind: "reinvoke" as const, prompt: "something else" } })],
    ["a rewritten prompt", () => ({ mutate: { run: { attemptPrompt: "something else" } } })],
  ])("is told once, also where a hook gives the attempt %s", async (_, answer) => {
    at = scene([DONE]);
    at.hooks.push(hook("before_attempt", answer));
    const { id } = await createRun(at.ports, at.wanted());
    await addMessage(at.ports, id, "leave the migration alone");
    const { run } = await driveRun(at.ports, id);
    expect(at.prompts()[0]).toMatch(/^something else\n.*leave the migration alone$/s);
    expect(run.messages).toBeUndefined();
  });

  it("is told as a hook rewrote it: a secret that it took out stays out", async () => {
    at = scene([DONE]);
    at.hooks.push(
      hook("before_attempt", ({ prompt }) => ({
        mutate: { run: { attemptPrompt: prompt.replace("hunter2", "***") } },
      })),
    );
    const { id } = await createRun(at.ports, at.wanted());
    await addMessage(at.ports, id, "the password is hunter2");
    await driveRun(at.ports, id);
    expect(at.prompts()[0]).toMatch(/the password is \*\*\*$/);
  });

  it("is told though a hook's prompt has its letters in other words", async () => {
    at = scene([DONE]);
    at.hooks.push(hook("before_attempt", () => ({ mutate: { run: { attemptPrompt: "take notes" } } })));
    const { id } = await createRun(at.ports, at.wanted());
    await addMessage(at.ports, id, "no");
    await driveRun(at.ports, id);
    expect(at.prompts()[0]).toMatch(/^take notes\n.*\nno$/s);
  });

  it("is not told twice where a hook adds to the prompt", async () => {
    at = scene([DONE]);
    at.hooks.push(
      hook("before_attempt", ({ prompt }) => ({ mutate: { run: { attemptPrompt: `${prompt}\nBe brief.` } } })),
    );
    const { id } = await createRun(at.ports, at.wanted());
    await addMessage(at.ports, id, "leave the migration alone");
    await driveRun(at.ports, id);
    expect(at.prompts()[0]?.split("leave the migration alone")).toHaveLength(2);
  });
});

describe("a store that fails for a moment", () => {
  it("while the backend works: what comes of the attempt is kept", async () => {
    at = scene([DONE]);
    const { id } = await createRun(at.ports, at.wanted());
    const failing = dying({ attempt: ({ process, result }) => process !== null && result === null });
    expect(await driveRun(failing, id)).toMatchObject({ exitCode: 0, run: { status: "success" } });
  });

  it("when the attempt is over: what came of it is written as soon as it can be", async () => {
    at = scene([DONE]);
    const { id } = await createRun(at.ports, at.wanted());
    let failures = 0;
    const failing = dying({ attempt: ({ result }) => result !== null && failures++ < 2 });
    expect(await driveRun(failing, id)).toMatchObject({ exitCode: 0, run: { attempts: [{ number: 1 }] } });
    expect(at.prompts()).toHaveLength(1);
  });

  it("for longer when the attempt is over: it is no fault of the backend, and whoever goes on begins the attempt again", async () => {
    at = scene([[], DONE]);
    const id = await leftBy(resulting, { maxRetries: 0 });
    expect(await resumeRun(at.ports, id)).toMatchObject({ exitCode: 0, run: { attempts: [{ number: 1 }] } });
    expect(await at.types(id)).not.toContain("attempt.failed");
  });
});
