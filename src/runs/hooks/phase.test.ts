import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../core/event.ts";
import type { Mutation } from "../mutation.ts";
import { sampleRun } from "../scratch.fixture.ts";
import type { Modules } from "./engine.ts";
import { afterAttempt, afterExit, beforeAttempt, completing, layered, phases } from "./phases.fixture.ts";

const NO_MODULES: Modules = {
  describe: async () => [],
  judge: async () => {
    throw new Error("there are no modules here");
  },
};

const goes = (mutate: Mutation = {}) => ({ opinion: { kind: "none" as const }, mutate: mutate as never });
const blocks = (reason: string, mutate: Mutation = {}) => ({
  opinion: { kind: "block" as const, reason },
  mutate: mutate as never,
});
const runIn = (event: AgentEvent) => event as Extract<AgentEvent, { name: "before_attempt" }>;
const outcomes = ({ audits }: { audits: readonly { hook: string; outcome: string }[] }) =>
  audits.map(({ hook, outcome }) => `${hook} ${outcome}`);

describe("the hooks of a phase", () => {
  test("R-15 R-17 run one at a time in their order, each seeing what the ones before it changed", async () => {
    const seen: unknown[] = [];
    let running = 0;
    const hook = (name: string, mutate: Mutation) =>
      layered(name, "beforeAttempt", async (event) => {
        expect(++running).toBe(1);
        const { run, state, tasks, prompt } = runIn(event);
        seen.push([name, run.cwd, run.note, state, tasks[1]?.status, prompt]);
        await new Promise((done) => setTimeout(done, 5));
        running -= 1;
        return goes(mutate);
      });
    const outcome = await phases(NO_MODULES).run(beforeAttempt(), {
      layered: [
        hook("one", { run: { cwd: "/one", attemptPrompt: "first" }, state: { n: 1 }, note: "hi" }),
        hook("two", { state: { m: 2 }, patchTasks: [{ taskId: "b", status: "blocked" }] }),
        hook("three", {}),
      ],
    });
    expect(seen.map((row) => (row as unknown[]).slice(2))).toEqual([
      [null, {}, "pending", "go"],
      ["hi", { n: 1 }, "pending", "first"],
      ["hi", { n: 1, m: 2 }, "blocked", "first"],
    ]);
    expect(outcome).toMatchObject({
      end: { kind: "continue" },
      prompt: "first",
      run: { settings: { cwd: "/one" }, state: { n: 1, m: 2 }, note: "hi" },
    });
    expect(outcome.mutations).toHaveLength(3);
    expect(outcomes(outcome)).toEqual(["one continue", "two continue", "three continue"]);
  });

  test.each([
    ["block", blocks("no"), { kind: "block", hook: "two", reason: "no" }],
    [
      "reinvoke",
      { opinion: { kind: "reinvoke" as const, prompt: "again" } },
      { kind: "reinvoke", hook: "two", prompt: "again" },
    ],
  ])("R-16 the first %s ends the phase; later hooks are not asked", async (kind, verdict, end) => {
    const outcome = await phases(NO_MODULES).run(beforeAttempt(), {
      layered: [
        layered("one", "beforeAttempt", () => goes({ state: { kept: true } })),
        layered("two", "beforeAttempt", () => verdict),
        layered("three", "beforeAttempt", () => goes({ state: { lost: true } })),
      ],
    });
    expect(outcome.end).toEqual(end);
    expect(outcomes(outcome)).toEqual(["one continue", `two ${kind}`]);
    expect(outcome.run.state).toEqual({ kept: true });
  });

  test("what a hook changes holds also where it blocks", async () => {
    const outcome = await phases(NO_MODULES).run(beforeAttempt(), {
      layered: [layered("one", "beforeAttempt", () => blocks("no", { note: "because" }))],
    });
    expect(outcome.run.note).toBe("because");
  });

  test("without any, nothing is asked and nothing recorded", async () => {
    const { run, recorded } = phases(NO_MODULES);
    expect(await run(beforeAttempt())).toMatchObject({
      end: { kind: "continue" },
      audits: [],
      mutations: [],
      prompt: null,
    });
    expect(recorded).toEqual([]);
  });
});

describe("RB-3 what a phase changes is one transaction", () => {
  const failing = [
    layered("one", "beforeAttempt", () => goes({ state: { half: true }, note: "half" })),
    layered("two", "beforeAttempt", () => {
      throw new Error("broken");
    }),
  ];

  test("R-31 of a phase that failed nothing is kept but its audit", async () => {
    const run = sampleRun();
    const outcome = await phases(NO_MODULES).run(beforeAttempt(), { run, layered: failing });
    expect(outcome.end).toMatchObject({ kind: "error", hook: "two", isTimeout: false });
    expect(outcome.run).toBe(run);
    expect(outcome.mutations).toEqual([]);
    expect(outcomes(outcome)).toEqual(["one continue", "two error"]);
    expect(outcome.audits[1]?.summary).toContain("broken");
  });

  test.each([
    ["a patch of a task that is not there", goes({ patchTasks: [{ taskId: "zzz" }] })],
    ["a mutation of the wrong shape", { opinion: { kind: "none" as const }, mutate: { pinned: "yes" } }],
    ["a block without a reason", blocks(" ")],
    ["a variable outside prepare", goes({ vars: { a: 1 } })],
    ["what its event cannot express", { opinion: { kind: "halt" as const, reason: "x" } }],
  ])("RB-2 %s is an error of the hook, and nothing of it is applied", async (_name, verdict) => {
    const run = sampleRun();
    const outcome = await phases(NO_MODULES).run(beforeAttempt(), {
      run,
      layered: [layered("bad", "beforeAttempt", () => verdict as never)],
    });
    expect(outcome.end.kind).toBe("error");
    expect(outcome.run).toBe(run);
    expect(outcomes(outcome)).toEqual(["bad error"]);
  });

  test("a hook that fails open is left out; the phase goes on", async () => {
    const outcome = await phases(NO_MODULES).run(beforeAttempt(), {
      layered: [
        layered("open", "beforeAttempt", () => goes({ state: { bad: true }, run: { timeoutSec: -1 } }), {
          onError: "continue",
        }),
        layered("next", "beforeAttempt", () => goes({ note: "fine" })),
      ],
    });
    expect(outcome.end).toEqual({ kind: "continue" });
    expect(outcome.run).toMatchObject({ state: {}, note: "fine" });
    expect(outcomes(outcome)).toEqual(["open error", "next continue"]);
  });

  test("R-41 a file that cannot be attached fails its hook before anything is applied", async () => {
    const outcome = await phases(NO_MODULES).run(beforeAttempt(), {
      stage: async () => {
        throw new Error("the file is larger than 25 MiB");
      },
      layered: [
        layered("big", "beforeAttempt", () => goes({ note: "n", attachments: { add: [{ sourcePath: "/x" }] } })),
      ],
    });
    expect(outcome.end).toMatchObject({ kind: "error", message: expect.stringContaining("25 MiB") });
    expect(outcome.run.note).toBeNull();
  });

  test("R-17 later hooks see what was attached", async () => {
    const file = { id: "att-1", name: "x", mimeType: "text/plain", bytes: 1, sha256: "0", addedAt: "" };
    let seen: unknown;
    await phases(NO_MODULES).run(beforeAttempt(), {
      stage: async (_changes, current) => [...current, file],
      layered: [
        layered("adds", "beforeAttempt", () => goes({ attachments: { add: [{ sourcePath: "/x" }] } })),
        layered("looks", "beforeAttempt", (event) => {
          seen = runIn(event).attachments;
          return goes();
        }),
      ],
    });
    expect(seen).toEqual([file]);
  });
});

describe("a task edit", () => {
  test("R-32 hooks see it as it would be, with what it changes and who asks", async () => {
    let seen: unknown;
    const run = sampleRun();
    const outcome = await phases(NO_MODULES).run(completing(run), {
      run,
      layered: [
        layered("looks", "taskTransition", (event) => {
          seen = event;
          return { opinion: { kind: "allow" } };
        }),
      ],
    });
    expect(seen).toMatchObject({
      taskId: "a",
      source: "task-set",
      fromStatus: "pending",
      toStatus: "completed",
      changedFields: ["status"],
      tasks: [{ id: "a", status: "completed" }, { id: "b" }],
    });
    expect(outcome.run.tasks[0]?.status).toBe("completed");
    expect(outcome.audits).toMatchObject([{ outcome: "accepted", task: "a", session: null, attempt: null }]);
  });

  test("R-34 a rejected edit is undone; what hooks did elsewhere stays", async () => {
    const run = sampleRun();
    const outcome = await phases(NO_MODULES).run(completing(run), {
      run,
      layered: [
        layered("side", "taskTransition", () =>
          goes({
            note: "seen",
            pinned: true,
            state: { tries: 1 },
            patchTasks: [
              { taskId: "a", notesAppend: "lost" },
              { taskId: "b", notesAppend: "kept" },
            ],
          }),
        ),
        layered("gate", "taskTransition", () => blocks("not yet")),
      ],
    });
    expect(outcome.end).toEqual({ kind: "block", hook: "gate", reason: "not yet" });
    expect(outcome.run).toMatchObject({ note: "seen", isPinned: true, state: { tries: 1 } });
    expect(outcome.run.tasks).toEqual([run.tasks[0], { ...run.tasks[1], notes: "kept" }]);
    expect(outcomes(outcome)).toEqual(["side accepted", "gate rejected"]);
  });

  test("R-34 a rejected task is not there, a task that was not to be deleted is where it was", async () => {
    const run = sampleRun();
    const gate = [layered("gate", "taskTransition", () => blocks("no"))];
    const added = { id: "c", title: "third", body: "", status: "pending" as const, notes: "" };
    const add = { taskId: "c", source: "task-add" as const, before: null, after: added };
    const rejected = await phases(NO_MODULES).run({ phase: "taskTransition", transition: add }, { run, layered: gate });
    expect(rejected.run.tasks).toEqual(run.tasks);
    const remove = { taskId: "a", source: "task-delete" as const, before: run.tasks[0] ?? null, after: null };
    const kept = await phases(NO_MODULES).run({ phase: "taskTransition", transition: remove }, { run, layered: gate });
    expect(kept.run.tasks).toEqual(run.tasks);
    const accepted = await phases(NO_MODULES).run({ phase: "taskTransition", transition: remove }, { run });
    expect(accepted.run.tasks.map(({ id }) => id)).toEqual(["b"]);
  });

  test("R-36 an error keeps nothing, not the edit and not what hooks changed", async () => {
    const run = sampleRun();
    const outcome = await phases(NO_MODULES).run(completing(run), {
      run,
      layered: [
        layered("side", "taskTransition", () => goes({ note: "seen" })),
        layered("broken", "taskTransition", () => {
          throw new Error("broken");
        }),
      ],
    });
    expect(outcome.end.kind).toBe("error");
    expect(outcome.run).toBe(run);
  });
});

describe("after the run's end", () => {
  test("R-29 a hook that fails stops nothing, and nothing of it is kept", async () => {
    const outcome = await phases(NO_MODULES).run(afterExit(), {
      layered: [
        layered("broken", "afterExit", () => {
          throw new Error("broken");
        }),
        layered("notes", "afterExit", (event) => goes({ note: `it ended: ${"status" in event ? event.status : ""}` })),
      ],
      run: sampleRun({ status: "success" }),
    });
    expect(outcome.end).toEqual({ kind: "continue" });
    expect(outcome.run.note).toBe("it ended: success");
    expect(outcomes(outcome)).toEqual(["broken error", "notes continue"]);
    expect(outcome.audits[0]).toMatchObject({ attempt: null, session: 0 });
  });
});

describe("R-48 the audit", () => {
  test("has a line for each hook that was asked, and none for one that was not", async () => {
    const outcome = await phases(NO_MODULES).run(afterAttempt({ exitCode: 3 }), {
      layered: [
        layered("silent", "afterAttempt", () => ({ opinion: { kind: "none" } })),
        layered("elsewhere", "afterAttempt", () => goes(), { when: { hosts: ["codex"] } }),
        layered("other phase", "prepare", () => goes()),
        layered("watching", "afterAttempt", () => blocks("would stop"), { mode: "observe" }),
        layered("stops", "afterAttempt", () => blocks("enough")),
      ],
    });
    expect(outcomes(outcome)).toEqual(["silent skipped", "watching skipped", "stops block"]);
    expect(outcome.audits.map(({ summary }) => summary)).toEqual([
      "",
      "observed only; it would have refused: would stop",
      "enough",
    ]);
    expect(outcome.audits[2]).toEqual({
      phase: "afterAttempt",
      hook: "stops",
      startedAt: "2026-01-02T03:04:05.000Z",
      endedAt: "2026-01-02T03:04:05.000Z",
      outcome: "block",
      session: 0,
      attempt: 1,
      task: null,
      summary: "enough",
    });
  });

  test("the engine records one decision for the phase, with every hook in its trace and every notice", async () => {
    const { run, recorded } = phases(NO_MODULES);
    await run(beforeAttempt(), {
      layered: [
        layered("broken", "beforeAttempt", () => Promise.reject(new Error("broken")), { onError: "continue" }),
        layered("stops", "beforeAttempt", () => blocks("enough")),
      ],
    });
    expect(recorded).toHaveLength(1);
    expect(recorded[0]).toMatchObject({
      event: { name: "before_attempt", host: "run", session: "abc123" },
      decision: {
        kind: "block",
        reasons: [{ hook: "stops", text: "enough" }],
        trace: [{ hook: "broken", failure: { code: "crash" } }, { hook: "stops" }],
        effects: [{ type: "notice", notice: { hook: "broken" } }],
      },
    });
  });

  test("RB-9 what comes from the environment reaches the hook, and no record", async () => {
    const { run, recorded } = phases(NO_MODULES, { env: { TOKEN: "s3cret" } });
    let seen: unknown;
    const outcome = await run(beforeAttempt(), {
      run: sampleRun({ vars: { token: { source: "env", envName: "TOKEN", type: "string" } } }),
      layered: [
        layered("looks", "beforeAttempt", (event) => {
          seen = runIn(event).vars;
          return goes();
        }),
      ],
    });
    expect(seen).toEqual({ token: "s3cret" });
    expect(JSON.stringify([recorded, outcome])).not.toContain("s3cret");
    expect(recorded[0]?.event).toMatchObject({ vars: { token: "${TOKEN}" } });
  });
});

test("RB-1 a phase that is called off ends with an error, and its next hook is not asked", async () => {
  const calledOff = new AbortController();
  const outcome = await phases(NO_MODULES).run(beforeAttempt(), {
    signal: calledOff.signal,
    layered: [
      layered("one", "beforeAttempt", () => {
        calledOff.abort();
        return goes();
      }),
      layered("two", "beforeAttempt", () => goes()),
    ],
  });
  expect(outcome.end).toMatchObject({ kind: "error", hook: "one" });
  expect(outcome.audits).toHaveLength(1);
});

test("rules that cannot be read end the phase: nothing goes on without them", async () => {
  const engine = { open: () => Promise.reject(new Error("EACCES")) };
  const outcome = await phases(NO_MODULES).run(beforeAttempt(), { engine });
  expect(outcome.end).toMatchObject({ kind: "error", hook: "config", message: expect.stringContaining("EACCES") });
});

test("R-17 R-20 a prompt with a variable shows it to the hooks after the one that sets it", async () => {
  const seen: string[] = [];
  const outcome = await phases(NO_MODULES).run(
    { phase: "prepare", prompt: ({ vars }) => `work in ${vars.place?.source === "prepare" ? vars.place.value : "?"}` },
    {
      layered: [
        layered("sets", "prepare", () => goes({ vars: { place: "/w" } })),
        layered("looks", "prepare", (event) => {
          seen.push("defaultPrompt" in event ? event.defaultPrompt : "");
          return goes();
        }),
      ],
    },
  );
  expect(seen).toEqual(["work in /w"]);
  expect(outcome.prompt).toBeNull();
});

test("RB-4 a prompt that prepare sets is handed back, and later hooks see it", async () => {
  let seen: unknown;
  const outcome = await phases(NO_MODULES).run(
    { phase: "prepare", prompt: () => "as written" },
    {
      layered: [
        layered("rewrites", "prepare", () => goes({ run: { initialPrompt: "better" } })),
        layered("looks", "prepare", (event) => {
          seen = event;
          return goes();
        }),
      ],
    },
  );
  expect(outcome.prompt).toBe("better");
  expect(seen).toMatchObject({ defaultPrompt: "as written", prompt: "better" });
});
