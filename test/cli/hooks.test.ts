import { describe, expect } from "vitest";
import { claudeShell, kiroShell } from "../payloads.ts";
import { it } from "../program.ts";
import { blocks, userHooks } from "../rules.ts";

describe("hooks", () => {
  it("lists by layer, then priority, then as written, with trust and place", async ({ machine }) => {
    const env = { HOLDFAST_MANAGED_DIR: `${machine.dir}/managed` };
    const hook = (id: string, priority = 100) => ({ type: "command", command: "true", id, priority });
    machine.write("managed/holdfast.json", JSON.stringify({ hooks: { stop: [{ hooks: [hook("managed")] }] } }));
    machine.write(
      "config/holdfast.json",
      JSON.stringify({ hooks: { stop: [{ hooks: [hook("second"), hook("third"), hook("first", 1)] }] } }),
    );
    machine.write(
      "project/holdfast.json",
      JSON.stringify({ hooks: { stop: [{ hooks: [hook("project", -5)] }] } }, null, 1),
    );
    machine.write("project/holdfast.local.json", JSON.stringify({ hooks: { stop: [{ hooks: [hook("local")] }] } }));
    const { code, stdout, stderr } = await machine.cli(["hooks"], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const rows = stdout
      .trim()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(rows[0]).toEqual(["#", "layer", "hook", "events", "matcher", "failure", "mode", "trust", "where"]);
    expect(rows.slice(1).map(([number]) => number)).toEqual(rows.slice(1).map((_, index) => `${index + 1}`));
    const shipped = rows.filter(([, layer]) => layer === "builtin");
    expect(rows.slice(1, shipped.length + 1)).toEqual(shipped);
    expect(rows.slice(shipped.length + 1).map(([, layer, name]) => `${layer} ${name}`)).toEqual([
      "managed managed",
      "user first",
      "user second",
      "user third",
      "project project",
      "local local",
    ]);
    expect(rows[1]?.at(-1)).toBe("shipped");
    expect(rows.at(-2)?.slice(-2)).toEqual(["untrusted", "holdfast.json:6"]);

    const report = JSON.parse((await machine.cli(["hooks", "--json"], { env })).stdout);
    expect(report).toMatchObject({ root: machine.projectDir, errors: [] });
    expect(
      report.hooks.map(({ order, name, trust }: { order: number; name: string; trust: string }) => [
        order,
        name,
        trust,
      ]),
    ).toEqual(
      expect.arrayContaining([
        [expect.any(Number), "protected-paths", "not-needed"],
        [rows.length - 2, "project", "untrusted"],
      ]),
    );
    await machine.trust();
    expect((await machine.cli(["hooks"], { env })).stdout).toMatch(/project +stop.* trusted +holdfast\.json:6/);
  });

  it("says that the list is not whole where the rules are broken", async ({ machine }) => {
    machine.write("project/holdfast.yaml", "nope: 1\n");
    expect(await machine.cli(["hooks"])).toMatchObject({
      code: 3,
      stderr: "1 error(s) in the config: holdfast check\n",
    });
  });
});

describe("hooks run", () => {
  it("judges the event of a file, and records nothing", async ({ machine }) => {
    await userHooks(machine, [{ event: "pre_tool_use", matcher: "^shell$", script: blocks("no"), id: "mine" }]);
    machine.write("project/event.json", JSON.stringify(claudeShell(machine, "ls")));
    const { code, stdout } = await machine.cli(["hooks", "run", "--event", "event.json"]);
    expect(code).toBe(2);
    expect(stdout).toMatch(/^pre_tool_use {2}Bash \(shell\) {2}ls\ndecision {2}block\nbecause {3}no {3}mine\n/);
    expect(machine.records("audit")).toEqual([]);
    machine.write("project/kiro.json", JSON.stringify(kiroShell(machine, "ls")));
    const asJson = await machine.cli(["hooks", "run", "--event", "kiro.json", "--host", "kiro", "--json"]);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ decision: "block", host: "kiro", reason: "no" });
  });

  it.for([
    [["hooks", "run"], "HF701", "hooks run needs --event"],
    [["hooks", "--event", "event.json"], "HF701", "--event is for hooks run"],
    [["hooks", "run", "--event", "gone.json"], "HF301", "cannot read"],
    [["hooks", "run", "--event", "list.json"], "HF301", "list.json is not a JSON object"],
    [["hooks", "run", "--event", "odd.json"], "HF301", "not a payload of Claude Code"],
    [["hooks", "run", "--event", "dream.json"], "HF301", "Claude Code has no event PreDream"],
  ] as const)("%j is bad input", async ([args, code, message], { machine }) => {
    machine.write("project/list.json", "[]");
    machine.write("project/odd.json", '{"hook_event_name":"PreToolUse"}');
    machine.write("project/dream.json", '{"hook_event_name":"PreDream"}');
    const { code: exitCode, stderr } = await machine.cli(args);
    expect(exitCode).toBe(3);
    expect(stderr.startsWith(`error ${code}  `)).toBe(true);
    expect(stderr).toContain(message);
  });
});
