import { describe, expect, test } from "vitest";
import type { LedgerEntry } from "../../../core/effect.ts";
import { sampleRun } from "../../scratch.fixture.ts";
import type { ApprovalQuestion, ChildRun, Modules, RunMachine } from "../engine.ts";
import type { Moment } from "../phase.ts";
import { beforeAttempt, completing, phases } from "../phases.fixture.ts";

const NO_MODULES: Modules = { describe: async () => [], judge: () => Promise.reject(new Error("no modules")) };
const run = sampleRun();

async function end(entry: string, machine: Partial<RunMachine>, moment: Moment = completing(run)) {
  const made = phases(NO_MODULES, machine);
  const phase = moment.phase;
  const hooks = await made.freeze(`hooks:\n  ${phase}: [{ ${entry} }]`);
  return (await made.run(moment, { run, hooks })).end;
}

const starting: Moment = {
  phase: "taskTransition",
  transition: {
    taskId: "a",
    source: "task-set",
    before: run.tasks[0] ?? null,
    after: run.tasks[0] ? { ...run.tasks[0], status: "in_progress" } : null,
  },
};

describe("R-47 require-children-success", () => {
  const children = (list: readonly ChildRun[], unreadable: readonly string[] = []): Partial<RunMachine> => ({
    childrenOf: async (parent) => {
      expect(parent).toBe(run.id);
      return { children: list, unreadable };
    },
  });
  const entry = "builtin: require-children-success";
  const child = (id: string, status: string, name: string | null = null) => ({ id, status, name });

  test("accepts without children, and with children that all succeeded", async () => {
    expect(await end(entry, children([]))).toEqual({ kind: "continue" });
    expect(await end(entry, children([child("x", "success"), child("y", "success")]))).toEqual({ kind: "continue" });
  });

  test("requireAny wants at least one", async () => {
    const any = `${entry}, with: { requireAny: true }`;
    expect(await end(any, children([]))).toMatchObject({
      kind: "block",
      reason: expect.stringContaining("no child run"),
    });
    expect(await end(any, children([child("x", "success")]))).toEqual({ kind: "continue" });
  });

  test("rejects with the children that have not succeeded, as they were listed", async () => {
    const list = [child("new1", "running", "review"), child("ok1", "success"), child("old1", "blocked")];
    expect(await end(entry, children(list))).toMatchObject({
      kind: "block",
      reason: "these child runs have not succeeded: new1 running (review), old1 blocked",
    });
  });

  test("rejects where a child cannot be read: nobody knows what it is", async () => {
    const found = await end(entry, children([child("x", "success")], ["runs/shop/q1w2e3"]));
    expect(found).toMatchObject({ kind: "block", reason: expect.stringContaining("runs/shop/q1w2e3") });
  });

  test("an error while looking keeps the task open", async () => {
    const broken = { childrenOf: () => Promise.reject(new Error("disk")) };
    expect(await end(entry, broken)).toMatchObject({ kind: "error" });
  });

  test("guards nothing but completion", async () => {
    expect(await end(entry, children([child("x", "blocked")]), starting)).toEqual({ kind: "continue" });
  });
});

describe("require-evidence", () => {
  const call = (changes: Partial<LedgerEntry>): LedgerEntry => ({
    timestamp: "",
    host: "codex",
    session: "s",
    agent: null,
    tool_name: "x",
    tool_kind: "shell",
    cwd: "/w",
    success: true,
    ...changes,
  });
  const testRun = (success = true) => call({ command: "npm test", success });
  const edit = (...paths: string[]) => call({ tool_kind: "edit", paths });
  const ledger = (...newestFirst: LedgerEntry[]): Partial<RunMachine> => ({
    ledgerOf: () => newestFirst,
    writesOf: (command) => (command.startsWith("sed") ? ["/w/src/a.ts"] : []),
  });
  const tested = "builtin: require-evidence, with: { testsPassed: true }";

  test.each([
    ["tests passed after the last edit", [testRun(), edit("/w/a")], "continue"],
    ["edits after the tests", [edit("/w/a"), testRun()], "block"],
    ["a command that writes after the tests", [call({ command: "sed -i s/a/b/ src/a.ts" }), testRun()], "block"],
    ["tests that failed", [testRun(false), edit("/w/a")], "block"],
    ["tests that failed after they had passed", [testRun(false), testRun()], "block"],
    [
      "an edit that failed after the tests",
      [call({ tool_kind: "write", paths: ["/w/a"], success: false }), testRun()],
      "block",
    ],
    ["no record at all", [], "block"],
  ])("testsPassed, with %s", async (_name, calls, kind) => {
    expect((await end(tested, ledger(...calls))).kind).toBe(kind);
  });

  test("changedOnlyUnder names the files that lie elsewhere", async () => {
    const under = "builtin: require-evidence, with: { changedOnlyUnder: [/w/src/] }";
    expect((await end(under, ledger(edit("/w/src/a.ts"), testRun()))).kind).toBe("continue");
    expect(await end(under, ledger(edit("/w/src/a.ts"), edit("/w/ci.yml")))).toMatchObject({
      kind: "block",
      reason: expect.stringContaining("were changed: /w/ci.yml"),
    });
  });

  test("changedOnlyUnder looks where the path of a call leads", async () => {
    const under = "builtin: require-evidence, with: { changedOnlyUnder: [/w/src/] }";
    const machine = { ...ledger(edit("a.ts")), realPath: (path: string, cwd: string) => `${cwd}/src/${path}` };
    expect((await end(under, machine)).kind).toBe("continue");
  });

  test("a ledger that cannot be read keeps the task open", async () => {
    const broken: Partial<RunMachine> = {
      // biome-ignore lint/correctness/useYield: it fails before it has anything to give
      *ledgerOf() {
        throw new Error("the ledger is gone");
      },
    };
    expect(await end(tested, broken)).toMatchObject({ kind: "error" });
  });

  test("guards nothing but completion", async () => {
    expect((await end(tested, ledger(), starting)).kind).toBe("continue");
  });
});

describe("require-approval", () => {
  const entry = "builtin: require-approval, with: { title: Ship it, approvers: [ada] }";
  const answers = (
    answer: Awaited<ReturnType<RunMachine["approve"]>>,
    seen: ApprovalQuestion[] = [],
  ): Partial<RunMachine> => ({
    approve: async (question) => {
      seen.push(question);
      return answer;
    },
  });

  test("goes on once a person agreed, and asks about the task at hand", async () => {
    const seen: ApprovalQuestion[] = [];
    expect(await end(entry, answers({ kind: "approved", by: "ada" }, seen))).toEqual({ kind: "continue" });
    expect(seen).toMatchObject([
      { run: run.id, session: run.sessions.length, task: "a", title: "Ship it", body: "", approvers: ["ada"] },
    ]);
    expect(await end(entry, answers({ kind: "approved", by: "ada" }, seen), beforeAttempt())).toEqual({
      kind: "continue",
    });
    expect(seen[1]).toMatchObject({ task: null });
  });

  test("refuses with the person's reason, or says where the question waits", async () => {
    expect(await end(entry, answers({ kind: "denied", by: "ada", reason: "too early" }))).toMatchObject({
      kind: "block",
      reason: "ada did not agree: too early",
    });
    expect(await end(entry, answers({ kind: "pending", id: "ap-1", where: "holdfast approvals" }))).toMatchObject({
      kind: "block",
      reason: expect.stringContaining("approval ap-1 is open (holdfast approvals)"),
    });
  });

  test("nobody to ask is an error, never a yes", async () => {
    const nobody = { approve: () => Promise.reject(new Error("approvals are not set up")) };
    expect(await end(entry, nobody)).toMatchObject({ kind: "error" });
  });

  test("edits that complete nothing are not asked about", async () => {
    expect(await end(entry, answers({ kind: "denied", by: "ada", reason: "" }), starting)).toEqual({
      kind: "continue",
    });
  });
});
