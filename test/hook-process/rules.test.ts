import { chmodSync, chownSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { placesOf } from "../../src/config/places.ts";
import { grantPass } from "../../src/engine/one-time-pass.ts";
import { claude, claudeShell, kiroShell } from "../payloads.ts";
import { type Ended, inPool, it, type Machine } from "../program.ts";
import { blockedBy, blocks, projectHooks, tells, userHooks } from "../rules.ts";

const reason = ({ stdout }: Ended): string =>
  stdout === "" ? "" : JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason;

describe.concurrent("rules that cannot be read", () => {
  it("block what guards with the reason, let a session start, and leave one notice per session", async ({
    machine,
  }) => {
    const file = machine.write("project/holdfast.yaml", "version: 1\nhooks:\n  pre_tol_use: []\n");
    expect(await machine.hook("claude-code", claude(machine, "SessionStart"))).toMatchObject({ code: 0, stdout: "" });
    const calls = await inPool(["ls", "pwd"], 1, (command) =>
      machine.hook("claude-code", claudeShell(machine, command)),
    );
    for (const answer of calls) {
      expect(answer.code).toBe(0);
      expect(reason(answer)).toBe(
        `Blocked by holdfast: the rules cannot be read: HF201 unknown event "pre_tol_use" in ${file}:3.\nDo instead: stop and tell the person; \`holdfast check\` shows what to fix. Until then every call is blocked, and every output withheld.`,
      );
    }
    const onKiro = await machine.hook("kiro", kiroShell(machine, "ls"));
    expect(onKiro).toMatchObject({ code: 2, stdout: "" });
    expect(onKiro.stderr).toContain("HF201");
    expect(machine.records("notices").map(({ host, code, is_error }) => [host, code, is_error])).toEqual([
      ["claude-code", "config", true],
      ["kiro", "config", true],
    ]);
  });

  it.for<[string, (machine: Machine) => void, string]>([
    ["no text", (machine) => machine.write("project/holdfast.yaml", Buffer.from([0xff, 0xfe, 0x00])), "HF101"],
    ["no YAML", (machine) => machine.write("project/holdfast.yaml", "a: [\n"), "HF102"],
    ["two files", (machine) => [".yaml", ".json"].map((ext) => machine.write(`project/holdfast${ext}`, "{}")), "HF103"],
    ["a directory", (machine) => machine.write("project/holdfast.yaml/x", ""), "HF101"],
    ["the user's", (machine) => machine.write("config/holdfast.toml", "version = 2\n"), "HF200"],
  ])("whatever is wrong with them: %s", async ([, spoil, code], { machine }) => {
    spoil(machine);
    const { code: exitCode, stdout } = await machine.cli(["explain", "--command", "ls"]);
    expect(exitCode).toBe(2);
    expect(stdout).toContain(`the rules cannot be read: ${code} `);
  });

  it.skipIf(process.getuid?.() !== 0)("a directory nobody may look into", async ({ machine }) => {
    await userHooks(machine, [{ event: "pre_tool_use", script: blocks("no") }]);
    const nobody = 65534;
    for (const dir of [machine.dir, machine.projectDir, machine.stateDir, machine.home]) chownSync(dir, nobody, nobody);
    chmodSync(machine.dir, 0o755);
    chmodSync(machine.configDir, 0o700);
    const answer = await machine.hook("claude-code", claudeShell(machine, "ls"), { uid: nobody });
    expect(reason(answer)).toContain(`HF101 cannot look into ${machine.configDir} for rules`);
  });

  it("use up no pass, and withhold the output of a call that was let through before, saying that it has run", async ({
    machine,
  }) => {
    const payload = claudeShell(machine, "git push --force origin main");
    await machine.hook("claude-code", payload);
    grantPass(machine.records("audit")[0]?.call, placesOf(machine.env), new Date());
    machine.write("project/holdfast.yaml", "a: [\n");
    const stopped = await machine.hook("claude-code", payload);
    expect(reason(stopped)).toContain("the rules cannot be read");
    expect(reason(stopped)).not.toContain("has run");
    machine.write("project/holdfast.yaml", "version: 1\n");
    expect(reason(await machine.hook("claude-code", payload))).toBe("");
    machine.write("project/holdfast.yaml", "a: [\n");
    const after = { ...payload, hook_event_name: "PostToolUse", tool_response: { stdout: "pushed", stderr: "" } };
    const { stdout } = await machine.hook("claude-code", after);
    expect(stdout).not.toContain("pushed");
    expect(JSON.parse(stdout).reason).toMatch(
      /the rules cannot be read: .*\nThe call has run; .*Do not make it again\./,
    );
    expect(machine.records("ledger").at(-1)).toMatchObject({ tool_name: "Bash", success: true });
  });

  it("are open again as soon as they are mended", async ({ machine }) => {
    machine.write("project/holdfast.yaml", "nope: 1\n");
    expect(reason(await machine.hook("claude-code", claudeShell(machine, "ls")))).toContain("HF202");
    machine.write("project/holdfast.yaml", "version: 1\n");
    expect((await machine.hook("claude-code", claudeShell(machine, "ls"))).stdout).toBe("");
  });
});

describe.concurrent("a project's hooks that nobody has trusted", () => {
  const guard = { event: "pre_tool_use", id: "guard", script: "touch ran-guard; exit 0" };
  const advice = {
    event: "session_start",
    id: "advice",
    script: `touch ran-advice; ${tells("session_start", "hello")}`,
  };
  const ran = ({ projectDir }: Machine) => readdirSync(projectDir).filter((name) => name.startsWith("ran-"));

  it("do not run: a guard blocks, advice is skipped, both are told once per session", async ({ machine }) => {
    await projectHooks(machine, [guard, advice]);
    expect(await machine.hook("claude-code", claude(machine, "SessionStart"))).toMatchObject({ code: 0, stdout: "" });
    for (const command of ["ls", "pwd"]) {
      const text = reason(await machine.hook("claude-code", claudeShell(machine, command)));
      expect(text).toContain("hook guard failed (untrusted)");
      expect(text).toContain("holdfast trust");
    }
    expect(ran(machine)).toEqual([]);
    expect(machine.records("notices").map(({ code, hook }) => [code, hook])).toEqual([
      ["untrusted", "advice"],
      ["untrusted", "guard"],
    ]);
  });

  it("are skipped where the person chose so, and only the person can", async ({ machine }) => {
    await projectHooks(machine, [guard]);
    machine.write("config/holdfast.yaml", "untrusted: { guards: skip }\n");
    expect((await machine.hook("claude-code", claudeShell(machine, "ls"))).stdout).toBe("");
    expect(ran(machine)).toEqual([]);

    machine.write("config/holdfast.yaml", "version: 1\n");
    await projectHooks(machine, [guard], { untrusted: { guards: "skip" } });
    expect(reason(await machine.hook("claude-code", claudeShell(machine, "ls")))).toContain("HF209");
  });

  it("run once trusted, and no longer when one byte of them changes", async ({ machine }) => {
    await projectHooks(machine, [guard]);
    await machine.trust();
    expect((await machine.hook("claude-code", claudeShell(machine, "ls"))).stdout).toBe("");
    expect(ran(machine)).toEqual(["ran-guard"]);
    machine.write("project/scripts/guard.sh", "touch ran-other; exit 0");
    expect(reason(await machine.hook("claude-code", claudeShell(machine, "ls")))).toContain("untrusted");
    expect(ran(machine)).toEqual(["ran-guard"]);
  });

  it.for([
    ["cut off", "{"],
    ["another shape", "[1]"],
    ["records of another shape", '{"x":null,"y":{"digest":1}}'],
    ["no text", "\u0000"],
  ])("a trust.json that is broken trusts nothing: %s", async ([, text = ""], { machine }) => {
    await projectHooks(machine, [guard]);
    await machine.trust();
    writeFileSync(join(machine.stateDir, "trust.json"), text);
    const [explained, listed, shown] = await Promise.all([
      machine.cli(["explain", "--command", "ls"]),
      machine.cli(["trust", "--list"]),
      machine.cli(["trust", "--dry-run"]),
    ]);
    expect(explained).toMatchObject({ code: 2, stdout: expect.stringContaining("failed (untrusted)") });
    expect(listed).toMatchObject({ code: 1, stdout: expect.stringContaining("untrusted") });
    expect(shown).toMatchObject({ code: 1, stderr: "" });
  });
});

describe.concurrent("the plan", () => {
  const plans = ({ stateDir }: Machine) => {
    const dir = join(stateDir, "plans");
    return readdirSync(dir).map((name) => join(dir, name));
  };
  const judged = async (machine: Machine) => reason(await machine.hook("claude-code", claudeShell(machine, "ls")));

  it("is compiled by many processes at once without harm", async ({ machine }) => {
    await userHooks(machine, [{ event: "pre_tool_use", script: blocks("no") }]);
    rmSync(join(machine.stateDir, "plans"), { recursive: true });
    const reasons = await Promise.all(Array.from({ length: 4 }, () => judged(machine)));
    expect(reasons).toEqual(Array(4).fill(blockedBy("no")));
    expect(plans(machine).map((file) => typeof JSON.parse(readFileSync(file, "utf8")).digest)).toEqual(["string"]);
  });

  it("that is cut off, empty or something else is compiled anew", async ({ machine }) => {
    await userHooks(machine, [{ event: "pre_tool_use", script: blocks("no") }]);
    await judged(machine);
    const [file = ""] = plans(machine);
    const whole = readFileSync(file, "utf8");
    for (const text of [whole.slice(0, 300), "", "null"]) {
      writeFileSync(file, text);
      expect(await judged(machine)).toEqual(blockedBy("no"));
      expect(readFileSync(file, "utf8")).toBe(whole);
    }
  });

  it("is stale when a rule changes, even with its old size and time", async ({ machine }) => {
    const file = await userHooks(machine, [{ event: "pre_tool_use", script: blocks("no") }]);
    expect(await judged(machine)).toEqual(blockedBy("no"));
    const { atime, mtime } = statSync(file);
    writeFileSync(file, readFileSync(file, "utf8").replace("pre_tool_use", "preToolUse").replace(" }", "  }"));
    machine.write("config/scripts/1-pre_tool_use.sh", blocks("NO"));
    utimesSync(file, atime, mtime);
    expect(await judged(machine)).toEqual(blockedBy("NO"));
  });

  it("holds for one directory: a directory below has its own", async ({ machine }) => {
    machine.write("project/sub/holdfast.json", '{"guards":{"protected-paths":{"write":["secret"]}}}');
    const write = (cwd: string) =>
      machine.hook(
        "claude-code",
        claude(machine, "PreToolUse.Write", { cwd, tool_input: { file_path: "secret", content: "" } }),
      );
    expect((await write(machine.projectDir)).stdout).toBe("");
    expect(reason(await write(join(machine.projectDir, "sub")))).toContain('protected by "secret"');
  });
});
