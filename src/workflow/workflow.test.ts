import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { parse } from "smol-toml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { STEP_NAMES, STEPS } from "./step.ts";
import { AT, LATER, ok, problemOf, SHOP, scratchProject } from "./workflow.fixture.ts";

let project: ReturnType<typeof scratchProject>;
beforeEach(() => {
  project = scratchProject();
});
afterEach(() => project.remove());

const plan = (front: string) => `+++\n${front}\n+++\n\n## Goal\n`;

describe("the state file", () => {
  it("K-37 init creates it, in a project that has no .holdfast yet", () => {
    const state = ok(project.workflow.stateInit(SHOP));
    expect(parse(project.read("state.toml"))).toEqual(state);
    expect(ok(project.workflow.stateGet())).toEqual(state);
    expect(readdirSync(project.file("."))).toEqual(["state.toml"]);
  });

  it("init does not replace a state that is there, readable or not, unless forced; then the old one is kept", () => {
    ok(project.workflow.stateInit(SHOP));
    const before = project.read("state.toml");
    const again = { name: "other", phase: "x", phases_total: 1 };
    const refused = problemOf(project.workflow.stateInit(again));
    expect(refused.code).toBe("INIT_ERROR");
    expect(refused.message).toContain("shop, phase 01-login, specced");
    expect(project.read("state.toml")).toBe(before);

    ok(project.workflow.stateInit({ ...again, force: true }));
    expect(ok(project.workflow.stateGet()).project.name).toBe("other");
    expect(project.read("state.previous.toml")).toBe(before);

    project.write("state.toml", "not = [toml");
    expect(problemOf(project.workflow.stateInit(again)).code).toBe("INIT_ERROR");
    ok(project.workflow.stateInit({ ...again, force: true }));
    expect(project.read("state.previous.toml")).toBe("not = [toml");
  });

  it("keys nobody here knows survive every rewrite, with their types", () => {
    ok(project.workflow.stateInit(SHOP));
    const before = 'top = "kept"\nratio = 1.0\nbig = 9007199254740993\n';
    const after = '\n[release]\nversion = "1.2"\nshipped = 2026-01-02\n';
    project.write("state.toml", before + project.read("state.toml") + after);
    ok(project.workflow.stateAddBlocker({ reason: "one" }));
    project.write("state.toml", project.read("state.toml").replace('reason = "one"', 'reason = "one"\nticket = "T-1"'));
    ok(project.workflow.stateAddBlocker({ reason: "two" }));
    ok(project.workflow.stateResolveBlocker({}));
    ok(project.workflow.stateResolveBlocker({}));
    ok(project.workflow.stateTransition({ step: "designed" }));
    const text = project.read("state.toml");
    for (const line of [
      'top = "kept"',
      "ratio = 1.0",
      "big = 9007199254740993",
      'version = "1.2"',
      "shipped = 2026-01-02",
      'ticket = "T-1"',
    ])
      expect(text).toContain(line);
    expect(project.workflow.stateGet()).toMatchObject({
      top: "kept",
      release: { version: "1.2", shipped: "2026-01-02" },
    });
  });

  it("every field may be absent", () => {
    project.write("state.toml", `[current]\nphase = "01"\n`);
    expect(ok(project.workflow.stateGet())).toMatchObject({
      current: { step: "specced", status: "idle", wave: 0 },
      blockers: [],
    });
    expect(ok(project.workflow.stateTransition({ step: "discussed" })).current.step).toBe("discussed");
  });

  it.each([
    ["garbage", "not = [toml", "line 1"],
    ["a wrong type", '[current]\nwave = "two"', "current.wave must be a whole number"],
    ["an unknown step", '[current]\nstep = "flying"', "current.step must be one of specced"],
    ["blockers that are none", "blockers = 3", "blockers must be a list"],
    ["a section that is none", 'current = "x"', "current must be a table"],
  ])("%s in it is an error that says where, and nothing is overwritten", (_, content, where) => {
    project.write("state.toml", content);
    for (const answer of [
      project.workflow.stateGet(),
      project.workflow.status(),
      project.workflow.stateAddBlocker({ reason: "x" }),
      project.workflow.stateTransition({ step: "designed" }),
    ]) {
      expect(problemOf(answer).code).toBe("INVALID_STATE");
      expect(problemOf(answer).message).toContain(where);
    }
    expect(project.read("state.toml")).toBe(content);
  });

  it("a status that the blockers contradict is put right", () => {
    project.write("state.toml", `[current]\nphase = "01"\nstatus = "blocked"\n`);
    expect(ok(project.workflow.stateGet()).current.status).toBe("idle");
    project.write("state.toml", `[current]\nphase = "01"\nstatus = "idle"\n[[blockers]]\nphase = "01"\nreason = "x"\n`);
    expect(ok(project.workflow.stateGet()).current.status).toBe("blocked");
    expect(problemOf(project.workflow.stateTransition({ step: "designed" })).code).toBe("OPEN_BLOCKERS");
  });

  it("any text that can be a reason comes back as it was given", () => {
    ok(project.workflow.stateInit(SHOP));
    for (const reason of [
      '"""\n[current]\nstep = "shipped"',
      "\u0000\u007f\u001b[31m",
      "\\u0041 'x' \t é 🦀",
      "]] # no",
    ]) {
      const { blockers } = ok(project.workflow.stateAddBlocker({ reason }));
      expect(blockers.at(-1)?.reason).toBe(reason);
      expect(ok(project.workflow.stateGet()).blockers.at(-1)?.reason).toBe(reason);
    }
    expect(ok(project.workflow.stateGet()).current.step).toBe("specced");
    expect(ok(project.workflow.stateAddBlocker({ reason: "half \ud800" })).blockers).toHaveLength(5);
    expect(ok(project.workflow.stateGet()).blockers).toHaveLength(5);
  });

  it("a dry run judges and writes nothing", () => {
    const dry = scratchProject({ dryRun: true });
    expect(ok(dry.workflow.stateInit(SHOP)).current.step).toBe("specced");
    ok(dry.workflow.configInit());
    expect(existsSync(dry.file("."))).toBe(false);
    dry.remove();
  });
});

describe("problems", () => {
  it("K-44 without a state every tool that needs one says so, and leaves no file behind", () => {
    const { workflow } = project;
    for (const answer of [
      workflow.stateGet(),
      workflow.status(),
      workflow.plansList(),
      workflow.stateTransition({ step: "designed" }),
      workflow.stateAddBlocker({ reason: "x" }),
      workflow.stateResolveBlocker({}),
      workflow.stateAdvancePhase({ phase: "02", phases_total: 2 }),
    ])
      expect(problemOf(answer)).toMatchObject({ error: true, code: "STATE_NOT_FOUND" });
    expect(existsSync(project.file("."))).toBe(false);
  });

  it("K-44 is plain data: error, code, message", () => {
    expect(JSON.parse(JSON.stringify(project.workflow.stateGet()))).toEqual({
      error: true,
      code: "STATE_NOT_FOUND",
      message: expect.stringContaining("state_init"),
    });
  });

  it("K-44 what cannot be read or written is an IO_ERROR", () => {
    mkdirSync(project.file("state.toml"), { recursive: true });
    expect(problemOf(project.workflow.stateGet()).code).toBe("IO_ERROR");
    const blocked = scratchProject();
    writeFileSync(blocked.file("."), "a file where the folder should be");
    expect(problemOf(blocked.workflow.stateInit(SHOP)).code).toBe("IO_ERROR");
    blocked.remove();
  });

  it("K-44 a lock that cannot be had is an IO_ERROR that names it", () => {
    const exclusively = () => {
      throw Object.assign(new Error("workflow.lock stayed locked by process 7"), { code: "LOCK_TIMEOUT" });
    };
    const locked = scratchProject({ exclusively });
    const problem = problemOf(locked.workflow.stateInit(SHOP));
    expect(problem).toMatchObject({ code: "IO_ERROR", message: expect.stringContaining("process 7") });
    locked.remove();
  });
});

describe("plans", () => {
  const at = (name: string) => `phases/01-login/plans/${name}`;

  it("K-41 are listed by wave, number and file, with whether a summary completes them", () => {
    ok(project.workflow.stateInit(SHOP));
    project.write(at("003.md"), plan(`plan = 3\nwave = 1\ntitle = "third"`));
    project.write(
      at("002.md"),
      plan(`plan = 2\nwave = 2\ntitle = "second"\ndepends_on = [1]\ntype = "tdd"\nrequirements = ["R-1"]`),
    );
    project.write(at("010.md"), plan(`plan = 10\nwave = 1`));
    project.write(at("001.md"), plan(`plan = 1\nwave = 1\ntitle = "first"`));
    project.write(at("001-summary.md"), "done");
    const list = ok(project.workflow.plansList());
    expect(list).toMatchObject({ phase: "01-login", total: 4 });
    expect(list.plans.map(({ file, complete }) => [file, complete])).toEqual([
      ["001.md", true],
      ["003.md", false],
      ["010.md", false],
      ["002.md", false],
    ]);
    expect(list.plans[3]).toEqual({
      file: "002.md",
      plan: 2,
      wave: 2,
      title: "second",
      type: "tdd",
      depends_on: [1],
      requirements: ["R-1"],
      complete: false,
    });
    expect(list).not.toHaveProperty("ignored");
  });

  it("K-41 are never summaries, reviews or files of one task; other Markdown is named, not listed", () => {
    ok(project.workflow.stateInit(SHOP));
    const about = [
      "summary",
      "review",
      "code-review",
      "spec-review",
      "task-1",
      "task-1-summary",
      "task-2-spec-review",
      "task-2-quality-review",
    ];
    for (const name of ["001", "002-cart", ...about.flatMap((rest) => [`001-${rest}`, `002-cart-${rest}`])])
      project.write(at(`${name}.md`), "text");
    for (const name of ["notes.md", "plan-1.md", "003-design-review.md", "001.txt"]) project.write(at(name), "text");
    const list = ok(project.workflow.plansList());
    expect(list.plans.map(({ file, complete }) => [file, complete])).toEqual([
      ["001.md", true],
      ["002-cart.md", true],
    ]);
    expect(list.ignored).toEqual(["003-design-review.md", "notes.md", "plan-1.md"]);
  });

  it("K-41 a summary of a task completes no plan", () => {
    project.write(at("001.md"), "text");
    project.write(at("001-task-1-summary.md"), "text");
    expect(ok(project.workflow.plansList({ phase: "01-login" })).plans[0]?.complete).toBe(false);
  });

  it("K-41 NO_PLANS without the folder, an empty list with an empty one, IO_ERROR where it is none", () => {
    expect(problemOf(project.workflow.plansList({ phase: "02" })).code).toBe("NO_PLANS");
    mkdirSync(project.file("phases/03/plans"), { recursive: true });
    expect(ok(project.workflow.plansList({ phase: "03" }))).toEqual({ phase: "03", plans: [], total: 0 });
    project.write("phases/04/plans", "a file");
    expect(problemOf(project.workflow.plansList({ phase: "04" })).code).toBe("IO_ERROR");
  });

  it("a phase cannot lead out of the folder, whether it is given or stands in the file", () => {
    project.write("../plans/001.md", "outside");
    expect(problemOf(project.workflow.plansList({ phase: "../.." })).code).toBe("INVALID_PHASE");
    project.write("state.toml", `[current]\nphase = "../.."\n`);
    expect(problemOf(project.workflow.plansList()).code).toBe("INVALID_PHASE");
    expect(ok(project.workflow.status()).current_phase_plans).toBe(0);
  });

  it("K-46 front matter that is absent or garbled gives defaults, and the latter is said", () => {
    project.write(at("001.md"), "no front matter");
    project.write(at("002.md"), plan("plan = = 2"));
    project.write(at("003.md"), "+++\nplan = 3\nnever closed");
    project.write(at("004.md"), plan(`plan = 4\nwave = "two"\ntitle = "kept"`));
    project.write(at("005.md"), "");
    project.write(at("006.md"), "+++\r\nplan = 6\r\nwave = 9\r\n+++\r\nbody");
    project.write(at("007.md"), "+++\n+++\nempty");
    const { plans } = ok(project.workflow.plansList({ phase: "01-login" }));
    const defaults = { wave: 1, title: "", type: "execute", depends_on: [], requirements: [], complete: false };
    expect(plans).toEqual([
      { file: "001.md", plan: 1, ...defaults },
      { file: "002.md", plan: 2, ...defaults, problem: expect.stringContaining("line 1") },
      { file: "003.md", plan: 3, ...defaults },
      { file: "004.md", plan: 4, ...defaults, title: "kept", problem: expect.stringContaining("wave") },
      { file: "005.md", plan: 5, ...defaults },
      { file: "007.md", plan: 7, ...defaults },
      { file: "006.md", plan: 6, ...defaults, wave: 9 },
    ]);
  });

  it("a folder named like a plan is not read as one", () => {
    mkdirSync(project.file(at("001.md")), { recursive: true });
    expect(ok(project.workflow.plansList({ phase: "01-login" })).total).toBe(0);
  });
});

describe("status", () => {
  it("K-42 has the keys, counts plans on disk and open blockers only", () => {
    ok(project.workflow.stateInit(SHOP));
    project.write("phases/01-login/plans/001.md", "text");
    project.write("phases/01-login/plans/001-summary.md", "text");
    project.write("phases/01-login/plans/002.md", "text");
    ok(project.workflow.stateAddBlocker({ reason: "settled" }));
    ok(project.workflow.stateResolveBlocker({}));
    project.clock.at = LATER;
    ok(project.workflow.stateAddBlocker({ reason: "no API key" }));
    expect(ok(project.workflow.status())).toEqual({
      project: "shop",
      current_phase: "01-login",
      current_step: "specced",
      status: "blocked",
      phases_total: 3,
      phases_complete: 0,
      current_phase_plans: 2,
      current_phase_plans_complete: 1,
      active_blockers: 1,
      blockers: [{ phase: "01-login", step: "specced", reason: "no API key", timestamp: LATER, resolved: false }],
      last_activity: AT,
      total_agent_sessions: 1,
      config: ok(project.workflow.configGet()),
      next_suggestion: expect.stringContaining("no API key"),
    });
  });

  it.each(STEP_NAMES)("K-42 has a hint of its own at %s", (step) => {
    project.write("state.toml", `[current]\nphase = "01"\nstep = "${step}"\n`);
    expect(ok(project.workflow.status()).next_suggestion).toBe(STEPS[step].hint);
    expect(new Set(STEP_NAMES.map((name) => STEPS[name].hint)).size).toBe(9);
  });

  it("settings that cannot be read do not hide where the project stands", () => {
    ok(project.workflow.stateInit(SHOP));
    project.write("workflow.toml", "= broken");
    expect(ok(project.workflow.status()).config).toMatchObject({ error: true, code: "INVALID_CONFIG" });
  });
});

describe("settings", () => {
  const defaults = {
    general: { default_model: "claude-sonnet-4" },
    execution: { max_wave_parallelism: 4 },
    git: { auto_commit: true, branching_strategy: "none" },
    features: { research: true, plan_checker: true, verifier: true, design_review: true, code_review: true },
    hooks: { test_patterns: expect.any(Array) },
  };

  it("K-43 are the defaults when there is no file, and reading writes none", () => {
    const settings = ok(project.workflow.configGet());
    expect(settings).toEqual(defaults);
    expect(settings.hooks.test_patterns).toHaveLength(19);
    expect(existsSync(project.file("."))).toBe(false);
  });

  it("K-43 a partial file is filled; test patterns replace the whole list", () => {
    project.write("workflow.toml", `[git]\nauto_commit = false\n[hooks]\ntest_patterns = ["make check"]\n`);
    expect(ok(project.workflow.configGet())).toEqual({
      ...defaults,
      git: { auto_commit: false, branching_strategy: "none" },
      hooks: { test_patterns: ["make check"] },
    });
  });

  it.each([
    ["[git", "line 1"],
    ["[execution]\nmax_wave_parallelism = 0", "execution.max_wave_parallelism must be a whole number from 1"],
    ['[git]\nbranching_strategy = "featur"', "git.branching_strategy must be one of none, feature"],
    ["[hooks]\ntest_patterns = [1]", "hooks.test_patterns must be a list"],
    ['[features]\nresearch = "yes"', "features.research must be true or false"],
  ])("K-43 %j is INVALID_CONFIG that says where, also for config_init, and stays as it was", (content, where) => {
    project.write("workflow.toml", content);
    for (const answer of [project.workflow.configGet(), project.workflow.configInit()])
      expect(problemOf(answer)).toMatchObject({ code: "INVALID_CONFIG", message: expect.stringContaining(where) });
    expect(project.read("workflow.toml")).toBe(content);
  });

  it("K-43 config_init writes every key, and a second time changes no byte", () => {
    expect(ok(project.workflow.configInit())).toEqual(defaults);
    const first = project.read("workflow.toml");
    expect(parse(first)).toEqual(defaults);
    ok(project.workflow.configInit());
    expect(project.read("workflow.toml")).toBe(first);
  });

  it("config_init keeps comments and unknown keys, and reports the latter", () => {
    project.write(
      "workflow.toml",
      `# ours\nowner = "ada"\n\n[git] # how we commit\nauto_commit = false # by hand\nsign = true\n\n[team]\nsize = 3\n`,
    );
    const answer = ok(project.workflow.configInit());
    expect(answer).toEqual({
      ...defaults,
      git: { auto_commit: false, branching_strategy: "none" },
      unknown_keys: ["owner", "git.sign", "team"],
    });
    const text = project.read("workflow.toml");
    for (const kept of [
      "# ours",
      'owner = "ada"',
      "[git] # how we commit",
      "auto_commit = false # by hand",
      "sign = true",
      "size = 3",
    ])
      expect(text).toContain(kept);
    ok(project.workflow.configInit());
    expect(project.read("workflow.toml")).toBe(text);
  });

  it.each([
    `git = { auto_commit = false }\n`,
    `git.auto_commit = false\n`,
    `git.auto_commit = false\r\n[ features ]\r\nresearch = false\r\n`,
  ])("config_init fills %j too, however its tables are spelt", (content) => {
    project.write("workflow.toml", content);
    const answer = ok(project.workflow.configInit());
    expect(answer.git).toEqual({ auto_commit: false, branching_strategy: "none" });
    expect(parse(project.read("workflow.toml"))).toEqual({ ...answer });
    const text = project.read("workflow.toml");
    ok(project.workflow.configInit());
    expect(project.read("workflow.toml")).toBe(text);
  });
});
