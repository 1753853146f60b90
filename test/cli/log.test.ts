import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { appendRecords } from "../../src/records/journal.ts";
import { it, type Machine, program } from "../program.ts";

const call = (index: number, changes: object = {}) => ({
  timestamp: `2026-01-0${index}T10:00:00.000Z`,
  host: "claude-code",
  session: "one",
  agent: null,
  tool_name: "Bash",
  tool_kind: "shell",
  cwd: "/project",
  input_summary: `call ${index}`,
  success: true,
  ...changes,
});
const CALLS = [
  call(1),
  call(2, { success: false, session: "two" }),
  call(3, { tool_name: "Write", tool_kind: "write" }),
  call(4, { host: "kiro", duration_ms: 12 }),
];
const decision = (index: number, kind: string, changes: object = {}) => ({
  timestamp: `2026-01-0${index}T10:00:00.000Z`,
  host: "kiro",
  session: "one",
  event: "pre_tool_use",
  tool: "shell",
  tool_kind: "shell",
  decision: kind,
  reasons: kind === "none" ? [] : [{ hook: "mine", rule: "mine/rule", text: "no\nway" }],
  ...changes,
});

function record(machine: Machine): void {
  appendRecords(machine.journal("ledger"), CALLS);
  appendRecords(machine.journal("audit"), [
    decision(1, "none"),
    decision(2, "block"),
    decision(3, "none", { event: "stop", tool: undefined, tool_kind: undefined }),
  ]);
}

const shown = async (machine: Machine, ...args: string[]) => {
  const { code, stdout, stderr } = await machine.cli(["log", "--json", ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
};

describe.concurrent("log", () => {
  it("--decision finds what was decided so and what was delivered so, and a line says both", async ({ machine }) => {
    appendRecords(machine.journal("audit"), [
      decision(1, "ask"),
      decision(2, "ask", { delivered: "block" }),
      decision(3, "block", { event: "post_tool_use", delivered: "none" }),
      decision(4, "none", { delivered: "block" }),
    ]);
    const found = async (kind: string) => (await shown(machine, "--decision", kind)).map(({ seq }) => seq);
    expect(await found("block")).toEqual([2, 3, 4]);
    expect(await found("ask")).toEqual([1, 2]);
    expect(await found("none")).toEqual([3, 4]);
    const { stdout } = await machine.cli(["log", "--decision", "ask"]);
    expect(stdout.split("\n").map((line) => line.slice(21))).toEqual([
      "ask       pre_tool_use shell  no way  mine/rule",
      "ask (delivered as block)  pre_tool_use shell  no way  mine/rule",
      "",
    ]);
  });

  it("says what a rule in observe mode would have done, by its guard and by itself", async ({ machine }) => {
    const payload = (command: string) => ({
      hook_event_name: "PreToolUse",
      session_id: "s",
      cwd: machine.projectDir,
      tool_name: "Bash",
      tool_input: { command },
    });
    machine.write("config/holdfast.yaml", "version: 1\nguards: { destructive-command: { mode: observe } }\n");
    await machine.hook("claude-code", payload("git push --force origin main"));
    machine.write(
      "config/holdfast.yaml",
      "version: 1\nguards: { destructive-command: { rules: { git/force-push-protected: observe } } }\n",
    );
    await machine.hook("claude-code", payload("git push --force origin main"));
    await machine.hook("claude-code", payload("ls"));
    const { code, stdout } = await machine.cli(["log", "--observed"]);
    expect(code).toBe(0);
    expect(
      stdout.match(/none \(observed: would \w+, git\/force-push-protected\) {2}pre_tool_use Bash {2}\S/g),
    ).toHaveLength(2);
    expect(stdout.trimEnd().split("\n")).toHaveLength(2);
    const explained = await machine.cli(["explain", "--command", "git push --force origin main"]);
    expect(explained.stdout).toMatch(
      /^decision {2}none \(observed: would object, git\/force-push-protected\)\nobserved {2}\S/m,
    );
  });

  it("shows tool calls for a person, oldest first", async ({ machine }) => {
    record(machine);
    expect(await machine.cli(["log"])).toMatchObject({
      code: 0,
      stderr: "",
      stdout: [
        "2026-01-01 10:00:00  ok      Bash     call 1",
        "2026-01-02 10:00:00  failed  Bash     call 2",
        "2026-01-03 10:00:00  ok      Write    call 3",
        "2026-01-04 10:00:00  ok      Bash     call 4  12 ms",
        "",
      ].join("\n"),
    });
    expect((await machine.cli(["log", "--audit", "--last", "2"])).stdout).toBe(
      "2026-01-02 10:00:00  block     pre_tool_use shell  no way  mine/rule\n2026-01-03 10:00:00  none      stop\n",
    );
  });

  it.for<[string[], number[]]>([
    [
      ["--last", "2"],
      [3, 4],
    ],
    [
      ["--last", "0"],
      [1, 2, 3, 4],
    ],
    [["--failed"], [2]],
    [["--tool", "Write"], [3]],
    [
      ["--tool", "shell"],
      [1, 2, 4],
    ],
    [["--session", "two"], [2]],
    [["--host", "kiro"], [4]],
    [
      ["--since", "2026-01-03T10:00:00Z"],
      [3, 4],
    ],
    [["--tool", "shell", "--last", "1"], [4]],
    [["--session", "nobody's"], []],
  ])("%j filters tool calls", async ([args, seqs], { machine }) => {
    record(machine);
    expect((await shown(machine, ...args)).map(({ seq }) => seq)).toEqual(seqs);
  });

  it.for<[string[], number[]]>([
    [["--decision", "block"], [2]],
    [
      ["--audit", "--tool", "shell"],
      [1, 2],
    ],
    [["--event", "stop"], [3]],
    [
      ["--event", "PreToolUse"],
      [1, 2],
    ],
    [
      ["--audit", "--since", "2026-01-02"],
      [2, 3],
    ],
  ])("%j filters decisions", async ([args, seqs], { machine }) => {
    record(machine);
    expect((await shown(machine, ...args)).map(({ seq }) => seq)).toEqual(seqs);
  });

  it.for([
    [["--since", "yesterday"], '"yesterday" is not a time'],
    [["--decision", "blok"], "did you mean block?"],
    [["--event", "PreTolUse"], "did you mean pre_tool_use?"],
    [["--host", "kira"], "did you mean kiro?"],
    [["--audit", "--failed"], "--failed is about tool calls"],
  ] as const)("%j is bad input even where nothing was recorded", async ([args, message], { machine }) => {
    const { code, stderr } = await machine.cli(["log", ...args]);
    expect({ code, said: stderr.includes(message) }).toEqual({ code: 3, said: true });
  });

  it("says when there is nothing to show, and why", async ({ machine }) => {
    expect(await machine.cli(["log"])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: `no ledger records yet in ${machine.projectDir}\n`,
    });
    record(machine);
    expect((await machine.cli(["log", "--session", "x"])).stderr).toBe(
      `no ledger records pass the filter in ${machine.projectDir}\n`,
    );
    expect((await machine.cli(["log", "--json", "--session", "x"])).stderr).toBe("");
  });

  it("works from a subdirectory", async ({ machine }) => {
    record(machine);
    const cwd = machine.write("project/src/x", "").replace(/\/x$/, "");
    expect((await machine.cli(["log"], { cwd })).stdout).toContain("call 4");
  });

  it("skips lines that are no records, and shows the rest (K-34)", async ({ machine }) => {
    record(machine);
    const { file } = machine.journal("ledger");
    writeFileSync(file, `not JSON\n${readFileSync(file, "utf8")}[1]\n`);
    expect(await shown(machine)).toHaveLength(4);
  });
});

describe.concurrent("log --follow", () => {
  it("shows what is there, then each new record once, until it is interrupted", async ({ machine }) => {
    record(machine);
    const { child, ended, printed } = machine.start(["log", "--follow", "--json", "--last", "1"]);
    await printed("call 4");
    appendRecords(machine.journal("ledger"), [call(5), call(6)]);
    await printed("call 6");
    child.kill("SIGINT");
    const { code, stdout, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).seq),
    ).toEqual([4, 5, 6]);
  });

  it("begins where there is no record yet, and filters", async ({ machine }) => {
    const { child, ended, printed } = machine.start(["notices", "--follow", "--errors"]);
    await new Promise((resolve) => child.stderr.once("data", resolve));
    const notice = (message: string, is_error: boolean) => ({
      timestamp: "2026-01-01T10:00:00Z",
      event_name: "load",
      message,
      is_error,
    });
    appendRecords(machine.journal("notices"), [notice("mild", false), notice("wild", true)]);
    await printed("wild");
    child.kill("SIGINT");
    const { code, stdout } = await ended;
    expect({ code, stdout }).toEqual({ code: 130, stdout: "2026-01-01 10:00:00  error   load  wild\n" });
  });
});

describe.concurrent("log verify", () => {
  const damage = (machine: Machine, change: (lines: string[]) => string[]) => {
    const { file } = machine.journal("ledger");
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    writeFileSync(file, `${change(lines).join("\n")}\n`);
  };

  it("says that all is intact", async ({ machine }) => {
    record(machine);
    expect(await machine.cli(["log", "verify"])).toMatchObject({
      code: 0,
      stdout: "intact   ledger: 4 lines\nintact   audit: 3 lines\nintact   notices: 0 lines\n",
      stderr: "",
    });
  });

  it.for<[string, (lines: string[]) => string[], string]>([
    [
      "an edited line",
      (lines) => lines.map((line) => line.replace("call 2", "call X")),
      "Line 2 of ledger.jsonl was changed after it was written.",
    ],
    [
      "a deleted line",
      (lines) => lines.toSpliced(1, 1),
      "Line 2 of ledger.jsonl holds record 3, but record 2 should come before it.",
    ],
    [
      "two lines in the wrong order",
      ([a = "", b = "", c = "", d = ""]) => [a, c, b, d],
      "Line 2 of ledger.jsonl is out of order: the record that belongs there, 2, is in line 3 of ledger.jsonl.",
    ],
    [
      "an end cut off",
      (lines) => lines.slice(0, 2),
      "ledger.jsonl ends after line 2, but records 3 to 4 had been written after it: the end was cut off.",
    ],
    [
      "half a line",
      (lines) => [...lines.slice(0, 3), lines[3]?.slice(0, 40) ?? ""],
      "Line 4 of ledger.jsonl is only part of a line: it was damaged, or a crash cut it short.",
    ],
    [
      "a forged line",
      (lines) => [...lines, '{"tool_name":"Bash","success":true}'],
      "Line 5 of ledger.jsonl has no seal: something else wrote it, or its seal was removed.",
    ],
  ])("names %s, and ends with 1", async ([, change, sentence], { machine }) => {
    record(machine);
    damage(machine, change);
    const { code, stdout, stderr } = await machine.cli(["log", "verify"]);
    expect(code).toBe(1);
    expect(stdout).toBe(`changed  ledger: ${sentence}\nintact   audit: 3 lines\nintact   notices: 0 lines\n`);
    expect(stderr).toBe("error HF601  the record was changed; restore it from a backup if you have one\n");
    const report = JSON.parse((await machine.cli(["log", "verify", "--json"])).stdout);
    expect(report).toMatchObject({
      ok: false,
      journals: [{ journal: "ledger", ok: false, problem: { sentence } }, { ok: true }, { ok: true }],
    });
  });

  it("says so when nobody remembers where the record ended", async ({ machine }) => {
    record(machine);
    const { code, stdout } = await machine.cli(["log", "verify"], {
      env: { HOLDFAST_STATE_DIR: `${machine.dir}/other` },
    });
    expect(code).toBe(0);
    expect(stdout).toContain("intact   ledger: 4 lines, but the state directory does not remember the last one");
    expect(stdout).toContain("intact   notices: 0 lines\n");
  });
});

describe.concurrent("notices", () => {
  it("shows what a person should know, filtered", async ({ machine }) => {
    const notice = (message: string, changes: object = {}) => ({
      timestamp: "2026-01-01T10:00:00Z",
      session: "one",
      event_name: "pre_tool_use",
      message,
      is_error: false,
      ...changes,
    });
    appendRecords(machine.journal("notices"), [
      notice("first\nline"),
      notice("bad", { is_error: true, session: "two" }),
    ]);
    expect((await machine.cli(["notices"])).stdout).toBe(
      "2026-01-01 10:00:00  notice  pre_tool_use  first line\n2026-01-01 10:00:00  error   pre_tool_use  bad\n",
    );
    const only = async (...args: string[]) =>
      (await machine.cli(["notices", ...args])).stdout.trim().split("\n").length;
    expect(await Promise.all([only("--errors"), only("--session", "one"), only("--last", "1")])).toEqual([1, 1, 1]);
    expect(JSON.parse((await machine.cli(["notices", "--errors", "--json"])).stdout)).toMatchObject({
      message: "bad",
      seq: 2,
    });
  });
});

describe.concurrent("schema", () => {
  it("lists what is published and prints each", async ({ machine }) => {
    const { code, stdout } = await machine.cli(["schema"]);
    const names = stdout.trim().split("\n");
    expect({ code, many: names.length >= 25 }).toEqual({ code: 0, many: true });
    expect(JSON.parse((await machine.cli(["schema", "--json"])).stdout)).toEqual(names);
    for (const name of names) {
      const printed = await machine.cli(["schema", name]);
      expect(JSON.parse(printed.stdout)).toMatchObject({ type: expect.stringMatching(/^(object|array)$/) });
    }
  });
});

describe.concurrent("a reader that goes away", () => {
  it("`log | head -1` is no error", async ({ machine }) => {
    appendRecords(
      machine.journal("ledger"),
      Array.from({ length: 3_000 }, () => call(1)),
    );
    const script = '{ "$1" log --json --last 0; echo "exit $?" >&2; } | head -1';
    const { code, stdout, stderr } = await machine.run(["-c", script, "sh", program], { command: "/bin/sh" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "exit 0\n" });
    expect(stdout.trim().split("\n")).toHaveLength(1);
  });

  it("neither on stderr", async ({ machine }) => {
    const script = '"$1" chekc 2>&1 >/dev/null | true; echo done';
    expect(execFileSync("sh", ["-c", script, "sh", program], { env: machine.env, encoding: "utf8" })).toBe("done\n");
  });
});
