import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scratch, thrown } from "../scratch.fixture.ts";
import { loadAgent, loadAssignment } from "./load.ts";

/** Every part of the front matter that agent-runner knows, in words of our own. */
const WRITTEN_FOR_AGENT_RUNNER = `---
schemaVersion: 1
name: review-change
cwd: "{{repo_root}}"
message: Begin with the failing test.
schedule:
  cron: "0 6 * * 1"
  timezone: Europe/Berlin
  mode: reset
  continueOnFailure: true
maxRetries: 5
callerInstructions: Start it from the branch of {{ticket}}.
vars:
  ticket: { type: string, required: true, description: the ticket }
  repo_root: { sources: [cli, env], envName: SHOP_ROOT, default: . }
  depth: { type: number, default: 2 }
  level: { type: enum, values: [low, high], default: low, sources: [parent, cli] }
  worktree_path: { required: true, requiredAt: prepare }
hooks:
  prepare:
    - builtin: git-worktree
      with:
        repo: "{{cwd}}"
        from: main
        branch: "fix/{{ticket}}"
        path: "{{cwd}}/.worktrees/{{ticket}}"
    - name: freeze-inputs
      with: { mode: strict }
    - path: ./hooks/seed.mts
  beforeAttempt:
    - builtin: command
      with: { mode: status, command: git, args: [fetch, --quiet] }
      when: { sessionIndex: 0, attemptIndexInSession: [0, 1] }
  afterExit: []
  taskTransition:
    - path: ./hooks/notes.ts
      when: { taskIds: [plan, shared], toStatus: [completed], source: [task-set] }
tasks:
  - shared
  - id: plan
    title: Write the plan for {{ticket}}
    body: |
      Keep it short.
    hooks:
      - builtin: require-children-success
        with: { requireAny: false }
lockedFields: [backend, tasks]
---

Work on {{ticket}} in {{worktree_path}}.
`;

describe("an assignment written for agent-runner", () => {
  test("R-1 R-8 loads unchanged, every part of it", () => {
    const { write, places } = scratch();
    write("tasks/shared.md", "---\nschemaVersion: 1\ntitle: Run the tests\n---\nAll of them.\n");
    write("assignments/review/assignment.md", WRITTEN_FOR_AGENT_RUNNER);
    const assignment = loadAssignment("review", places);
    expect(assignment).toMatchObject({
      name: "review-change",
      cwd: "{{repo_root}}",
      maxRetries: 5,
      schedule: { cron: "0 6 * * 1" },
      lockedFields: ["backend", "tasks"],
      body: "Work on {{ticket}} in {{worktree_path}}.",
      vars: {
        ticket: { type: "string", required: true, requiredAt: "initial", sources: ["cli", "web"], envName: "ticket" },
        repo_root: { sources: ["cli", "env"], envName: "SHOP_ROOT", default: "." },
        level: { type: "enum", values: ["low", "high"], sources: ["parent", "cli"] },
      },
      tasks: [
        { id: "shared", title: "Run the tests", body: "All of them.", hooks: [] },
        {
          id: "plan",
          hooks: [{ source: { type: "builtin", value: "require-children-success" }, with: { requireAny: false } }],
        },
      ],
    });
    expect(assignment.hooks.prepare.map(({ source }) => `${source.type} ${source.value}`)).toEqual([
      "builtin git-worktree",
      "name freeze-inputs",
      "path ./hooks/seed.mts",
    ]);
    expect(assignment.hooks.afterAttempt).toEqual([]);
  });

  test("the one in the guide loads as it stands there", () => {
    const guide = readFileSync(join(import.meta.dirname, "../../../docs/guide/assignments.md"), "utf8");
    const sample = /```markdown\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
    const { write, places } = scratch();
    write("assignments/guide/assignment.md", sample);
    expect(loadAssignment("guide", places).tasks.map(({ id }) => id)).toEqual(["reproduce", "fix"]);
  });

  test("is found by name, in the project before the person's own, or by path", async () => {
    const { write, places, dir } = scratch();
    const text = (name: string) => `---\nschemaVersion: 1\nname: ${name}\n---\n`;
    write("mine/assignments/deploy/assignment.md", text("mine"));
    write("project/assignments/deploy/assignment.md", text("project"));
    const dirs = [`${dir}/project`, `${dir}/mine`];
    expect(loadAssignment("deploy", { ...places, dirs }).name).toBe("project");
    expect(loadAssignment("./mine/assignments/deploy", { ...places, dirs }).name).toBe("mine");
    expect(loadAssignment("./mine/assignments/deploy/assignment.md", { ...places, dirs }).name).toBe("mine");
    const error = await thrown(() => loadAssignment("deplyo", { ...places, dirs }));
    expect(error).toMatchObject({ code: "HF1001", fix: "did you mean deploy?" });
    expect(await thrown(() => loadAssignment("x/../../secret", { ...places, dirs }))).toMatchObject({ code: "HF1001" });
  });

  test("has its defaults where it says nothing", () => {
    const assignment = scratch().assignment("");
    expect(assignment).toMatchObject({
      maxRetries: 3,
      tasks: [],
      vars: {},
      lockedFields: [],
      cwd: null,
      message: null,
    });
    expect(Object.values(assignment.hooks)).toEqual([[], [], [], [], []]);
  });

  test("phases may be spelt as events are", () => {
    const { hooks } = scratch().assignment(
      "hooks:\n  before_attempt: [{ builtin: command, with: { mode: status, command: x } }]",
    );
    expect(hooks.beforeAttempt).toHaveLength(1);
  });
});

describe("what cannot be meant is an error as it is read, with its line and the nearest name", () => {
  test.each([
    ["R-1 a phase that is no list", "hooks:\n  prepare: {}", "HF1003", 5, /hooks.prepare/, undefined],
    [
      "RB-5 an unknown phase",
      "hooks:\n  afterAtempt: []",
      "HF1005",
      5,
      /unknown phase "afterAtempt"/,
      "did you mean afterAttempt?",
    ],
    ["RB-5 an unknown key", "maxRetrys: 3", "HF1004", 4, /maxRetrys/, "did you mean maxRetries?"],
    [
      "RB-5 an unknown key of a hook",
      "hooks:\n  prepare:\n    - builtin: command\n      wiht: {}",
      "HF1004",
      7,
      /wiht/,
      "did you mean with?",
    ],
    [
      "RB-5 an unknown key of a variable",
      "vars:\n  a: { requried: true }",
      "HF1004",
      5,
      /requried/,
      "did you mean required?",
    ],
    ["RB-5 an unknown key of a task", "tasks:\n  - { id: a, tilte: x }", "HF1004", 5, /tilte/, "did you mean title?"],
    [
      "R-2 a hook without a source",
      "hooks:\n  prepare:\n    - with: {}",
      "HF1006",
      6,
      /hooks.prepare.0 has no source/,
      undefined,
    ],
    [
      "R-2 a hook with two sources",
      "hooks:\n  prepare:\n    - { name: a, path: ./b.ts }",
      "HF1006",
      6,
      /has name and path/,
      undefined,
    ],
    [
      "R-7 an unknown built-in",
      "hooks:\n  prepare:\n    - builtin: git-worktre",
      "HF1008",
      6,
      /built-ins are command, git-worktree/,
      "did you mean git-worktree?",
    ],
    [
      "R-47 a built-in in a phase it does not serve",
      "hooks:\n  prepare:\n    - builtin: require-children-success",
      "HF1016",
      6,
      /cannot be used in prepare/,
      "it serves taskTransition",
    ],
    [
      "R-47 options that do not fit a built-in",
      "hooks:\n  taskTransition:\n    - builtin: require-evidence\n      with: { testPassed: true }",
      "HF1016",
      6,
      /has an unknown key "testPassed"/,
      "did you mean testsPassed?",
    ],
    ["a wrong value", "lockedFields: [bakend]", "HF1003", 4, /"bakend"/, "did you mean backend?"],
    [
      "a task id twice",
      "tasks:\n  - { id: a, title: x }\n  - { id: a, title: y }",
      "HF1014",
      6,
      /two tasks have the id "a"/,
      undefined,
    ],
    ["a title of two lines", 'tasks:\n  - { id: a, title: "x\\ny" }', "HF1003", 5, /one line/, undefined],
    [
      "R-13 a task that is not there",
      "tasks:\n  - { id: review, title: x }\nhooks:\n  taskTransition:\n    - { builtin: command, when: { taskId: reveiw } }",
      "HF1009",
      8,
      /task "reveiw"/,
      "did you mean review?",
    ],
    [
      "R-8 a task's hook about another task",
      "tasks:\n  - { id: a, title: x, hooks: [{ builtin: command, when: { taskId: b } }] }\n  - { id: b, title: y }",
      "HF1009",
      5,
      /task "a" cannot be about task "b"/,
      /put the hook under/,
    ],
    [
      "RB-5 a prepare hook with a when",
      "hooks:\n  prepare:\n    - { builtin: command, when: { sessionIndex: 0 } }",
      "HF1009",
      6,
      /takes no when/,
      undefined,
    ],
    ["an enum without values", "vars:\n  a: { type: enum }", "HF1003", 5, /enum without values/, undefined],
    [
      "a default of another type",
      "vars:\n  a: { type: number, default: many }",
      "HF1003",
      5,
      /must be a number, not "many"/,
      undefined,
    ],
    [
      "a schedule with two times",
      'schedule: { at: "2026-01-01", cron: "* * * * *" }',
      "HF1003",
      4,
      /exactly one of at, delay and cron/,
      undefined,
    ],
    ["more retries than there may be", "maxRetries: 21", "HF1003", 4, /maxRetries/, undefined],
    ["broken YAML", "vars: [", "HF102", undefined, /./, undefined],
  ] as const)("%s", async (_name, frontMatter, code, line, message, hint) => {
    const { assignment, dir } = scratch();
    const error = await thrown(() => assignment(frontMatter));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.place.file).toBe(`${dir}/assignments/work/assignment.md`);
    if (line !== undefined) expect(error.place.line).toBe(line);
    if (hint !== undefined) expect(error.fix).toMatch(hint);
  });

  test("a file without front matter says what is missing", async () => {
    const { write, places } = scratch();
    write("assignments/x/assignment.md", "# Just text\n");
    expect(await thrown(() => loadAssignment("x", places))).toMatchObject({ code: "HF1002" });
  });

  test("an unknown {{key}} names the nearest one, in texts and in hooks", async () => {
    const { assignment } = scratch();
    const vars = "vars:\n  ticket: {}\n";
    expect(await thrown(() => assignment(vars, "Fix {{tiket}}."))).toMatchObject({
      code: "HF1010",
      fix: "did you mean {{ticket}}?",
    });
    const hooks = `hooks:\n  afterExit:\n    - { builtin: command, with: { mode: status, command: echo, args: ["{{run_idd}}"] } }`;
    expect(await thrown(() => assignment(hooks))).toMatchObject({ code: "HF1010", place: { line: 6 } });
  });

  test("texts wait for a prepare hook, which may set variables that nobody declared", () => {
    const { assignment } = scratch();
    const hooks = "hooks:\n  prepare:\n    - { name: derive }";
    expect(assignment(hooks, "Work in {{worktree_path}}.").body).toBe("Work in {{worktree_path}}.");
  });
});

describe("${VAR} as a definition is read", () => {
  test("fills in a whole value, with the type its field has", () => {
    const read = scratch().assignment("cwd: ${WHERE}\nmaxRetries: ${RETRIES:-7}\nmessage: ${SAY-nothing}", "", {
      WHERE: "/w",
    });
    expect(read).toMatchObject({ cwd: "/w", maxRetries: 7, message: "nothing" });
  });

  test("an empty variable takes the default of :- and keeps its own with -", () => {
    const read = scratch().assignment("cwd: ${A:-/w}\nmessage: ${A-x}", "", { A: "" });
    expect(read).toMatchObject({ cwd: "/w", message: "" });
  });

  test("as a part of a typed value it is an error; prose keeps it as it is", async () => {
    const { assignment } = scratch({ HOME: "/home/me" });
    expect(await thrown(() => assignment("cwd: ${HOME}/work"))).toMatchObject({ code: "HF1012", place: { line: 4 } });
    expect(assignment("message: look in ${HOME}/work").message).toBe("look in ${HOME}/work");
    const named = await thrown(() => assignment("hooks:\n  prepare:\n    - { path: './${HOME}.ts' }"));
    expect(named).toMatchObject({ code: "HF1012" });
  });

  test("that is not set and has no default is an error", async () => {
    expect(await thrown(() => scratch().assignment("cwd: ${NOWHERE}"))).toMatchObject({ code: "HF1012" });
  });

  test("RB-9 what hooks are given is left alone: it stays a reference", () => {
    const read = scratch().assignment("hooks:\n  prepare:\n    - { name: x, with: { token: '${TOKEN}' } }", "", {
      TOKEN: "s3cret",
    });
    expect(read.hooks.prepare[0]?.with).toEqual({ token: "${TOKEN}" });
  });
});

describe("agents", () => {
  const AGENT = `---
schemaVersion: 1
name: careful
backend: claude-code
model: sonnet
effort: high
launcher: { command: nice, args: ["-n", "10"] }
backendConfig: { permissionMode: plan }
backendArgs: { codex: { extraArgs: ["--quiet"] } }
timeoutSec: 600
unrestricted: false
lockedFields: [model, instructions]
---
You are careful.
`;

  test("are read strictly, with their role text", async () => {
    const { write, places } = scratch();
    write("agents/careful/agent.md", AGENT);
    expect(loadAgent("careful", places)).toMatchObject({
      name: "careful",
      backend: "claude-code",
      effort: "high",
      launcher: { command: "nice", args: ["-n", "10"] },
      backendArgs: { codex: ["--quiet"] },
      timeoutSec: 600,
      unrestricted: false,
      body: "You are careful.",
    });
    write("agents/plain/agent.md", "---\nschemaVersion: 1\nname: plain\nbackend: passive\n---\n");
    expect(loadAgent("plain", places)).toMatchObject({
      timeoutSec: 3600,
      unrestricted: true,
      model: null,
      lockedFields: [],
    });
    write("agents/bad/agent.md", AGENT.replace("effort: high", "effort: hihg"));
    expect(await thrown(() => loadAgent("bad", places))).toMatchObject({ code: "HF1003", fix: "did you mean high?" });
    write("agents/reserved/agent.md", AGENT.replace("name: careful", "name: ad-hoc"));
    expect(await thrown(() => loadAgent("reserved", places))).toMatchObject({ code: "HF1003" });
  });
});
