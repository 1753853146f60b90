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
  });
});

describe("replay", () => {
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
