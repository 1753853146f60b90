import { describe, expect } from "vitest";
import { claude, claudeShell, kiroShell } from "../payloads.ts";
import { it, type Machine } from "../program.ts";
import { answers, blocks, tells, userHooks } from "../rules.ts";

const REWRITE = answers({
  hook_specific_output: {
    hook_event_name: "pre_tool_use",
    updated_input: { command: "ls -l" },
    additional_context: "noted",
  },
});

describe.concurrent("explain", () => {
  it("KB-7 shows which hooks matched, in what order, what each said and how long it took", async ({ machine }) => {
    await userHooks(machine, [
      { event: "pre_tool_use", matcher: "^shell$", script: REWRITE, id: "rewriter" },
      { event: "pre_tool_use", matcher: "^write$", script: blocks("no"), id: "writer" },
    ]);
    const { code, stdout, stderr } = await machine.run(["explain", "--command", "ls"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^pre_tool_use {2}Bash \(shell\) {2}ls\ndecision {2}none \(nothing objects\)\nrewritten \{"command":"ls -l"\}\ncontext {3}noted {3}rewriter\n/,
    );
    const rows = stdout.split("\n").slice(5).filter(Boolean);
    const rowOf = (name: string) => rows.find((row) => row.split(/ +/)[1] === name);
    expect(rows[0]).toMatch(/^# {2}hook +layer +said +took +from$/);
    expect(rowOf("protected-paths")).toMatch(
      /^\d+ {2}protected-paths +builtin +nothing, asked again on the final input +\d+\.\d ms +builtin$/,
    );
    expect(rowOf("rewriter")).toMatch(
      /^\d+ {2}rewriter +user +nothing, rewrote, context +\d+\.\d ms +\/.*config\/holdfast\.json:\d+$/,
    );
    expect(rowOf("writer")).toMatch(
      /^\d+ {2}writer +user +not asked: matcher \^write\$ does not match +\/.*holdfast\.json:\d+$/,
    );
  });

  it("ends with 2 on a block, and --json tells all of it", async ({ machine }) => {
    await userHooks(machine, [{ event: "pre_tool_use", matcher: "^shell$", script: blocks("no"), id: "mine" }]);
    const { code, stdout } = await machine.cli(["explain", "--command", "deploy", "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      decision: "block",
      rules: ["mine"],
      reason: "no",
      host: "claude-code",
      cwd: machine.projectDir,
      tool: { name: "Bash", kind: "shell", command: "deploy" },
      event: "pre_tool_use",
      kind: "block",
      reasons: [{ hook: "mine", text: "no" }],
      context: [],
    });
    const { trace } = JSON.parse(stdout);
    expect(trace).toContainEqual(
      expect.objectContaining({ hook: "protected-paths", layer: "builtin", opinion: { kind: "none" } }),
    );
    expect(trace.at(-1)).toMatchObject({
      hook: "mine",
      layer: "user",
      opinion: { kind: "block", reason: "no" },
      ms: expect.any(Number),
    });
  });

  it("what a host can only be told as a block is one: it says so, with the host's reason, and ends with 2", async ({
    machine,
  }) => {
    const asked = await machine.cli(["explain", "--command", "npm publish"]);
    expect(asked).toMatchObject({ code: 0, stdout: expect.stringMatching(/^decision {2}ask$/m) });
    const blocked = await machine.cli(["explain", "--host", "codex", "--command", "npm publish"]);
    expect(blocked.code).toBe(2);
    expect(blocked.stdout).toMatch(/^decision {2}ask \(delivered as block\)$/m);
    expect(blocked.stdout).toMatch(/^host {6}This needs a person's yes, and Codex /m);
    const told = await machine.cli(["explain", "--host", "codex", "--command", "npm publish", "--json"]);
    expect(JSON.parse(told.stdout)).toMatchObject({ decision: "ask", delivered: "block", rules: ["publish/release"] });
  });

  it("a rewrite that a host cannot make is a block there, with what to run instead", async ({ machine }) => {
    await userHooks(machine, [{ event: "pre_tool_use", matcher: "^shell$", script: REWRITE, id: "rewriter" }]);
    const { code, stdout } = await machine.cli(["explain", "--host", "kiro", "--command", "ls"]);
    expect(code).toBe(2);
    expect(stdout).toMatch(/^decision {2}none \(delivered as block\)$/m);
    expect(stdout).toMatch(/^host {6}Run exactly this instead:\n {10}ls -l$/m);
  });

  it("takes a payload on stdin, of any host, without waiting for its end", async ({ machine }) => {
    await userHooks(machine, [{ event: "pre_tool_use", matcher: "^shell$", script: blocks("no") }]);
    const { child, ended } = machine.start(["explain", "--host", "kiro", "--json"]);
    child.stdin.write(JSON.stringify(kiroShell(machine, "ls")));
    const { code, stdout } = await ended;
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ decision: "block", host: "kiro" });
  });

  it("of a payload that is several events shows each", async ({ machine }) => {
    await userHooks(machine, [{ event: "pre_delegation", script: blocks("do it yourself"), id: "alone" }]);
    machine.write("project/event.json", JSON.stringify(claude(machine, "PreToolUse.Agent")));
    const { code, stdout } = await machine.cli(["hooks", "run", "--event", "event.json", "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      decision: "block",
      reason: "do it yourself",
      events: [
        { event: "pre_tool_use", decision: "none" },
        { event: "pre_delegation", decision: "block" },
      ],
    });
  });

  it("judges where --cwd says, and records nothing anywhere", async ({ machine }) => {
    machine.write("project/sub/holdfast.yaml", 'guards: { protected-paths: { read: ["*.own"] } }\n');
    machine.write(
      "project/event.json",
      JSON.stringify(
        claude(machine, "PreToolUse.Read", { cwd: `${machine.projectDir}/sub`, tool_input: { file_path: "a.own" } }),
      ),
    );
    expect((await machine.cli(["explain", "--cwd", "sub", "--command", "ls"])).code).toBe(0);
    expect((await machine.cli(["hooks", "run", "--event", "event.json"])).code).toBe(2);
    await userHooks(machine, [{ event: "post_tool_use", script: tells("post_tool_use", "x") }]);
    machine.write("project/event.json", JSON.stringify(claude(machine, "PostToolUse.Write")));
    const { stdout } = await machine.cli(["hooks", "run", "--event", "event.json"]);
    expect(stdout).toContain("effects: ledger, modified-file");
    for (const name of ["ledger", "audit", "notices"] as const) expect(machine.records(name)).toEqual([]);
  });

  it.for([
    ["garbage", "garbage", "stdin does not begin with a JSON object"],
    ["nothing", "", "stdin was empty"],
    ["another host's", '{"hook_event_name":"PreToolUse"}', "not a payload of Claude Code"],
  ] as const)("%s on stdin is bad input", async ([, stdin, message], { machine }) => {
    const { code, stdout, stderr } = await machine.run(["explain"], { stdin });
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain(message);
  });
});

describe.concurrent("explain --jsonl", () => {
  const lines = (text: string) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  const ask = (machine: Machine, questions: readonly unknown[]) =>
    machine.run(["explain", "--jsonl"], {
      stdin: questions.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"),
    });

  it("answers commands, payloads and bad lines one for one, in order", async ({ machine }) => {
    machine.write("project/sub/holdfast.yaml", 'guards: { protected-paths: { read: ["*.own"] } }\n');
    const read = { hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { file_path: "a.own" } };
    const { code, stdout, stderr } = await ask(machine, [
      { command: "ls" },
      { command: "holdfast trust" },
      claudeShell(machine, "bin/holdfast uninstall"),
      "not JSON",
      "[1]",
      { neither: 1 },
      { hook_event_name: "PreToolUse" },
      "",
      { ...read, cwd: machine.projectDir },
      { ...read, cwd: `${machine.projectDir}/sub` },
      { ...read, cwd: "sub" },
      { hook_event_name: "PreDream" },
      { command: "ls ü", cwd: "sub" },
    ]);
    expect({ code, stderr }).toEqual({ code: 3, stderr: "" });
    const none = { decision: "none", rules: [], reason: "" };
    const bad = (reason: string) => ({ decision: "block", rules: ["HF301"], reason: expect.stringContaining(reason) });
    expect(lines(stdout)).toEqual([
      none,
      {
        decision: "block",
        rules: ["person-only"],
        reason: expect.stringContaining("only a person may run `holdfast trust`"),
      },
      { decision: "block", rules: ["person-only"], reason: expect.stringContaining("`holdfast uninstall`") },
      bad("this line is not a JSON object: not JSON"),
      bad("this line is not a JSON object: [1]"),
      bad("neither a command nor a hook_event_name"),
      bad("not a payload of Claude Code"),
      none,
      { decision: "block", rules: ["protected-paths/read"], reason: expect.stringContaining('protected by "*.own"') },
      { decision: "block", rules: ["protected-paths/read"], reason: expect.stringContaining('protected by "*.own"') },
      none,
      none,
    ]);
  });

  it("says what the host is told, where that is not what was decided", async ({ machine }) => {
    const stdin = `${JSON.stringify({ command: "npm publish" })}\n`;
    const { stdout } = await machine.run(["explain", "--jsonl", "--host", "codex"], { stdin });
    expect(lines(stdout)).toMatchObject([{ decision: "ask", delivered: "block" }]);
  });

  it("answers each line as it comes: a program may ask, wait and ask again", async ({ machine }) => {
    const { child, ended, printed } = machine.start(["explain", "--jsonl"]);
    child.stdin.write('{"command":"ls"}\n{"comm');
    await printed('"decision":"none"');
    child.stdin.write('and":"holdfast trust"}\n');
    await printed("person-only");
    child.stdin.end('{"command":"holdfast pause"}');
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(lines(stdout).map(({ decision }) => decision)).toEqual(["none", "block", "block"]);
  });

  it("answers thousands per second, far more than one process per command could", async ({ machine }) => {
    const COUNT = 5_000;
    const SAMPLE = 4;
    const commands = Array.from(
      { length: COUNT },
      (_, index) => `git commit -m "${index}" && npm test -- --run ${index}`,
    );
    await machine.cli(["check"]);
    const together = await ask(
      machine,
      commands.map((command) => ({ command })),
    );
    expect(lines(together.stdout)).toHaveLength(COUNT);
    const perSecond = Math.round((COUNT / together.ms) * 1000);
    let aloneMs = 0;
    for (const command of commands.slice(0, SAMPLE))
      aloneMs += (await machine.run(["explain", "--command", command])).ms;
    const alonePerSecond = (SAMPLE / aloneMs) * 1000;
    console.log(
      `explain --jsonl: ${perSecond} commands per second, start included; one process each: ${alonePerSecond.toFixed(1)}`,
    );
    expect(perSecond / alonePerSecond).toBeGreaterThan(50);
  });
});
