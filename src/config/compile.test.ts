import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { canonicalEventName, EVENT_NAMES } from "../core/event.ts";
import { text } from "../core/fields.ts";
import { type ScratchMachine, scratchMachine } from "./config.fixture.ts";
import { placesOf } from "./places.ts";
import { readFreshPlan, writePlan } from "./plan.ts";
import { grantTrust } from "./trust.ts";

let machine: ScratchMachine;
beforeEach(() => {
  machine = scratchMachine();
});
afterEach(() => machine.remove());

const yaml = (text: string) => machine.write("work/project/holdfast.yaml", text);
const toml = (text: string) => machine.write("work/project/holdfast.toml", text);
const broughtHooks = async () => (await machine.compile()).plan.hooks.filter(({ layer }) => layer !== "builtin");
const firstError = async () => {
  const { errors } = await machine.compile();
  const [error] = errors;
  if (!error) throw new Error("expected an error, found none");
  return { code: error.code, line: error.place.line, message: error.message, fix: error.fix };
};

const QUERYMT_EVENTS = [
  "session_start",
  "user_prompt_submit",
  "pre_tool_use",
  "permission_request",
  "post_tool_use",
  "stop",
  "pre_compaction",
  "post_compaction",
  "pre_delegation",
  "delegation_start",
  "post_delegation",
  "delegation_failure",
] as const;

const profile = (hooks: string) => `[agent]\nprovider = "anthropic"\n[agent.hooks]\n${hooks}`;
const handler = (event: string, extra = "") =>
  `[[agent.hooks.${event}]]\n[[agent.hooks.${event}.hooks]]\ntype = "command"\ncommand = "true"\n${extra}`;

describe("an [agent.hooks] profile", () => {
  it("Q-1 W17 without hooks, or with enabled = false, nothing can ever be spawned, and the latter is said", async () => {
    toml(profile("enabled = false\n") + handler("stop"));
    const { plan } = await machine.compile();
    expect(plan.hooks.filter(({ run }) => run.type === "command")).toEqual([]);
    expect(plan.warnings[0]).toContain("not enabled");
  });

  it("Q-2 enabled with no groups is no error and no hook", async () => {
    toml(profile("enabled = true\n"));
    expect((await machine.compile()).errors).toEqual([]);
    expect(await broughtHooks()).toEqual([]);
  });

  it("Q-3 all twelve event keys are accepted and each hook listens to its own event only", async () => {
    toml(profile("enabled = true\n") + QUERYMT_EVENTS.map((event) => handler(event)).join(""));
    const hooks = await broughtHooks();
    expect(hooks.flatMap(({ on }) => on).sort()).toEqual([...QUERYMT_EVENTS].sort());
  });

  it("Q-4 unknown event keys are a load error that names them, sorted", async () => {
    toml(profile("enabled = true\n") + handler("pre_tol_use") + handler("before_lunch"));
    expect(await firstError()).toMatchObject({ code: "HF201", message: 'unknown event "before_lunch", "pre_tol_use"' });
  });

  it.each([
    [
      "group",
      '[[agent.hooks.stop]]\nmather = "x"\n[[agent.hooks.stop.hooks]]\ntype = "command"\ncommand = "true"\n',
      6,
    ],
    ["handler", handler("stop", "timeout = 5\n"), 9],
  ])("Q-5 an unknown key in a %s is a load error with its line", async (_, text, line) => {
    toml(profile("enabled = true\n") + text);
    expect(await firstError()).toMatchObject({ code: "HF202", line });
  });

  it.each([
    ["without a type", "command = 'true'"],
    ["of another type", "type = 'http'\ncommand = 'true'"],
  ])("Q-6 a handler %s is a load error", async (_, text) => {
    toml(`${profile("enabled = true\n")}[[agent.hooks.stop]]\n[[agent.hooks.stop.hooks]]\n${text}\n`);
    expect((await firstError()).code).toBe("HF205");
  });

  it("Q-7 a group without handlers is a load error with event and index", async () => {
    toml(`${profile("enabled = true\n")}[[agent.hooks.stop]]\nhooks = []\n`);
    expect(await firstError()).toMatchObject({ code: "HF206", message: "group agent.hooks.stop.0 has no hooks" });
  });

  it.each(["", "command = ''", "command = '  '"])(
    "Q-8 a blank or missing command is a load error (%s)",
    async (command) => {
      toml(
        `${profile("enabled = true\n")}[[agent.hooks.stop]]\n[[agent.hooks.stop.hooks]]\ntype = "command"\n${command}\n`,
      );
      expect((await firstError()).code).toBe("HF205");
    },
  );

  it("Q-9 validation runs even when enabled is false", async () => {
    toml(profile("enabled = false\n") + handler("stop", "nope = 1\n"));
    expect((await firstError()).code).toBe("HF202");
  });

  it("Q-10 the timeout is 30 seconds by default; negative and fractional values are rejected", async () => {
    toml(profile("enabled = true\n") + handler("stop"));
    expect((await broughtHooks())[0]?.timeoutMs).toBe(30_000);
    for (const bad of ["-1", "1.5", '"5"', "0"]) {
      toml(profile("enabled = true\n") + handler("stop", `timeout_sec = ${bad}\n`));
      expect((await firstError()).code).toBe("HF200");
    }
  });

  it("Q-11 Q-12 env and status_message reach the plan", async () => {
    toml(profile("enabled = true\n") + handler("stop", 'status_message = "Checking"\nenv = { A = "1" }\n'));
    expect((await broughtHooks())[0]).toMatchObject({ statusMessage: "Checking", run: { env: { A: "1" } } });
  });

  it("Q-13 ${NAME} and ${NAME:-default} are resolved; a missing name is a load error; a plan never stores the value", async () => {
    toml(profile("enabled = true\n") + handler("stop", 'env = { T = "${SECRET_TOKEN}", D = "${NOT_SET:-x}" }\n'));
    expect(await firstError()).toMatchObject({ code: "HF104", message: "${SECRET_TOKEN} is not set" });
    machine.env.SECRET_TOKEN = "s3cr3t";
    const { plan, errors } = await machine.compile();
    expect(errors).toEqual([]);
    expect(JSON.stringify(plan)).not.toContain("s3cr3t");
    expect(plan.environment.SECRET_TOKEN).toMatch(/^[0-9a-f]{64}$/);
  });

  it("Q-14 two projects with different hooks do not see each other's", async () => {
    toml(profile("enabled = true\n") + handler("stop"));
    const other = machine.write("work/other/holdfast.toml", profile("enabled = true\n") + handler("session_start"));
    const here = (await machine.compile()).plan.hooks.flatMap(({ on, layer }) => (layer === "builtin" ? [] : on));
    const there = (await machine.compile({ cwd: join(other, "..") })).plan.hooks.flatMap(({ on, layer }) =>
      layer === "builtin" ? [] : on,
    );
    expect([here, there]).toEqual([["stop"], ["session_start"]]);
  });

  it.each(["(", "*", "^(?!read)", "(a)\\\\1"])(
    "Q-15 W3 the invalid regular expression %s is a load error",
    async (pattern) => {
      toml(
        `${profile("enabled = true\n")}[[agent.hooks.pre_tool_use]]\nmatcher = "${pattern}"\n[[agent.hooks.pre_tool_use.hooks]]\ntype = "command"\ncommand = "true"\n`,
      );
      expect((await firstError()).code).toBe("HF203");
    },
  );

  it("Q-16 a matcher on an event that takes none is a load error", async () => {
    toml(
      `${profile("enabled = true\n")}[[agent.hooks.stop]]\nmatcher = "x"\n[[agent.hooks.stop.hooks]]\ntype = "command"\ncommand = "true"\n`,
    );
    expect((await firstError()).code).toBe("HF204");
  });
});

describe("errors", () => {
  it("an unknown event names the nearest one and lists the known ones", async () => {
    yaml("version: 1\nhooks:\n  pre_tol_use:\n    - hooks: [{ type: command, command: 'true' }]\n");
    const { line, fix } = await firstError();
    expect(line).toBe(3);
    expect(fix).toContain("did you mean pre_tool_use?");
    for (const event of EVENT_NAMES) expect(fix).toContain(event);
  });

  it("lines are those of the name as it was written", async () => {
    yaml(
      "version: 1\nhooks:\n  stop:\n    - hooks: [{ type: command, command: 'true' }]\n  PreToolUse:\n    - hooks: []\n",
    );
    expect(await firstError()).toMatchObject({ code: "HF206", line: 6 });
  });

  it.each(["PreToolUse", "preToolUse", "pre_tool_use"])("the spelling %s is the same event", async (spelling) => {
    yaml(`hooks:\n  ${spelling}:\n    - hooks: [{ type: command, command: 'true' }]\n`);
    expect((await broughtHooks()).map(({ on }) => on)).toEqual([["pre_tool_use"]]);
  });

  it("one event under two spellings is an error, not a lost rule", async () => {
    yaml(
      "hooks:\n  stop: [{ hooks: [{ type: command, command: 'true' }] }]\n  Stop: [{ hooks: [{ type: command, command: 'true' }] }]\n",
    );
    expect((await firstError()).code).toBe("HF202");
  });

  it("every canonical name and alias leads to an event that exists", () => {
    for (const name of EVENT_NAMES) expect(canonicalEventName(name)).toBe(name);
    expect(canonicalEventName("beforeAttempt")).toBe("before_attempt");
    expect(canonicalEventName("PreCompact")).toBe("pre_compaction");
    expect(canonicalEventName("toString")).toBeUndefined();
  });

  it("two config files in one place are an error", async () => {
    yaml("version: 1\n");
    toml("version = 1\n");
    expect((await firstError()).code).toBe("HF103");
  });

  it.each([
    ["work/project/holdfast.yaml", "a: [\n", "HF102"],
    ["work/project/holdfast.toml", "a = [\n", "HF102"],
    ["work/project/holdfast.json", '{"a": 1,}', "HF102"],
    ["work/project/holdfast.json", '{"version":1,"version":1}', "HF102"],
    ["work/project/holdfast.yaml", "version: 1\nversion: 1\n", "HF102"],
    ["work/project/holdfast.yaml", "- a\n", "HF102"],
    ["work/project/holdfast.yaml", "versoin: 1\n", "HF202"],
    ["work/project/holdfast.yaml", "version: 2\n", "HF200"],
  ])("%s with %j is %s", async (path, text, code) => {
    machine.write(path, text);
    expect((await firstError()).code).toBe(code);
  });

  it("a file that is not UTF-8 is an error", async () => {
    machine.write("work/project/holdfast.yaml", "");
    const { writeFileSync } = await import("node:fs");
    writeFileSync(join(machine.project, "holdfast.yaml"), Buffer.from([0x61, 0xff, 0xfe]));
    expect((await firstError()).code).toBe("HF101");
  });

  it.each([
    ["two sources", "{ type: module, path: ./a.ts, name: b }", "HF205"],
    ["no source", "{ type: module }", "HF205"],
    ["command and path", "{ type: command, command: 'true', path: ./a.ts }", "HF205"],
    ["a script that is not there", "{ type: command, command: sh ./hooks/missing.sh }", "HF207"],
    ["a program that is not there", "{ type: command, command: no-such-program-here --x }", "HF207"],
    ["a module that is not there", "{ type: module, path: ./missing.ts }", "HF208"],
    ["a named module that is not there", "{ type: module, name: missing }", "HF208"],
  ])("an entry with %s is a load error", async (_, entry, code) => {
    yaml(`hooks:\n  pre_tool_use:\n    - hooks: [${entry}]\n`);
    expect((await firstError()).code).toBe(code);
  });

  it("options that do not fit what a module declares are an error", async () => {
    machine.write("user/hook.mjs", "export default 1;\n");
    machine.write(
      "user/holdfast.yaml",
      "hooks:\n  pre_tool_use:\n    - hooks: [{ type: module, path: ./hook.mjs, with: { zoen: x } }]\n",
    );
    const describeModule = async () => [
      { name: "h", on: ["pre_tool_use" as const], options: { zone: text("a zone") } },
    ];
    const { errors } = await machine.compile({ describeModule });
    expect(errors[0]).toMatchObject({ code: "HF200", message: expect.stringContaining("zoen") });
  });

  it("an unset ${NAME} in a guard's options is a load error", async () => {
    yaml("guards: { paths: { write: ['${NOT_SET_ANYWHERE}'] } }\n");
    expect(await firstError()).toMatchObject({ code: "HF104", line: 1 });
  });

  it("two hooks with one id on one event are an error", async () => {
    yaml(
      "hooks:\n  stop:\n    - hooks: [{ type: command, command: 'true', id: a }, { type: command, command: 'false', id: a }]\n",
    );
    expect((await firstError()).code).toBe("HF210");
  });
});

describe("commands", () => {
  it("Q-111 scripts are found from the config file's directory, whatever the working directory", async () => {
    const script = machine.write("work/project/hooks/a b.sh", "exit 0\n");
    yaml(`hooks:\n  stop:\n    - hooks: [{ type: command, command: "sh './hooks/a b.sh' | cat" }]\n`);
    mkdirSync(join(machine.project, "sub"));
    const { plan, errors } = await machine.compile({ cwd: join(machine.project, "sub") });
    expect(errors).toEqual([]);
    expect(plan.hooks.find(({ layer }) => layer === "project")?.run).toMatchObject({ command: `sh '${script}' | cat` });
  });

  it.each([
    "printf '{}'",
    "cat > /dev/null; echo '{}'",
    "if true; then echo; fi",
    "f() { true; }; f",
    "X=1 sh -c 'echo ./not/a/file'",
    'node -e "0"',
  ])("%s is a command that exists", async (command) => {
    yaml(`hooks:\n  stop:\n    - hooks:\n        - type: command\n          command: ${JSON.stringify(command)}\n`);
    expect((await machine.compile()).errors).toEqual([]);
  });
});

describe("layers", () => {
  const stop = (id: string) => `hooks:\n  stop:\n    - hooks: [{ type: command, command: 'true', id: ${id} }]\n`;

  it("managed, user, project and local hooks all apply, in that order", async () => {
    machine.write("work/project/holdfast.local.yaml", stop("local"));
    machine.write("user/holdfast.yaml", stop("user"));
    machine.write("managed/holdfast.yaml", stop("managed"));
    yaml(stop("project"));
    expect((await broughtHooks()).map(({ name, layer }) => [name, layer])).toEqual([
      ["managed", "managed"],
      ["user", "user"],
      ["project", "project"],
      ["local", "local"],
    ]);
  });

  it("a file nearer to the agent adds to the ones above it and cannot take them away", async () => {
    yaml(stop("outer"));
    machine.write("work/project/sub/holdfast.yaml", `${stop("inner")}`);
    const { plan } = await machine.compile({ cwd: join(machine.project, "sub") });
    expect(plan.hooks.filter(({ layer }) => layer === "project").map(({ name }) => name)).toEqual(["outer", "inner"]);
    expect(plan.root).toBe(machine.project);
  });

  it("the rules of the place where the session began hold wherever the agent goes", async () => {
    yaml(stop("home-rule"));
    machine.write("elsewhere/holdfast.yaml", stop("there-rule"));
    const { plan } = await machine.compile({ cwd: join(machine.dir, "elsewhere"), projectDir: machine.project });
    expect(plan.hooks.filter(({ layer }) => layer === "project").map(({ name }) => name)).toEqual([
      "home-rule",
      "there-rule",
    ]);
    expect(plan.root).toBe(machine.project);
  });

  it("one schema: the same rules in YAML, TOML and JSON compile to the same plan", async () => {
    const digests = [];
    const { rmSync } = await import("node:fs");
    for (const [name, text] of [
      ["holdfast.yaml", stop("a")],
      ["holdfast.toml", '[[hooks.stop]]\n[[hooks.stop.hooks]]\ntype = "command"\ncommand = "true"\nid = "a"\n'],
      ["holdfast.json", '{"hooks":{"stop":[{"hooks":[{"type":"command","command":"true","id":"a"}]}]}}'],
    ] as const) {
      const file = machine.write(`work/project/${name}`, text);
      const { plan } = await machine.compile();
      digests.push(JSON.stringify(plan.hooks.map(({ place, ...hook }) => hook)));
      rmSync(file);
    }
    expect(new Set(digests).size).toBe(1);
  });

  it("the user may switch a shipped guard off; a project that does so has no effect until trusted", async () => {
    machine.write("user/holdfast.yaml", "guards: { paths: false }\n");
    expect((await machine.compile()).plan.hooks.map(({ name }) => name)).toEqual(["workflow"]);
    machine.write("user/holdfast.yaml", "version: 1\n");
    yaml("guards: { paths: false }\n");
    const { plan, trustItems } = await machine.compile();
    expect(plan.hooks.map(({ name }) => name)).toEqual(["paths", "workflow"]);
    expect(plan.warnings[0]).toContain("has no effect until trusted");
    grantTrust(placesOf(machine.env).stateDir, trustItems, new Date(0));
    expect((await machine.compile()).plan.hooks.map(({ name }) => name)).toEqual(["workflow"]);
  });

  it.each(["guards: { paths: false }", "guards: { paths: { mode: observe } }", "guards: { paths: { level: low } }"])(
    "what a stronger layer set cannot be loosened below it: %s",
    async (loosening) => {
      machine.write("managed/holdfast.yaml", "guards: { paths: { mode: enforce, level: high } }\n");
      machine.write("user/holdfast.yaml", `${loosening}\n`);
      expect((await firstError()).code).toBe("HF209");
    },
  );

  it("lists only grow from layer to layer", async () => {
    machine.write("managed/holdfast.yaml", "guards: { paths: { write: [a] } }\n");
    machine.write("user/holdfast.yaml", "guards: { paths: { write: [b] } }\n");
    yaml("guards: { paths: { write: [a, c] } }\n");
    const { plan, errors } = await machine.compile();
    expect(errors).toEqual([]);
    expect(plan.hooks[0]?.run).toMatchObject({ options: { write: ["a", "b", "c"] } });
  });

  it.each([
    ["work/project/holdfast.toml", '[hooks]\ntest_patterns = ["make check"]\n'],
    ["work/project/holdfast.yaml", "workflow: { test_patterns: [make check] }\n"],
    ["work/project/holdfast.yaml", "guards: { workflow: { test_patterns: [make check] } }\n"],
    ["work/project/.holdfast/workflow.toml", '[hooks]\ntest_patterns = ["make check"]\n'],
  ])("K-25 test patterns of %s replace the defaults: %s", async (path, text) => {
    machine.write(path, text);
    const { plan, errors } = await machine.compile();
    expect(errors).toEqual([]);
    expect(plan.hooks.find(({ name }) => name === "workflow")?.run).toMatchObject({
      options: { test_patterns: ["make check"], rules: [] },
    });
  });

  it.each(["workflow: { mode: observe }", "guards: { workflow: { mode: observe } }"])(
    "a whole guard is observed, wherever it is written: %s",
    async (text) => {
      machine.write("user/holdfast.yaml", `${text}\n`);
      const { plan, errors } = await machine.compile();
      expect(errors).toEqual([]);
      expect(plan.hooks.find(({ name }) => name === "workflow")?.mode).toBe("observe");
    },
  );

  it.each(["untrusted: { guards: skip }", "records: { max_bytes: 5000 }", "context: { max_characters: 1 }"])(
    "a project cannot set what protects the person: %s",
    async (text) => {
      yaml(`${text}\n`);
      expect((await firstError()).code).toBe("HF209");
    },
  );
});

describe("trust", () => {
  const hook = (command = "sh ./check.sh") =>
    yaml(`hooks:\n  stop:\n    - hooks: [{ type: command, command: ${command} }]\n`);
  const state = async () => (await broughtHooks())[0]?.trust;
  const trustAll = async () =>
    grantTrust(placesOf(machine.env).stateDir, (await machine.compile()).trustItems, new Date(0));

  it("project code is untrusted until trusted, and again after any change to its bytes", async () => {
    machine.write("work/project/check.sh", "exit 0\n");
    hook();
    expect(await state()).toBe("untrusted");
    await trustAll();
    expect(await state()).toBe("trusted");
    machine.write("work/project/check.sh", "exit 1\n");
    expect(await state()).toBe("untrusted");
  });

  it("a changed command line asks again", async () => {
    machine.write("work/project/check.sh", "exit 0\n");
    hook();
    await trustAll();
    hook("sh ./check.sh --force");
    expect(await state()).toBe("untrusted");
  });

  it("imports are pinned too", async () => {
    machine.write("work/project/hook.mjs", 'import { rule } from "./lib/rule.js";\nexport default rule;\n');
    machine.write("work/project/lib/rule.ts", "export const rule = 1;\n");
    yaml("hooks:\n  pre_tool_use:\n    - hooks: [{ type: module, path: ./hook.mjs }]\n");
    await trustAll();
    expect(await state()).toBe("trusted");
    machine.write("work/project/lib/rule.ts", "export const rule = 2;\n");
    expect(await state()).toBe("untrusted");
  });

  it("an untrusted module is not even loaded to be described", async () => {
    machine.write("work/project/hook.mjs", "export default 1;\n");
    yaml("hooks:\n  pre_tool_use:\n    - hooks: [{ type: module, path: ./hook.mjs }]\n");
    let loaded = false;
    await machine.compile({
      describeModule: async () => {
        loaded = true;
        return [];
      },
    });
    expect(loaded).toBe(false);
  });

  it("user and managed code needs no trust: a person put it there", async () => {
    machine.write("user/holdfast.yaml", "hooks:\n  stop:\n    - hooks: [{ type: command, command: 'true' }]\n");
    expect(await state()).toBe("not-needed");
  });
});

describe("the plan", () => {
  const fresh = () => readFreshPlan({ cwd: machine.project }, placesOf(machine.env), machine.env, "test");
  const store = async () => writePlan((await machine.compile()).plan, placesOf(machine.env));

  it("is reused while nothing it was made from has changed", async () => {
    yaml("version: 1\n");
    await store();
    expect(fresh()?.cwd).toBe(machine.project);
  });

  it.each<[string, (m: ScratchMachine) => void]>([
    ["its config file is edited", (m) => m.write("work/project/holdfast.yaml", "version: 1 \n")],
    ["a config file appears above it", (m) => m.write("work/holdfast.yaml", "version: 1\n")],
    ["a local file appears", (m) => m.write("work/project/holdfast.local.toml", "version = 1\n")],
    ["a user file appears", (m) => m.write("user/holdfast.json", "{}")],
    ["a hook's script is edited", (m) => m.write("work/project/check.sh", "exit 1\n")],
    ["trust changes", (m) => m.write("state/trust.json", "{}")],
    ["a referred variable changes", (m) => Object.assign(m.env, { FLAVOUR: "other" })],
  ])("is stale when %s", async (_, change) => {
    machine.write("work/project/check.sh", "exit 0\n");
    machine.env.FLAVOUR = "one";
    yaml("hooks:\n  stop:\n    - hooks: [{ type: command, command: sh ./check.sh, env: { F: '${FLAVOUR}' } }]\n");
    await store();
    expect(fresh()).toBeDefined();
    change(machine);
    expect(fresh()).toBeUndefined();
  });

  it("an edit that keeps size and modification time is noticed all the same", async () => {
    const file = yaml("version: 1\n");
    await store();
    const { statSync, utimesSync, writeFileSync } = await import("node:fs");
    const before = statSync(file);
    writeFileSync(file, "version: 2\n");
    utimesSync(file, before.atime, before.mtime);
    expect(fresh()).toBeUndefined();
  });

  it("errors close the plan instead of dropping rules", async () => {
    yaml("hooks: { nope: [] }\n");
    const { plan } = await machine.compile();
    expect(plan.errors).toHaveLength(1);
    expect(plan.hooks.map(({ name }) => name)).toEqual(["paths", "workflow"]);
  });

  it("a config reached through a symlinked directory is found", async () => {
    yaml("hooks:\n  stop:\n    - hooks: [{ type: command, command: 'true' }]\n");
    const link = join(machine.dir, "link");
    symlinkSync(machine.project, link);
    expect((await machine.compile({ cwd: link })).plan.hooks.some(({ layer }) => layer === "project")).toBe(true);
  });
});
