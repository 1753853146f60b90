import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sampleRun, thrown } from "../scratch.fixture.ts";
import { codeOf } from "./freeze.ts";
import { beforeAttempt, completing, phases, realModules } from "./phases.fixture.ts";

const modules = realModules();

/** As somebody wrote it for agent-runner, with its package's name. */
const FREEZE_PREPARE = `
import { defineHook, type PrepareHookContext } from "@kcosr/agent-runner-core/hooks";

export default defineHook({
  name: "freeze-prepare",
  prepare(ctx: PrepareHookContext) {
    return {
      action: "continue",
      mutate: { state: { mode: (ctx.config as { mode: string }).mode }, note: \`prepared in \${ctx.run.cwd}\` },
    };
  },
});
`;

describe("hooks of an assignment", () => {
  test("R-10 are frozen with id, phase, source, scope, filter and options, in the order they run", async () => {
    const { freeze, scratch } = phases(modules);
    scratch.write("assignments/work/hooks/seed.mts", "export default { name: 'seed', prepare() {} };");
    scratch.write("hooks/named/hook.js", "export default { name: 'named', beforeAttempt() {} };");
    const frozen = await freeze(
      `vars:
  ticket: {}
tasks:
  - id: plan
    title: Plan
    hooks: [{ builtin: require-children-success, when: { toStatus: [completed] } }]
hooks:
  taskTransition: [{ builtin: command, with: { mode: status, command: "true" } }]
  beforeAttempt: [{ name: named, when: { sessionIndex: 0 }, timeoutSec: 2, onError: continue, may: [state] }]
  prepare: [{ path: ./hooks/seed.mts, with: { for: "{{ticket}} in {{cwd}}" } }]`,
      { values: { ticket: "SHOP-1" } },
    );
    expect(frozen.map(({ id }) => id)).toEqual([
      "taskTransition:task:plan:0:require-children-success",
      "prepare:0:./hooks/seed.mts",
      "beforeAttempt:0:named",
      "taskTransition:0:command",
    ]);
    expect(frozen[0]).toMatchObject({
      task: "plan",
      when: { toStatus: ["completed"] },
      source: { type: "builtin" },
      onError: "block",
    });
    expect(frozen[1]).toMatchObject({
      config: { for: `SHOP-1 in ${scratch.dir}` },
      source: { type: "module", file: `${scratch.dir}/assignments/work/hooks/seed.mts`, index: 0, name: null },
      timeoutMs: 60_000,
    });
    expect(frozen[2]).toMatchObject({
      when: { sessionIndex: [0] },
      timeoutMs: 2000,
      onError: "continue",
      may: ["state"],
      source: { name: "named", file: `${scratch.dir}/hooks/named/hook.js` },
    });
    expect(JSON.parse(JSON.stringify(frozen))).toEqual(frozen);
  });

  test("R-3 a name leads to the first of hook.ts, .mts, .js and .mjs; not found, the error says where was looked", async () => {
    const { freeze, scratch } = phases(modules);
    const entry = "hooks:\n  afterExit: [{ name: both }]";
    const error = await thrown(() => freeze(entry));
    expect(error.code).toBe("HF1007");
    expect(error.message).toContain(`${scratch.dir}/hooks/both/hook.ts, ${scratch.dir}/hooks/both/hook.mts`);
    scratch.write("hooks/both/hook.mjs", "export default { name: 'mjs', afterExit() {} };");
    scratch.write("hooks/both/hook.mts", "export default { name: 'mts', afterExit() {} };");
    expect((await freeze(entry))[0]?.source).toMatchObject({ file: `${scratch.dir}/hooks/both/hook.mts` });
  });

  test("a name never leads out of the hooks' directory", async () => {
    expect(await thrown(() => phases(modules).freeze("hooks:\n  afterExit: [{ name: ../x }]"))).toMatchObject({
      code: "HF1003",
    });
  });

  test("R-4 a path is looked up from the assignment, also in a shared task file; missing, the error names the file", async () => {
    const { freeze, scratch } = phases(modules);
    scratch.write("tasks/shared.md", "---\nschemaVersion: 1\ntitle: Shared\nhooks: [{ path: ./gate.ts }]\n---\n");
    const error = await thrown(() => freeze("tasks: [shared]"));
    expect(error).toMatchObject({ code: "HF1007", place: { file: `${scratch.dir}/tasks/shared.md` } });
    expect(error.message).toContain(`${scratch.dir}/assignments/work/gate.ts`);
    const file = scratch.write("elsewhere/gate.ts", "export default { name: 'gate', taskTransition() {} };");
    const [absolute] = await freeze(`hooks:\n  taskTransition: [{ path: ${file} }]`);
    expect(absolute?.source).toMatchObject({ file });
  });

  test("R-9 `with`, `when` and `path` are filled in, a filter with the type its value has", async () => {
    const { freeze, scratch } = phases(modules);
    scratch.write("assignments/work/hooks/ts.ts", "export default { name: 'x', beforeAttempt() {} };");
    const [hook] = await freeze(
      `vars: { kind: {}, n: { type: number } }
hooks:
  beforeAttempt:
    - path: "./hooks/{{kind}}.ts"
      with: { list: ["{{n}}", { deep: "{{run_id}}-{{kind}}" }], "{{kind}}": key }
      when: { sessionIndex: "{{n}}" }`,
      { values: { kind: "ts", n: 2 } },
    );
    expect(hook).toMatchObject({
      when: { sessionIndex: [2] },
      config: { list: ["2", { deep: "abc123-ts" }], "{{kind}}": "key" },
    });
  });

  test("what prepare sets cannot be in `with`, which is filled in before it", async () => {
    const error = await thrown(() =>
      phases(modules).freeze(
        `vars: { worktree: { requiredAt: prepare } }
hooks:
  afterExit: [{ builtin: command, with: { mode: status, command: ls, args: ["{{worktree}}"] } }]`,
        { values: { worktree: null } },
      ),
    );
    expect(error).toMatchObject({ code: "HF1010", message: expect.stringContaining("before prepare sets it") });
  });

  test.each([
    ["a module without a name", "export default { prepare() {} };", /an object with a name/],
    ["a module that does not parse", "export default {", /gate\.ts/],
    ["a module that throws", "throw new Error('at load');", /at load/],
  ])("R-6 %s is an error before there is a run", async (_name, text, message) => {
    const { freeze, scratch } = phases(modules);
    scratch.write("assignments/work/gate.ts", text);
    const error = await thrown(() => freeze("hooks:\n  prepare: [{ path: ./gate.ts }]"));
    expect(error).toMatchObject({ code: "HF1007", place: { line: 5 } });
    expect(error.message).toMatch(message);
  });

  test.each([
    [
      "command",
      "{ mode: staus, command: x }",
      'with.mode of the built-in command: must be one of status, json, not "staus"',
      "did you mean status?",
    ],
    ["command", "{ mode: status }", "with.command of the built-in command: is missing; it must be text"],
    [
      "require-children-success",
      "{ requireAny: yes please }",
      'with.requireAny of the built-in require-children-success: must be true or false, not "yes please"',
    ],
    [
      "require-children-success",
      "{ requireAll: true }",
      'with of the built-in require-children-success: has an unknown key "requireAll"',
      "did you mean requireAny?",
    ],
    [
      "require-evidence",
      "{ testPassed: true }",
      'with of the built-in require-evidence: has an unknown key "testPassed"',
      "did you mean testsPassed?",
    ],
    [
      "require-evidence",
      "{}",
      "with of the built-in require-evidence: asks for nothing: give testsPassed or changedOnlyUnder",
    ],
    [
      "require-evidence",
      '{ changedOnlyUnder: [""] }',
      "with.changedOnlyUnder.0 of the built-in require-evidence: an empty glob covers nothing",
    ],
    [
      "require-evidence",
      '{ changedOnlyUnder: ["!src"] }',
      'with.changedOnlyUnder.0 of the built-in require-evidence: "!src" covers nothing',
    ],
  ])("options that do not fit the built-in %s are an error: %s", async (name, options, message, hint?: string) => {
    const error = await thrown(() =>
      phases(modules).freeze(`hooks:\n  taskTransition: [{ builtin: ${name}, with: ${options} }]`),
    );
    expect(error.code).toBe("HF1016");
    expect(error.message).toContain(message);
    expect(error.place?.hint).toBe(hint);
  });

  test("code that nobody trusted is refused before anything is loaded", async () => {
    const { freeze, scratch } = phases(modules);
    scratch.write("assignments/work/gate.ts", "throw new Error('loaded');");
    const entry = "hooks:\n  prepare: [{ path: ./gate.ts }]";
    expect(await thrown(() => freeze(entry, { isTrusted: () => false }))).toMatchObject({ code: "HF1015" });
    const command = "hooks:\n  prepare: [{ builtin: command, with: { mode: status, command: curl, args: [x] } }]";
    expect(await thrown(() => freeze(command, { isTrusted: () => false }))).toMatchObject({ code: "HF1015" });
    const { assignment, dir } = scratch;
    expect(
      codeOf(
        assignment(`${entry}\n  afterExit: [{ builtin: command, with: { mode: status, command: curl, args: [x] } }]`),
        { values: {}, env: {}, hookDirs: [] },
      ),
    ).toMatchObject([
      { what: "module", text: `${dir}/assignments/work/gate.ts`, line: 5 },
      { what: "command", text: "curl x", line: 6 },
    ]);
  });
});

describe("RB-9 what comes from the environment", () => {
  test("stays a reference in what is frozen, and is filled in for the hook that is asked", async () => {
    const { freeze, scratch, run } = phases(modules, { env: { TOKEN: "s3cret", HOST: "h" } });
    scratch.write(
      "assignments/work/tell.ts",
      "export default { name: 'tell', beforeAttempt: (ctx) => ({ action: 'block', reason: JSON.stringify(ctx.config) }) };",
    );
    const hooks = await freeze(
      `vars: { token: { sources: [env], envName: TOKEN }, text: {} }
hooks:
  beforeAttempt:
    - path: ./tell.ts
      with: { whole: "\${TOKEN}", other: "\${PORT:-80}", part: "Bearer {{token}}", literal: "\${HOST} costs $5", text: "{{text}}" }`,
      { values: { token: { envName: "TOKEN" }, text: "${TOKEN}" }, env: { TOKEN: "s3cret" } },
    );
    expect(JSON.stringify(hooks)).not.toContain("s3cret");
    expect(hooks[0]?.config).toMatchObject({ whole: "${TOKEN}", part: "Bearer ${TOKEN}", text: "$${TOKEN}" });
    const outcome = await run(beforeAttempt(), { hooks });
    expect(outcome.end).toMatchObject({ kind: "block" });
    expect(JSON.parse("reason" in outcome.end ? outcome.end.reason : "")).toEqual({
      whole: "s3cret",
      other: "80",
      part: "Bearer s3cret",
      literal: "${HOST} costs $5",
      text: "${TOKEN}",
    });
  });

  test("that is not set is an error when the run is made, and of the hook when it is gone later", async () => {
    const { freeze, run } = phases(modules, { env: {} });
    const entry = 'hooks:\n  beforeAttempt: [{ builtin: command, with: { mode: status, command: "${TOOL}" } }]';
    expect(await thrown(() => freeze(entry))).toMatchObject({ code: "HF1012" });
    const hooks = await freeze(entry, { env: { TOOL: "true" } });
    expect((await run(beforeAttempt(), { hooks })).end).toMatchObject({
      kind: "error",
      message: expect.stringContaining("${TOOL} is not set"),
    });
  });
});

describe("modules", () => {
  test("R-5 R-18 one written for agent-runner in TypeScript runs as it is", async () => {
    const { freeze, scratch, run } = phases(modules);
    scratch.write("hooks/freeze-prepare/hook.ts", FREEZE_PREPARE);
    const hooks = await freeze("hooks:\n  prepare: [{ name: freeze-prepare, with: { mode: strict } }]");
    const outcome = await run({ phase: "prepare", prompt: "go" }, { hooks });
    expect(outcome).toMatchObject({
      end: { kind: "continue" },
      run: { state: { mode: "strict" }, note: `prepared in ${scratch.dir}` },
      audits: [{ outcome: "continue" }],
    });
  });

  test("one of ours runs beside it, as part of the same phase", async () => {
    const { freeze, scratch, run } = phases(modules);
    scratch.write(
      "assignments/work/gate.ts",
      `import { defineHook } from "holdfast";
export default defineHook({
  name: "gate",
  on: ["task_transition"],
  judge: (event, { options }) => (event.toStatus === options.to ? { block: "not yet", mutate: { note: event.taskId } } : { allow: true }),
});`,
    );
    const hooks = await freeze("hooks:\n  taskTransition: [{ path: ./gate.ts, with: { to: completed } }]");
    const given = sampleRun();
    const outcome = await run(completing(given), { run: given, hooks });
    expect(outcome).toMatchObject({ end: { kind: "block", reason: "not yet" }, run: { note: "a" } });
  });

  test("R-6 one without the phase is skipped, and the audit says so", async () => {
    const { freeze, scratch, run } = phases(modules);
    scratch.write("assignments/work/other.ts", "export default { name: 'other', afterExit() {} };");
    const hooks = await freeze("hooks:\n  beforeAttempt: [{ path: ./other.ts }]");
    expect(await run(beforeAttempt(), { hooks })).toMatchObject({
      end: { kind: "continue" },
      audits: [{ outcome: "skipped" }],
    });
  });

  test("R-8 R-15 a task's own hooks are asked before those of the assignment, and only about their task", async () => {
    const { freeze, scratch, run } = phases(modules);
    scratch.write(
      "assignments/work/say.ts",
      "export default { name: 'say', taskTransition: (ctx) => ({ accept: true, mutate: { note: [ctx.run.note, ctx.config].filter(Boolean).join(' ') } }) };",
    );
    const say = (what: string) => `{ path: ./say.ts, with: ${what} }`;
    const hooks = await freeze(`tasks:
  - { id: a, title: A, hooks: [${say("own1")}, ${say("own2")}] }
  - { id: b, title: B, hooks: [${say("other")}] }
hooks:
  taskTransition: [${say("root1")}, ${say("root2")}]`);
    const given = sampleRun();
    expect((await run(completing(given), { run: given, hooks })).run.note).toBe("own1 own2 root1 root2");
  });

  test("R-14 a hook whose filter does not match is not asked and leaves no line", async () => {
    const { freeze, run } = phases(modules);
    const hooks = await freeze(`hooks:
  beforeAttempt: [{ builtin: command, with: { mode: status, command: "false" }, when: { sessionIndex: 1 } }]`);
    expect(await run(beforeAttempt(), { hooks })).toMatchObject({ end: { kind: "continue" }, audits: [] });
    expect(await run(beforeAttempt({ sessionIndex: 1 }), { hooks })).toMatchObject({ end: { kind: "block" } });
  });

  test("RB-1 one that never answers ends by its timeout, and the phase with it", async () => {
    const { freeze, scratch, run } = phases(modules);
    scratch.write(
      "assignments/work/hangs.ts",
      "export default { name: 'hangs', beforeAttempt: () => new Promise(() => {}) };",
    );
    const hooks = await freeze("hooks:\n  beforeAttempt: [{ path: ./hangs.ts, timeoutSec: 0.2 }]");
    const outcome = await run(beforeAttempt(), { hooks });
    expect(outcome).toMatchObject({ end: { kind: "error", isTimeout: true }, audits: [{ outcome: "timeout" }] });
  });

  test("RB-1 one that hangs is ended when the phase is called off", async () => {
    const { freeze, scratch, run } = phases(modules);
    scratch.write(
      "assignments/work/hangs.ts",
      "export default { name: 'hangs', beforeAttempt: () => new Promise(() => {}) };",
    );
    const hooks = await freeze("hooks:\n  beforeAttempt: [{ path: ./hangs.ts, timeoutSec: 600 }]");
    const calledOff = new AbortController();
    setTimeout(() => calledOff.abort(), 300);
    expect((await run(beforeAttempt(), { hooks, signal: calledOff.signal })).end).toMatchObject({ kind: "error" });
  });

  test.each([
    ["{}", "({})"],
    ["a string", "'str'"],
    ["a block without a reason", "({ action: 'block' })"],
    ["a bad status", "({ action: 'continue', mutate: { patchTasks: [{ taskId: 'a', status: 'done' }] } })"],
    ["a bad type", "({ action: 'continue', mutate: { run: { timeoutSec: '60' } } })"],
  ])("RB-2 %s is an error of the hook and changes nothing", async (_name, result) => {
    const { freeze, scratch, run } = phases(modules);
    scratch.write("assignments/work/bad.ts", `export default { name: 'bad', beforeAttempt: () => ${result} };`);
    const hooks = await freeze("hooks:\n  beforeAttempt: [{ path: ./bad.ts }]");
    const given = sampleRun();
    const outcome = await run(beforeAttempt(), { hooks, run: given });
    expect(outcome.end.kind).toBe("error");
    expect(outcome.run).toBe(given);
    expect(outcome.audits).toMatchObject([{ outcome: "error" }]);
  });

  test("RB-10 one that is granted little may change little", async () => {
    const { freeze, scratch, run } = phases(modules);
    scratch.write(
      "assignments/work/moves.ts",
      "export default { name: 'moves', beforeAttempt: () => ({ action: 'continue', mutate: { run: { cwd: '/' } } }) };",
    );
    const hooks = await freeze("hooks:\n  beforeAttempt: [{ path: ./moves.ts, may: [state, note] }]");
    expect((await run(beforeAttempt(), { hooks })).end).toMatchObject({
      kind: "error",
      message: expect.stringContaining("it may not change run: its entry grants state, note"),
    });
  });
});

describe("RB-8 R-23 code that is not what it was when the run was made", () => {
  const MODULE =
    "import { reason } from './reason.ts';\nexport default { name: 'gate', beforeAttempt: () => ({ action: 'block', reason }) };";
  const prepared = async (drift: string) => {
    const made = phases(modules);
    made.scratch.write("assignments/work/reason.ts", "export const reason = 'first';");
    made.scratch.write("assignments/work/gate.ts", MODULE);
    const hooks = await made.freeze(`${drift}\nhooks:\n  beforeAttempt: [{ path: ./gate.ts }]`);
    expect((await made.run(beforeAttempt(), { hooks })).end).toMatchObject({ kind: "block", reason: "first" });
    return { ...made, hooks };
  };

  test("is refused, also where only a file it imports has changed", async () => {
    const { scratch, run, hooks } = await prepared("");
    scratch.write("assignments/work/reason.ts", "export const reason = 'second';");
    const outcome = await run(beforeAttempt(), { hooks });
    expect(outcome.end).toMatchObject({
      kind: "error",
      message: expect.stringMatching(/has changed since the run was made: .*reason\.ts/),
    });
  });

  test("runs with a notice where the assignment says warn, and as it is now", async () => {
    const { scratch, run, hooks, recorded } = await prepared("onHookDrift: warn");
    scratch.write("assignments/work/reason.ts", "export const reason = 'second';");
    expect((await run(beforeAttempt(), { hooks })).end).toMatchObject({ kind: "block", reason: "second" });
    expect(recorded.at(-1)?.decision.effects).toMatchObject([{ type: "notice", notice: { code: "drift" } }]);
  });

  test("that is gone is refused", async () => {
    const { scratch, run, hooks } = await prepared("");
    rmSync(`${scratch.dir}/assignments/work/gate.ts`);
    expect((await run(beforeAttempt(), { hooks })).end).toMatchObject({
      kind: "error",
      message: expect.stringContaining("is gone"),
    });
  });
});
