/** `holdfast test` and `holdfast replay`. */
import { describe, expect } from "vitest";
import { it, type Machine } from "../program.ts";

const payload = (machine: Machine, command: string) => ({
  session_id: "s1",
  transcript_path: "/t",
  cwd: machine.projectDir,
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command },
  tool_use_id: "t1",
});

describe("test", () => {
  it("runs the project's own cases and says which do not hold", async ({ machine }) => {
    machine.write(
      "config/holdfast.yaml",
      `hooks:\n  pre_tool_use:\n    - matcher: "^shell$"\n      hooks: [{ type: command, id: no-deploys, command: "printf '{\\"decision\\":\\"block\\",\\"reason\\":\\"not on Friday\\"}'" }]\n`,
    );
    machine.write(
      "project/.holdfast/tests/rules.yaml",
      `- command: deploy prod\n  at: 2026-11-13T16:00:00Z\n  expect: { decision: block, by: no-deploys, reason: Friday }\n- name: reading is fine\n  tool: Read\n  input: { file_path: README.md }\n  expect: { decision: none }\n- command: rm -rf /\n  expect: { decision: none }\n`,
    );
    const { code, stdout } = await machine.cli(["test"]);
    expect(code).toBe(1);
    expect(stdout).toContain("2 passed, 1 failed");
    expect(stdout).toContain("decided block, expected none");
    const { stdout: json } = await machine.cli(["test", "--json"]);
    expect(JSON.parse(json)).toMatchObject({ passed: 2, failed: 1 });
  });

  it("a case that cannot be read is an error with its place", async ({ machine }) => {
    machine.write("project/.holdfast/tests/bad.yaml", "- comand: ls\n  expect: { decision: none }\n");
    const { code, stderr } = await machine.cli(["test"]);
    expect(code).toBe(3);
    expect(stderr).toContain("HF200");
    expect(stderr).toContain(`bad.yaml:1  case 1, line 1: unknown key "comand"; did you mean command?`);
  });

  it("everything that is wrong with a file is said at once, in plain words, with its line", async ({ machine }) => {
    const text = "- command: ls\n- command: [ls]\n  expect: { decision: blok }\n";
    machine.write("project/.holdfast/tests/bad.yaml", text);
    const { code, stderr } = await machine.cli(["test"]);
    expect(code).toBe(3);
    expect(stderr).toContain("case 1, line 1: expect is missing; it must be a block of keys");
    expect(stderr).toContain("case 2, line 2: command must be text, not a list");
    expect(stderr).toContain(
      'case 2, line 3: expect.decision must be one of block, ask, allow, none, continue, not "blok"',
    );
  });

  it.for([
    ["a file that is not there", "gone.yaml", "HF101"],
    ["a file without a case", "empty.yaml", "there is no case in it"],
    ["keys instead of a list", "keys.yaml", "cases are a list"],
  ])("passes nothing that was not judged: %s", async ([, file = "", words = ""], { machine }) => {
    machine.write("project/empty.yaml", "# soon\n");
    machine.write("project/keys.yaml", "command: ls\n");
    const { code, stderr } = await machine.cli(["test", file]);
    expect(code).toBe(3);
    expect(stderr).toContain(words);
  });

  it("a case in a directory that is not there, or of no host, does not hold", async ({ machine }) => {
    machine.write(
      "project/cases.yaml",
      "- { command: ls, cwd: gone, expect: { decision: none } }\n- { command: ls, host: kirro, expect: { decision: none } }\n",
    );
    const { code, stdout } = await machine.cli(["test", "cases.yaml"]);
    expect(code).toBe(1);
    expect(stdout).toContain("gone is no directory");
    expect(stdout).toContain("did you mean kiro?");
  });
});

describe("replay", () => {
  it("says that there was nothing to judge", async ({ machine }) => {
    const { code, stderr } = await machine.cli(["replay", "--session", "yesterday's"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "no decision is recorded here of session yesterday's\n" });
  });

  it("judges what was recorded again, and shows what other rules would change", async ({ machine }) => {
    for (const command of ["ls", "make deploy", "rm -rf /"])
      await machine.hook("claude-code", payload(machine, command));
    expect((await machine.cli(["replay"])).stdout).toContain("3 judged again, 0 would change");
    machine.write(
      "stricter/holdfast.yaml",
      `hooks:\n  pre_tool_use:\n    - matcher: "^shell$"\n      hooks: [{ type: command, command: "case \\"$(cat)\\" in *deploy*) echo no >&2; exit 2;; esac" }]\n`,
    );
    const { code, stdout } = await machine.cli(["replay", "--config", `${machine.dir}/stricter`, "--json"]);
    expect(code).toBe(1);
    const { judged, changes } = JSON.parse(stdout);
    expect(judged).toBe(3);
    expect(changes).toEqual([expect.objectContaining({ was: "none", now: "block", what: "Bash make deploy" })]);
  });
});
