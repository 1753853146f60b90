import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { verifyJournal } from "../../src/records/verify.ts";
import { claude, claudeShell, kiro, kiroShell } from "../payloads.ts";
import { inPool, it, type Machine } from "../program.ts";
import { blocks, userHooks } from "../rules.ts";

const tracking = "project/.holdfast/tracking";
const written = (machine: Machine) => kiro(machine, "postToolUse.write");
const ran = (machine: Machine, command: string, tool_response: unknown = { success: true, result: ["ok"] }) =>
  kiro(machine, "postToolUse.shell", { tool_input: { command }, tool_response });
const silence = { code: 0, stdout: "", stderr: "" };

describe.concurrent("the ledger", () => {
  it("K-27 every post event with a tool and a directory is exactly one line", async ({ machine }) => {
    const kiroSide = await machine.hook("kiro", ran(machine, "npm test", { success: true, result: ["ok 1\nok 2\n"] }));
    expect(kiroSide).toMatchObject(silence);
    expect(await machine.hook("claude-code", claude(machine, "PostToolUse"))).toMatchObject(silence);
    expect(await machine.hook("claude-code", claude(machine, "PreToolUse"))).toMatchObject(silence);
    expect(await machine.hook("kiro", kiro(machine, "postToolUse.shell", { tool_name: undefined }))).toMatchObject(
      silence,
    );
    const [first, second, ...more] = machine.records("ledger");
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      host: "kiro",
      tool_name: "shell",
      tool_kind: "shell",
      cwd: machine.projectDir,
      input_summary: "npm test",
      success: true,
      output_summary: "ok 1\nok 2",
      seq: 1,
    });
    expect(second).toMatchObject({
      host: "claude-code",
      tool_name: "Bash",
      output_summary: "hi",
      duration_ms: 59,
      seq: 2,
    });
    expect(await verifyJournal(machine.journal("ledger"))).toMatchObject({ ok: true, lines: 2 });
  });

  it("K-28 to K-30 success, input and output are summed up by the rules", async ({ machine }) => {
    const long = "ü".repeat(100);
    await inPool(
      [
        ran(machine, "a", { success: false, result: [] }),
        ran(machine, "b", { result: [] }),
        ran(machine, "c", { success: "no" }),
        ran(machine, `d ${long}`, { success: true, result: [`1\n2\n3\n4\n${"x".repeat(300)}`] }),
        ran(machine, "e", { success: true, result: ["1\n2\n3\n4\n"] }),
        kiro(machine, "postToolUse.read"),
        written(machine),
        kiro(machine, "postToolUse.shell", { tool_name: "todo_list", tool_input: { items: [long] } }),
      ],
      2,
      (payload) => machine.hook("kiro", payload),
    );
    const entries = new Map(machine.records("ledger").map((entry) => [String(entry.input_summary).slice(0, 2), entry]));
    expect([..."abc"].map((name) => entries.get(name)?.success)).toEqual([false, true, true]);
    // 120 bytes: a letter that would be cut in half is left out.
    expect(entries.get("d ")?.input_summary).toBe(`d ${"ü".repeat(59)}...`);
    expect(entries.get("d ")?.output_summary).toBe(`3\n4\n${"x".repeat(196)}...`);
    expect(entries.get("e")?.output_summary).toBe("2\n3\n4");
    const bySummary = machine
      .records("ledger")
      .map(({ input_summary, output_summary }) => [input_summary, output_summary]);
    expect(bySummary).toContainEqual([`${machine.projectDir}/docs/hooks.md`, undefined]);
    expect(bySummary).toContainEqual([`${machine.projectDir}/a.txt`, undefined]);
    expect(entries.get('{"')?.input_summary).toBe(`{"items":["${"ü".repeat(54)}...`);
  });

  it("K-31 and K-32 what a write tool changed is listed, in every spelling of the path, and nothing else is", async ({
    machine,
  }) => {
    const call = (tool_input: object, changes: object = {}) =>
      kiro(machine, "postToolUse.write", { tool_input, ...changes });
    const payloads: [host: string, payload: object][] = [
      ["kiro", call({ command: "create", path: "one.txt" })],
      ["kiro", call({ command: "create", filePath: "two.txt" })],
      ["kiro", call({ command: "create", file_path: "three.txt" })],
      ["claude-code", claude(machine, "PostToolUse.Write")],
      ["claude-code", claude(machine, "PostToolUse.Edit", { tool_input: { file_path: "odd\nname" } })],
      ["kiro", kiro(machine, "postToolUse.read")],
      ["kiro", ran(machine, "touch x")],
    ];
    for (const [host, payload] of payloads) expect(await machine.hook(host, payload)).toMatchObject(silence);
    expect(machine.read(`${tracking}/modified-files.log`)).toBe(
      `one.txt\ntwo.txt\nthree.txt\n${machine.projectDir}/new.txt\nodd\\nname\n`,
    );
  });

  it("K-32 without a directory nothing is recorded, and nothing fails", async ({ machine }) => {
    const { cwd: _, ...payload } = written(machine);
    expect(await machine.hook("kiro", payload)).toMatchObject(silence);
    expect(machine.records("ledger")).toEqual([]);
    expect(existsSync(join(machine.dir, tracking, "modified-files.log"))).toBe(false);
  });

  it("holds no secret, not even half of one", async ({ machine }) => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const shell = (command: string) => claudeShell(machine, command);
    await machine.hook("claude-code", shell(`curl -H "authorization: bearer ${token}" x`));
    await machine.hook("claude-code", shell(`${"x".repeat(3_980)} ${token}`));
    expect(machine.read(`${tracking}/audit.jsonl`)).not.toContain(token.slice(0, 12));
    expect(machine.records("audit")).toHaveLength(2);
  });

  it("knows a blocked call by its code, also where the call holds a secret or is long", async ({ machine }) => {
    await userHooks(machine, [{ event: "pre_tool_use", script: blocks("no") }]);
    const commands = [`curl -H "authorization: bearer ghp_${"a1B2".repeat(9)}" x`, "x".repeat(9_000)];
    for (const command of commands) {
      const { stderr } = await machine.hook("kiro", kiroShell(machine, command));
      const [, code = "none"] = /holdfast allow-once (\w+)/.exec(stderr) ?? [];
      expect((await machine.cli(["allow-once", code, "--dry-run"])).stdout).toContain(`in ${machine.projectDir}`);
    }
    expect(await machine.cli(["allow-once", "00000000", "--dry-run"])).toMatchObject({ code: 3 });
  });
});

describe.concurrent("records that cannot be written", () => {
  it("K-33 wait in the spool and arrive later, in order; the person is told and the decision is right", async ({
    machine,
  }) => {
    machine.write("project/.holdfast", "a file where the directory should be");
    machine.write("project/holdfast.yaml", 'guards: { protected-paths: { write: ["secret"] } }\n');
    const first = await machine.hook("kiro", ran(machine, "one"));
    expect(first).toMatchObject({ code: 0, stdout: "" });
    expect(first.stderr).toMatch(
      /^holdfast: the audit could not be written \(ENOTDIR.*the record waits in .* and is added later\n/,
    );
    expect(first.stderr).toContain("holdfast: the ledger could not be written (ENOTDIR");
    const blocked = await machine.hook("kiro", kiro(machine, "preToolUse.write", { tool_input: { path: "secret" } }));
    expect(blocked).toMatchObject({ code: 2, stdout: "" });
    expect(blocked.stderr).toMatch(
      /^Blocked by holdfast: secret is protected[\s\S]*\.\nholdfast: the audit could not be written/,
    );
    await machine.hook("kiro", ran(machine, "two"));

    execFileSync("rm", [join(machine.projectDir, ".holdfast")]);
    expect(await machine.hook("kiro", ran(machine, "three"))).toMatchObject(silence);
    expect(machine.records("ledger").map(({ input_summary }) => input_summary)).toEqual(["one", "two", "three"]);
    expect(machine.records("audit").map(({ decision }) => decision)).toEqual(["none", "block", "none", "none"]);
    for (const name of ["ledger", "audit"] as const)
      expect(await verifyJournal(machine.journal(name))).toMatchObject({ ok: true });
  });

  it("a state directory that cannot be used costs time and no record", async ({ machine }) => {
    const env = { HOLDFAST_STATE_DIR: join(machine.write("file", ""), "state") };
    const results = await inPool(["startup", "clear"], 2, (source) =>
      machine.hook("claude-code", claude(machine, "SessionStart", { source }), { env }),
    );
    for (const { code, stdout, stderr } of results) {
      expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
      expect(stderr).toContain("holdfast: the compiled plan could not be stored, so every call takes longer: ENOTDIR");
    }
    expect(await machine.hook("kiro", ran(machine, "one"), { env })).toMatchObject({ code: 0, stdout: "" });
    expect(machine.records("ledger")).toHaveLength(1);
    expect(machine.records("audit")).toHaveLength(3);
    expect(await machine.cli(["log", "verify"], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("ENOTDIR"),
    });
  });

  it("with no place left at all they are lost, and that is said", async ({ machine }) => {
    machine.write("project/.holdfast", "");
    const env = { HOLDFAST_STATE_DIR: join(machine.write("file", ""), "state") };
    const { code, stdout, stderr } = await machine.hook("kiro", ran(machine, "one"), { env });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain("holdfast: HF602 a record for the ledger is lost: ENOTDIR");
  });

  it("a lock that somebody holds does not hold up the answer", async ({ machine }) => {
    await machine.hook("kiro", kiroShell(machine, "ls"));
    const lock = join(machine.dir, tracking, "audit.jsonl.lock");
    writeFileSync(lock, `${process.pid} ${hostname()}/${readlinkSync("/proc/self/ns/pid")} 1`);
    // Nobody ever lets go of the lock.
    const { code, stderr } = await machine.hook("kiro", kiroShell(machine, "pwd"));
    expect({ code, waits: stderr.includes("waits in") }).toEqual({ code: 0, waits: true });
    execFileSync("rm", [lock]);
    await machine.hook("kiro", kiroShell(machine, "id"));
    const commands = machine.records("audit").map(({ input }) => input.tool.command);
    expect(commands).toEqual(["ls", "pwd", "id"]);
  });

  it("a link or a pipe in the place of the list is not followed", async ({ machine }) => {
    await machine.hook("kiro", written(machine));
    const list = join(machine.dir, tracking, "modified-files.log");
    const victim = machine.write("victim", "mine\n");
    execFileSync("rm", [list]);
    symlinkSync(victim, list);
    const linked = await machine.hook("kiro", written(machine));
    expect(linked).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("modified-files.log could not be written"),
    });
    expect(readFileSync(victim, "utf8")).toBe("mine\n");
    execFileSync("sh", ["-c", 'rm "$1" && mkfifo "$1"', "sh", list]);
    expect((await machine.hook("kiro", written(machine))).code).toBe(0);
    expect(lstatSync(list).isFIFO()).toBe(true);
  });

  it("a record that was cut is told of, in the next notice too", async ({ machine }) => {
    for (const command of ["one", "two"]) await machine.hook("kiro", kiroShell(machine, command));
    const file = machine.journal("audit").file;
    writeFileSync(file, `${readFileSync(file, "utf8").split("\n")[0]}\n`);
    const { code, stderr } = await machine.hook("kiro", kiroShell(machine, "three"));
    expect({ code, told: stderr.includes("lines were removed or rewritten") }).toEqual({ code: 0, told: true });
    expect(machine.records("notices")).toMatchObject([{ code: "record", is_error: true }]);
    expect(await machine.hook("kiro", kiroShell(machine, "four"))).toMatchObject(silence);
    expect(await verifyJournal(machine.journal("audit"))).toMatchObject({
      ok: false,
      problem: { kind: "missing", seq: 2 },
    });
  });
});

describe.concurrent("a clock that jumps", () => {
  const YEAR_MS = 365 * 24 * 3600 * 1000;

  it("leaves the chain whole and the order to the sequence number", async ({ machine }) => {
    const clock = join(import.meta.dirname, "shifted-clock.cjs");
    const at = (years: number) => ({
      NODE_OPTIONS: `--require ${JSON.stringify(clock)}`,
      SHIFT_MS: String(years * YEAR_MS),
    });
    const shifts = [0, 30, -50, 5];
    for (const years of shifts)
      expect(await machine.hook("kiro", ran(machine, `in year ${years}`), { env: at(years) })).toMatchObject(silence);
    const together = [20, -20, 40, -40];
    await Promise.all(together.map((years) => machine.hook("kiro", ran(machine, `year ${years}`), { env: at(years) })));

    const entries = machine.records("ledger");
    expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(entries.slice(0, 4).map(({ input_summary }) => input_summary)).toEqual(
      shifts.map((years) => `in year ${years}`),
    );
    const years = entries.slice(0, 4).map(({ timestamp }) => new Date(timestamp).getUTCFullYear());
    expect(years.map((year) => Math.round(year - (years[0] ?? 0)))).toEqual(
      [0, 30, -50, 5].map((shift) => expect.closeTo(shift, -1)),
    );
    for (const name of ["ledger", "audit"] as const)
      expect(await verifyJournal(machine.journal(name))).toMatchObject({ ok: true, lines: 8 });
    const { stdout } = await machine.cli(["log", "--json", "--last", "4"]);
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).seq),
    ).toEqual([5, 6, 7, 8]);
  });
});
