import { describe, expect } from "vitest";
import { it, type Machine } from "../program.ts";
import { blocks, projectHooks, userHooks } from "../rules.ts";

interface Finding {
  readonly code: string;
  /** As the person sees it. */
  readonly place: string;
  readonly message: string;
  readonly fix: string;
  spoil(machine: Machine): unknown;
}

const yaml = (text: string) => (machine: Machine) => machine.write("project/holdfast.yaml", text);
const entry = (hook: string, event = "pre_tool_use", group = "") =>
  yaml(`version: 1\nhooks:\n  ${event}:\n    - ${group}hooks:\n        - ${hook}\n`);

const FINDINGS: readonly Finding[] = [
  {
    code: "HF101",
    place: "holdfast.yaml",
    message: "cannot read",
    fix: "Check that the file exists, is readable and is UTF-8 text.",
    spoil: (machine) => machine.write("project/holdfast.yaml", Buffer.from([0xff])),
  },
  {
    code: "HF102",
    place: "holdfast.yaml:2",
    message: "Map keys must be unique",
    fix: "Fix the syntax at the line given.",
    spoil: yaml("version: 1\nversion: 1\n"),
  },
  {
    code: "HF103",
    place: "holdfast.yaml",
    message: "are both here",
    fix: "Keep one of",
    spoil: (machine) => ["yaml", "toml"].map((format) => machine.write(`project/holdfast.${format}`, "")),
  },
  {
    code: "HF104",
    place: "holdfast.yaml:5",
    message: "${NO_SUCH_NAME} is not set",
    fix: "Set it, or give a default after `:-`.",
    spoil: entry("{ type: command, command: 'echo ${NO_SUCH_NAME}' }"),
  },
  {
    code: "HF200",
    place: "holdfast.yaml:1",
    message: "version",
    fix: "See docs/reference/config.md",
    spoil: yaml("version: 2\n"),
  },
  {
    code: "HF201",
    place: "holdfast.yaml:2",
    message: 'unknown event "pre_tol_use"',
    fix: "did you mean pre_tool_use?",
    spoil: yaml("hooks:\n  pre_tol_use: []\n"),
  },
  {
    code: "HF202",
    place: "holdfast.yaml:2",
    message: 'unknown key "moed" in workflow',
    fix: "did you mean mode?",
    spoil: yaml("version: 1\nworkflow: { moed: observe }\n"),
  },
  {
    code: "HF202",
    place: "../config/holdfast.yaml:2",
    message: 'unknown key "skip" in untrusted',
    fix: "Remove it; keys that may stand there: guards, advice",
    spoil: (machine) => machine.write("config/holdfast.yaml", "version: 1\nuntrusted: { skip: true }\n"),
  },
  {
    code: "HF202",
    place: "holdfast.yaml:5",
    message: 'unknown key "timeout"',
    fix: "did you mean timeout_sec?",
    spoil: entry("{ type: command, command: ls, timeout: 3 }"),
  },
  {
    code: "HF200",
    place: "holdfast.yaml:2",
    message: 'guards.protected-paths.write: must be a list, not "x"',
    fix: "See docs/reference/config.md",
    spoil: yaml("version: 1\nguards: { protected-paths: { write: x } }\n"),
  },
  {
    code: "HF202",
    place: "holdfast.yaml:2",
    message: 'unknown key "protected-path" in guards',
    fix: "did you mean protected-paths?",
    spoil: yaml("guards:\n  protected-path: false\n"),
  },
  {
    code: "HF203",
    place: "holdfast.yaml:6",
    message: "matcher ( is not a valid RE2 expression",
    fix: "no look-around, no back-references",
    spoil: entry("{ type: command, command: 'true' }", "pre_tool_use", 'matcher: "("\n      '),
  },
  {
    code: "HF204",
    place: "holdfast.yaml:6",
    message: "session_start takes no matcher",
    fix: "Remove the matcher",
    spoil: entry("{ type: command, command: 'true' }", "session_start", "matcher: x\n      "),
  },
  {
    code: "HF205",
    place: "holdfast.yaml:5",
    message: "has two sources: command and path",
    fix: "Give one of command, path, name.",
    spoil: entry("{ type: command, command: 'true', path: ./x.ts }"),
  },
  {
    code: "HF206",
    place: "holdfast.yaml:3",
    message: "has no hooks",
    fix: "Add a hook to the group or remove the group.",
    spoil: yaml("hooks:\n  stop:\n    - hooks: []\n"),
  },
  {
    code: "HF207",
    place: "holdfast.yaml:5",
    message: "./missing.sh does not exist",
    fix: "scripts are looked up from",
    spoil: entry("{ type: command, command: sh ./missing.sh }"),
  },
  {
    code: "HF208",
    place: "holdfast.yaml:5",
    message: "there is no hook module ./missing.ts",
    fix: "Correct the path, or mend what the message names.",
    spoil: entry("{ type: module, path: ./missing.ts }"),
  },
  {
    code: "HF209",
    place: "holdfast.yaml:1",
    message: "untrusted can only be set in user or managed config",
    fix: "Only the layer that set a rule can loosen it; change it there.",
    spoil: yaml("untrusted: { guards: skip }\n"),
  },
  {
    code: "HF210",
    place: "holdfast.yaml:4",
    message: "two hooks on stop have the id twice",
    fix: "Give each hook a name of its own.",
    spoil: yaml(
      "hooks:\n  stop:\n    - hooks: [{ type: command, command: 'true', id: twice }]\n    - hooks: [{ type: command, command: 'true', id: twice }]\n",
    ),
  },
  {
    code: "HF211",
    place: "../config/holdfast.yaml:3",
    message: "has no hook for stop; it serves pre_tool_use",
    fix: "See which hook serves which event: holdfast hooks.",
    spoil(machine) {
      machine.write(
        "config/only-tools.ts",
        'import { defineHook } from "holdfast";\nexport default defineHook({ name: "x", on: ["pre_tool_use"], judge: () => undefined });\n',
      );
      machine.write(
        "config/holdfast.yaml",
        "hooks:\n  stop:\n    - hooks: [{ type: module, path: ./only-tools.ts }]\n",
      );
    },
  },
];

describe("check names what is wrong, where, and how to mend it, and ends with 3", () => {
  it.for(FINDINGS)("$code $message", async ({ code, place, message, fix, spoil }, { machine }) => {
    spoil(machine);
    const { code: exitCode, stdout, stderr } = await machine.cli(["check"]);
    expect(exitCode).toBe(3);
    const [first = "", second = ""] = stderr.split("\n");
    expect(first.startsWith(`error ${code}  ${place}  `)).toBe(true);
    expect(first).toContain(message);
    expect(second).toMatch(/^ {13}\S/);
    expect(second).toContain(fix);
    expect(stdout).toContain("1 error(s): every guarded call is blocked until they are fixed");

    const { ok, errors } = JSON.parse((await machine.cli(["check", "--json"])).stdout);
    expect(ok).toBe(false);
    const [file, line] = place.split(":");
    expect(errors).toMatchObject([{ code, file, ...(line ? { line: Number(line) } : {}) }]);
    expect(errors[0].fix).toContain(fix);
  });
});

describe("check ends", () => {
  it("with 0 where everything is in order, from a subdirectory too", async ({ machine }) => {
    expect(await machine.cli(["check"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^no config file: the shipped guards apply\n\d+ hooks ready\n$/),
      stderr: "",
    });
    await userHooks(machine, [{ event: "stop", script: blocks("no") }]);
    machine.write("project/holdfast.yaml", "version: 1\n");
    const cwd = machine.write("project/src/x", "").replace(/\/x$/, "");
    const { code, stdout } = await machine.cli(["check"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^user {5}.*config\/holdfast\.json\nproject {2}\.\.\/holdfast\.yaml\n\d+ hooks ready\n$/);
  });

  it("with 1 where a person has something to look at", async ({ machine }) => {
    await projectHooks(machine, [{ event: "stop", script: blocks("no"), id: "mine" }], {
      guards: { "person-only": false },
    });
    const { code, stdout, stderr } = await machine.cli(["check"]);
    expect(code).toBe(1);
    expect(stderr).toContain("untrusted  holdfast.json:");
    expect(stderr).toContain("command: sh ./scripts/mine.sh");
    expect(stderr).toContain("loosening: guards.person-only: false");
    expect(stderr).toContain("look at it and run: holdfast trust");
    expect(stdout).toMatch(/\d+ hooks ready, 1 not yet trusted\n$/);
    const report = JSON.parse((await machine.cli(["check", "--json"])).stdout);
    expect(report).toMatchObject({ ok: false, errors: [], untrusted: [{ what: "loosening" }, { what: "command" }] });
    await machine.trust();
    expect((await machine.cli(["check"])).code).toBe(0);
  });

  it("and says when the plan cannot be stored", async ({ machine }) => {
    const env = { HOLDFAST_STATE_DIR: `${machine.write("file", "")}/state` };
    expect(await machine.cli(["check"], { env })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^warning {2}the compiled plan could not be stored.*ENOTDIR/),
    });
  });
});
