import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { VarDeclaration } from "./assignment/assignment.ts";
import { createRun, rehearseRun } from "./create.ts";
import { authored, block, hook, type Scene, scene } from "./runs.fixture.ts";
import { readRun } from "./update.ts";

let at: Scene;
beforeEach(() => {
  at = scene();
});
afterEach(() => at.remove());

const variable = (given: Partial<VarDeclaration> = {}): VarDeclaration => ({
  type: "string",
  required: false,
  requiredAt: "initial",
  sources: ["cli", "web"],
  envName: "",
  default: null,
  description: null,
  values: [],
  ...given,
});
const init = { isStarted: false };
const nothingIsLeft = async () => {
  expect(await at.ports.store.list({ includeArchived: true })).toEqual([]);
  expect(readdirSync(join(at.dir, "runs", "shop"))).toEqual([]);
};

describe("a new run", () => {
  it("R-51 that is started runs from its first write; one that is initialized waits", async () => {
    expect(await createRun(at.ports, at.wanted())).toMatchObject({
      status: "running",
      sessions: [{ index: 0 }],
      progress: { step: "before-attempt" },
    });
    expect(await createRun(at.ports, at.wanted({}, {}, init))).toMatchObject({
      status: "initialized",
      sessions: [],
      progress: null,
    });
  });

  it("R-53 its brief is role, instructions, how to work, and message, in that order; the caller's instructions are not in it", async () => {
    const run = await createRun(
      at.ports,
      at.wanted({ callerInstructions: "for the caller only", message: "from the assignment" }),
    );
    const places = ["You are careful.", "Build it.", "## How to work", "- [one] do one", "from the assignment"].map(
      (text) => run.brief.indexOf(text),
    );
    expect(places).toEqual([...places].sort((one, other) => one - other));
    expect(places).not.toContain(-1);
    expect(run.brief).not.toContain("for the caller only");
    expect((await createRun(at.ports, at.wanted({ tasks: [] }))).brief).toBe("You are careful.\n\nBuild it.");
  });

  it("R-53 without anything to say is an error, and leaves nothing", async () => {
    const wanted = at.wanted({ tasks: [], body: "" });
    await expect(createRun(at.ports, { ...wanted, agent: { ...wanted.agent, body: " " } })).rejects.toMatchObject({
      code: "HF1036",
    });
    await nothingIsLeft();
  });

  it("R-51 takes no override of a locked field, of the agent or of the assignment", async () => {
    await expect(
      createRun(at.ports, at.wanted({ lockedFields: ["model", "cwd"] }, { model: "m", cwd: "." })),
    ).rejects.toMatchObject({ code: "HF1026", message: expect.stringContaining("model and cwd") });
    const wanted = at.wanted({}, { addTasks: [{ title: "t", body: "" }] });
    const locks = (field: "tasks" | "instructions") => ({
      ...wanted,
      agent: { ...wanted.agent, lockedFields: [field] as const },
    });
    await expect(createRun(at.ports, locks("tasks"))).rejects.toThrow("tasks cannot be set");
    await expect(createRun(at.ports, locks("instructions"))).rejects.toThrow("brings its own");
    expect(existsSync(join(at.dir, "runs"))).toBe(false);
  });
});

describe("prepare", () => {
  it("R-18 R-22 runs before there is a run; a block leaves nothing, and says why", async () => {
    let seen: unknown;
    at.hooks.push(
      hook("prepare", async ({ run }) => {
        seen = await at.ports.store.read(run.id);
        return {
          opinion: block("the branch is protected"),
          mutate: { attachments: { add: [{ sourcePath: note() }] } },
        };
      }),
    );
    await expect(createRun(at.ports, at.wanted())).rejects.toMatchObject({
      code: "HF1032",
      message: "the branch is protected",
    });
    expect(seen).toBeUndefined();
    await nothingIsLeft();
  });

  it("R-22 a hook that throws leaves nothing", async () => {
    at.hooks.push(
      hook("prepare", () => {
        throw new Error("boom");
      }),
    );
    await expect(createRun(at.ports, at.wanted())).rejects.toMatchObject({
      code: "HF1034",
      message: expect.stringContaining("boom"),
    });
    await nothingIsLeft();
  });

  it("R-19 what it sets is frozen in the run and in its seed", async () => {
    at.hooks.push(
      hook("prepare", () => ({
        mutate: {
          run: { cwd: join(at.cwd, "tree"), model: "m", effort: "high", timeoutSec: 7, unrestricted: false },
          state: { a: 1 },
          note: "n",
          pinned: true,
          patchTasks: [{ taskId: "one", status: "completed" }],
          attachments: { add: [{ sourcePath: note() }] },
        },
      })),
    );
    const run = await createRun(at.ports, at.wanted({}, {}, init));
    const frozen = {
      settings: { cwd: join(at.cwd, "tree"), model: "m", effort: "high", timeoutSec: 7, unrestricted: false },
      state: { a: 1 },
      note: "n",
      isPinned: true,
      tasks: [{ status: "completed" }, { status: "pending" }],
      attachments: [{ name: "note.txt", bytes: 4 }],
    };
    expect(await readRun(at.ports, run.id)).toMatchObject({ ...frozen, seed: frozen });
    const [attachment] = run.attachments;
    if (!attachment) throw new Error("it is attached");
    expect(existsSync(await at.ports.store.attachmentFile(run.id, attachment))).toBe(true);
  });

  it("R-20 variables it sets are in role, instructions, tasks and the caller's instructions; what is required by then must be there", async () => {
    const vars = { branch: variable({ required: true, requiredAt: "prepare" }) };
    const wanted = at.wanted({
      vars,
      body: "On {{branch}}.",
      tasks: [authored("one", { title: "push {{branch}}" })],
      callerInstructions: "see {{branch}}",
    });
    const asked = { ...wanted, agent: { ...wanted.agent, body: "You know {{branch}}." } };
    await expect(createRun(at.ports, asked)).rejects.toMatchObject({ code: "HF1011" });
    at.hooks.push(hook("prepare", () => ({ mutate: { vars: { branch: "main" } } })));
    const run = await createRun(at.ports, asked);
    expect(run).toMatchObject({
      callerInstructions: "see main",
      tasks: [{ title: "push main" }],
      agent: { instructions: "You know main." },
    });
    expect(run.brief).toContain("On main.");
  });

  it("R-21 the settings of the agent are those for the backend that prepare chose", async () => {
    at.hooks.push(hook("prepare", () => ({ mutate: { run: { backend: "other" } } })));
    const wanted = at.wanted();
    const agent = { ...wanted.agent, backendArgs: { command: ["-a"], other: ["-b"] } };
    expect((await createRun(at.ports, { ...wanted, agent })).settings).toMatchObject({
      backend: "other",
      backendConfig: {},
      backendArgs: ["-b"],
    });
  });

  it("RB-4 may rewrite the first prompt, either way", async () => {
    at.hooks.push(hook("prepare", () => ({ mutate: { run: { initialPrompt: "only this" } } })));
    expect((await createRun(at.ports, at.wanted())).brief).toBe("only this");
    at.hooks[0] = hook("prepare", ({ prompt }) => ({ opinion: { kind: "reinvoke", prompt: `${prompt}\n\nand this` } }));
    expect((await createRun(at.ports, at.wanted())).brief).toMatch(/^You are careful[\s\S]*\n\nand this$/);
  });

  it("RB-13 R-48 its hooks are in the log and in the manifest", async () => {
    at.hooks.push(hook("prepare", () => ({ mutate: { note: "n" } })));
    const run = await createRun(at.ports, at.wanted());
    expect(run.hookAudits).toMatchObject([{ phase: "prepare", hook: "on-prepare", outcome: "continue" }]);
    expect(await at.types(run.id)).toEqual(["run.hook_recorded", "run.created"]);
  });

  it("RB-5 a rehearsal shows what would be frozen and leaves nothing", async () => {
    expect((await rehearseRun(at.ports, at.wanted({ body: "Do it." }))).run.brief).toContain("Do it.");
    await nothingIsLeft();
  });

  it("a rehearsal asks no prepare hook, names each, and does not miss what it would set", async () => {
    let asked = 0;
    const prepares = hook("prepare", () => {
      asked += 1;
      return { mutate: { vars: { branch: "main" } } };
    });
    at.hooks.push(prepares);
    const vars = { branch: variable({ required: true, requiredAt: "prepare" }) };
    const { run, outcome } = await rehearseRun(at.ports, at.wanted({ vars, body: "On {{branch}}." }));
    expect(asked).toBe(0);
    expect(outcome.audits).toMatchObject([{ hook: prepares.name, outcome: "skipped" }]);
    expect(run.brief).toContain("On .");
    at.hooks.length = 0;
    await expect(rehearseRun(at.ports, at.wanted({ vars }))).rejects.toThrow("branch");
  });

  it("RB-9 what comes from the environment is stored as a reference", async () => {
    at.env.TOKEN_NAME = "hunter2";
    const vars = { token: variable({ sources: ["env"], envName: "TOKEN_NAME" }) };
    const run = await createRun(at.ports, at.wanted({ vars, body: "Use {{token}}." }));
    expect(run.brief).toContain("Use {{$TOKEN_NAME}}.");
    expect(JSON.stringify(run)).not.toContain("hunter2");
  });
});

describe("children", () => {
  const inside = (id: string, depth: number, max?: number) => {
    Object.assign(
      at.env,
      { HOLDFAST_RUN_ID: id, HOLDFAST_CALL_DEPTH: String(depth) },
      max === undefined ? {} : { HOLDFAST_MAX_CALL_DEPTH: String(max) },
    );
  };

  it("R-52 a run that a run starts is its child, in its group, and may take its variables", async () => {
    const vars = { branch: variable() };
    const parent = await createRun(at.ports, at.wanted({ vars }, { group: "g" }, { cliVars: { branch: "main" } }));
    inside(parent.id, 1);
    const child = await createRun(at.ports, at.wanted({ vars: { branch: variable({ sources: ["parent"] }) } }));
    expect(child).toMatchObject({
      parentRun: parent.id,
      group: "g",
      vars: { branch: { source: "parent", value: "main" } },
    });
    inside(child.id, 1);
    const grandchild = await createRun(
      at.ports,
      at.wanted({ vars: { branch: variable({ sources: ["parent"] }) } }, { group: "own" }),
    );
    expect(grandchild).toMatchObject({ group: "own", vars: { branch: { value: "main" } } });
    expect(await createRun(at.ports, at.wanted({}, { parentRun: null }))).toMatchObject({
      parentRun: null,
      group: null,
    });
  });

  it("R-52 one level below the first by default, more where somebody says so", async () => {
    const { id } = await createRun(at.ports, at.wanted());
    inside(id, 1);
    await createRun(at.ports, at.wanted());
    inside(id, 2);
    await expect(createRun(at.ports, at.wanted())).rejects.toMatchObject({ code: "HF1031" });
    inside(id, 2, 2);
    await createRun(at.ports, at.wanted());
  });
});

function note(): string {
  writeFileSync(join(at.cwd, "note.txt"), "note");
  return "note.txt";
}
