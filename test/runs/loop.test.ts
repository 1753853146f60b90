import { afterEach, describe, expect, it } from "vitest";
import { createRun } from "../../src/runs/create.ts";
import { driveRun } from "../../src/runs/loop.ts";
import { block, hook, type Scene, scene } from "../../src/runs/runs.fixture.ts";
import { readyRun, resumeRun, startRun } from "../../src/runs/start.ts";

let at: Scene;
afterEach(() => at.remove());

const DONE = ["set one completed", "set two completed"];

async function run(...wanted: Parameters<Scene["wanted"]>) {
  const { id } = await createRun(at.ports, at.wanted(...wanted));
  return driveRun(at.ports, id);
}

describe("the loop", () => {
  it("R-50 ends in success when all tasks are completed", async () => {
    at = scene([DONE]);
    const end = await run();
    expect(end).toMatchObject({ exitCode: 0, reason: "", run: { status: "success", progress: null } });
    expect(end.run.attempts).toMatchObject([{ number: 1, session: 0, indexInSession: 0, exitCode: 0 }]);
    expect(at.prompts()).toEqual([end.run.brief]);
    expect(await at.types(end.run.id)).toEqual([
      "run.created",
      "attempt.started",
      "task.edited",
      "task.edited",
      "attempt.ended",
      "run.finished",
    ]);
  });

  it("R-53 nudges with the tasks that are not completed", async () => {
    at = scene([["set one completed"], ["set two completed"]]);
    const { run: after } = await run();
    expect(after.status).toBe("success");
    expect(at.prompts()[1]).toContain("- [two] do two (pending)");
    expect(at.prompts()[1]).not.toContain("[one] do one (");
    // The command backend has no session to go on in.
    expect(at.prompts()[1]?.startsWith(after.brief)).toBe(true);
  });

  it("R-50 is exhausted when no attempt is left, and says which tasks are open", async () => {
    at = scene();
    const end = await run({ maxRetries: 1 });
    expect(end).toMatchObject({
      exitCode: 1,
      reason: expect.stringContaining("one, two"),
      run: { status: "exhausted" },
    });
    expect(end.run.attempts).toHaveLength(2);
  });

  it("R-50 is blocked when a task is, and in_progress goes back to pending", async () => {
    at = scene([["set one blocked", "set two in_progress"]]);
    const end = await run();
    expect(end).toMatchObject({ exitCode: 2, reason: "blocked: one" });
    expect(end.run.tasks.map(({ status }) => status)).toEqual(["blocked", "pending"]);
  });

  it("R-50 without tasks goes by the exit code", async () => {
    at = scene([["exit 7"]]);
    expect(await run({ tasks: [] })).toMatchObject({ exitCode: 4, reason: expect.stringContaining("exit code 7") });
  });

  it("R-50 a person's stop ends the process and the run, 130, and hooks after it still run", async () => {
    at = scene([["set one in_progress", "sleep 60000"]]);
    const heard: string[] = [];
    at.hooks.push(hook("after_attempt", (event) => void heard.push(`aborted ${event.outcome.isAborted}`)));
    at.hooks.push(hook("after_exit", (event) => void heard.push(event.status)));
    const stop = new AbortController();
    const { id } = await createRun(at.ports, at.wanted());
    const end = await driveRun(at.ports, id, { signal: stop.signal, onProgress: () => stop.abort() });
    expect(end).toMatchObject({ exitCode: 130, run: { status: "aborted", attempts: [{ isAborted: true }] } });
    expect(heard).toEqual(["aborted true", "aborted"]);
  });

  it("R-50 a backend that cannot be used ends it with what is wrong", async () => {
    at = scene();
    const { id } = await createRun(at.ports, at.wanted({}, { backendConfig: {} }));
    expect(await driveRun(at.ports, id)).toMatchObject({
      exitCode: 4,
      reason: expect.stringContaining("no command to run"),
    });
  });

  it("only one process drives a run", async () => {
    at = scene([DONE]);
    const { id } = await createRun(at.ports, at.wanted());
    const both = await Promise.allSettled([driveRun(at.ports, id), driveRun(at.ports, id)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(both.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "HF1024" } });
  });
});

describe("hooks of attempts", () => {
  it("R-24 before: runs before every attempt, and what it changes is stored before the backend starts", async () => {
    at = scene([["set one completed"], ["set two completed"]]);
    at.hooks.push(
      hook("before_attempt", ({ attemptIndex }) => ({
        mutate: { state: { attempts: attemptIndex + 1 }, run: { attemptPrompt: `told ${attemptIndex}`, model: "m" } },
      })),
    );
    const { run: after } = await run();
    expect(at.prompts()).toEqual(["told 0", "told 1"]);
    expect(after).toMatchObject({ state: { attempts: 2 }, settings: { model: "m" } });
  });

  it("R-25 after: sees what came of the attempt", async () => {
    at = scene([["hello", "exit 3"], DONE]);
    const seen: unknown[] = [];
    at.hooks.push(
      hook(
        "after_attempt",
        ({ outcome, sessionIndex, attemptIndex, retriesRemaining }) =>
          void seen.push([outcome.exitCode, outcome.transcript, sessionIndex, attemptIndex, retriesRemaining]),
      ),
    );
    await run();
    expect(seen).toEqual([
      [3, "hello", 0, 0, 3],
      [0, DONE.join("\n"), 0, 1, 2],
    ]);
  });

  it("R-26 after: another attempt with its prompt, one of the budget; with none left the run is exhausted", async () => {
    at = scene([DONE]);
    at.hooks.push(hook("after_attempt", () => ({ opinion: { kind: "reinvoke", prompt: "check it again" } })));
    const end = await run({ maxRetries: 1 });
    expect(end).toMatchObject({ exitCode: 1, run: { status: "exhausted" } });
    expect(at.prompts()).toHaveLength(2);
    expect(at.prompts()[1]).toContain("check it again");
  });

  it("R-27 before: another prompt for this attempt", async () => {
    at = scene([DONE]);
    at.hooks.push(hook("before_attempt", () => ({ opinion: { kind: "reinvoke", prompt: "instead" } })));
    expect((await run()).exitCode).toBe(0);
    expect(at.prompts()).toEqual(["instead"]);
  });

  it("R-28 RB-12 before: a block ends the run without a call of the backend, and says why", async () => {
    at = scene([DONE]);
    at.hooks.push(hook("before_attempt", () => ({ opinion: block("not on Fridays"), mutate: { note: "seen" } })));
    const end = await run();
    expect(end).toMatchObject({ exitCode: 2, reason: "not on Fridays", run: { attempts: [], note: "seen" } });
    expect(at.prompts()).toEqual([]);
  });

  it("R-28 after: a block ends the run", async () => {
    at = scene([DONE]);
    at.hooks.push(hook("after_attempt", () => ({ opinion: block("too large a change") })));
    expect(await run()).toMatchObject({
      exitCode: 2,
      reason: "too large a change",
      run: { attempts: [{ exitCode: 0 }] },
    });
  });

  it("R-31 before: one that chooses a backend that cannot be asked ends the run as an error", async () => {
    at = scene([DONE]);
    at.hooks.push(hook("before_attempt", () => ({ mutate: { run: { backend: "passive" } } })));
    expect(await run()).toMatchObject({
      exitCode: 4,
      reason: expect.stringContaining("the backend passive cannot be used"),
      run: { status: "error", progress: null, attempts: [{ endedAt: expect.any(String) }] },
    });
  });

  it("R-31 a hook that throws ends the run as an error, and the attempt stays on record", async () => {
    at = scene([DONE]);
    at.hooks.push(
      hook("after_attempt", () => {
        throw new Error("boom");
      }),
    );
    const end = await run();
    expect(end).toMatchObject({ exitCode: 4, reason: expect.stringContaining("boom") });
    expect(end.run.attempts).toMatchObject([{ number: 1, exitCode: 0, endedAt: expect.any(String) }]);
  });

  it("R-29 after the end: sees the final status, may change notes and state, and its errors change nothing", async () => {
    at = scene([DONE]);
    at.hooks.push(
      hook("after_exit", ({ status }) => ({ mutate: { note: `it ended in ${status}`, state: { ended: true } } }), {
        name: "first",
      }),
    );
    at.hooks.push(
      hook("after_exit", () => {
        throw new Error("boom");
      }),
    );
    const end = await run();
    expect(end).toMatchObject({ exitCode: 0, run: { status: "success", progress: null, note: "it ended in success" } });
    expect(end.run.hookAudits.map(({ outcome }) => outcome)).toEqual(["continue", "error"]);
  });

  it("R-30 variables cannot be changed once a run has begun", async () => {
    at = scene([DONE]);
    at.hooks.push(hook("before_attempt", () => ({ mutate: { vars: { a: "1" } } })));
    expect(await run()).toMatchObject({ exitCode: 4, run: { vars: {} } });
  });

  it("R-48 RB-13 every hook is in the log, with phase, attempt and outcome; the manifest keeps the last fifty", async () => {
    at = scene([]);
    for (let index = 0; index < 8; index += 1) {
      at.hooks.push(
        hook("before_attempt", () => undefined, { name: `before-${index}` }),
        hook("after_attempt", () => undefined, { name: `after-${index}` }),
      );
    }
    const { run: after } = await run();
    const recorded = (await at.events(after.id)).filter(({ type }) => type === "run.hook_recorded");
    expect(recorded).toHaveLength(4 * 16);
    expect(recorded[0]?.data).toMatchObject({ phase: "beforeAttempt", hook: "before-0", attempt: 1, session: 0 });
    expect(after.hookAudits).toHaveLength(50);
    const cursors = (await at.events(after.id)).map(({ cursor }) => cursor);
    expect(cursors).toEqual(cursors.map((_, index) => index + 1));
  });

  it("R-38 what others store while hooks of an attempt run is kept, and so is what the hooks change", async () => {
    at = scene([DONE]);
    at.hooks.push(
      hook("after_attempt", async ({ run }) => {
        const current = await at.ports.store.read(run.id);
        if (current && current.name === null)
          await at.ports.store.change({ ...current, version: current.version + 1, name: "meanwhile" });
        return { mutate: { note: "from the hook" } };
      }),
    );
    expect((await run()).run).toMatchObject({ status: "success", name: "meanwhile", note: "from the hook" });
  });
});

describe("sessions", () => {
  it("R-12 RB-14 a resumed run begins another session with the same budget", async () => {
    at = scene();
    const { run: first } = await run({ maxRetries: 0 });
    expect(first).toMatchObject({ status: "exhausted", settings: { maxRetries: 0 } });
    const second = await resumeRun(at.ports, first.id, { message: "try harder" });
    expect(second.exitCode).toBe(1);
    expect(second.run.attempts.map(({ number, session, indexInSession }) => [number, session, indexInSession])).toEqual(
      [
        [1, 0, 0],
        [2, 1, 0],
      ],
    );
    expect(second.run.sessions).toHaveLength(2);
    expect(at.prompts()[1]).toContain("try harder");
  });

  it("R-18 R-23 prepare ran once, when the run was made: neither a start nor a resume runs it again", async () => {
    at = scene();
    at.hooks.push(hook("prepare", () => ({ mutate: { note: "as it was then" } })));
    const { id } = await createRun(at.ports, at.wanted({ maxRetries: 0 }, {}, { isStarted: false }));
    at.hooks[0] = hook("prepare", () => ({ mutate: { note: "as it is now" } }));
    await readyRun(at.ports, id);
    expect((await startRun(at.ports, id)).run.note).toBe("as it was then");
    expect((await resumeRun(at.ports, id)).run.note).toBe("as it was then");
    expect((await at.types(id)).filter((type) => type === "run.created")).toHaveLength(1);
  });

  it("R-51 a ready run sends its stored brief as it is", async () => {
    at = scene([DONE]);
    const { id, brief } = await createRun(at.ports, at.wanted({}, {}, { isStarted: false }));
    await readyRun(at.ports, id);
    expect((await startRun(at.ports, id)).exitCode).toBe(0);
    expect(at.prompts()).toEqual([brief]);
  });

  it("R-51 RB-11 a task that a resume adds is shown to hooks, as run-loop, and worked on", async () => {
    at = scene([DONE, ["set three completed"]]);
    const seen: string[] = [];
    at.hooks.push(hook("task_transition", ({ source, to }) => void seen.push(`${source} ${to?.title}`)));
    const { run: first } = await run();
    const end = await resumeRun(at.ports, first.id, { addTasks: [{ title: "one more", body: "" }], maxRetries: 0 });
    expect(end.run.tasks).toHaveLength(3);
    expect(seen).toContain("run-loop one more");
  });

  it("RB-9 the backend is told what the environment says; what is stored stays a reference", async () => {
    at = scene([DONE]);
    at.env.TOKEN_NAME = "hunter2";
    const token = {
      type: "string",
      required: false,
      requiredAt: "initial",
      sources: ["env"],
      envName: "TOKEN_NAME",
    } as const;
    const { run: after } = await run({
      vars: { token: { ...token, default: null, description: null, values: [] } },
      body: "Use {{token}}.",
    });
    expect(at.prompts()[0]).toContain("Use hunter2.");
    expect(
      JSON.stringify([after, await at.ports.store.readAttempt(after.id, 1), await at.events(after.id)]),
    ).not.toContain("hunter2");
  });

  it("RB-11 the loop's own edits of tasks are shown to hooks, as run-loop", async () => {
    at = scene([["set one in_progress", "set two completed"]]);
    const sources: string[] = [];
    at.hooks.push(
      hook("task_transition", ({ source, taskId, toStatus }) => void sources.push(`${source} ${taskId} ${toStatus}`)),
    );
    await run({ maxRetries: 0 });
    expect(sources).toEqual(["task-set one in_progress", "task-set two completed", "run-loop one pending"]);
  });

  it("RB-11 a hook that refuses the loop's own edit is on record; the run ends all the same", async () => {
    at = scene([["set one in_progress"]]);
    at.hooks.push(
      hook("task_transition", ({ source }) => (source === "run-loop" ? { opinion: block("leave it") } : undefined)),
    );
    const end = await run({ maxRetries: 0 });
    expect(end.run).toMatchObject({ status: "exhausted", tasks: [{ status: "in_progress" }, {}] });
    expect(await at.types(end.run.id)).toContain("task.edit_rejected");
  });
});
