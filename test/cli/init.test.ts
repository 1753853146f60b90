import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { additions, applyChange, removals } from "../../src/entry/cli/settings-files.ts";
import { it, type Machine, registeredProgram as program } from "../program.ts";

/** Every file below a directory with its bytes. */
function tree(dir: string): Record<string, string> {
  const files = readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) =>
    lstatSync(join(dir, name)).isFile(),
  );
  return Object.fromEntries(files.sort().map((name) => [name, readFileSync(join(dir, name), "latin1")]));
}

const init = (machine: Machine, ...args: string[]) => machine.cli(["init", ...args]);
const uninstall = (machine: Machine, ...args: string[]) => machine.cli(["uninstall", ...args]);
const SETTINGS = ".claude/settings.json";
const settingsOf = (machine: Machine) => JSON.parse(machine.read(`project/${SETTINGS}`));
/** As a person keeps it: odd white space, keys of others, hooks of others. */
const PERSONAL = `{
\t"model":  "opus", "permissions": {"allow": ["Bash(ls)"]},
\t"hooks": { "PreToolUse": [ {"matcher": "Bash", "hooks": [{ "type": "command", "command": "./mine.sh" }]} ] }
}`;

describe("init", () => {
  it("creates what is missing, and what it registers is our program", async ({ machine }) => {
    const { code, stdout, stderr } = await machine.run(["init", "--hosts", "claude-code"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`created  ${SETTINGS}\n`);
    expect(stdout).toContain("created  holdfast.yaml\n");
    expect(stdout).toContain("registered with claude-code; it takes effect in the next session");
    const [group] = settingsOf(machine).hooks.PreToolUse;
    expect(group).toMatchObject({
      matcher: "*",
      hooks: [{ command: program, args: ["hook", "--host", "claude-code"] }],
    });
    expect((await machine.cli(["check"])).code).toBe(0);
  });

  it("is the same to the byte when it is repeated, and keeps everything a person wrote", async ({ machine }) => {
    machine.write(`project/${SETTINGS}`, PERSONAL);
    machine.write("project/.kiro/agents/dev.json", '{"name":"dev","hooks":{"stop":[{"command":"./bell"}]}}\n');
    await init(machine);
    const once = tree(machine.projectDir);
    expect(once[SETTINGS]).toContain('\t"model":  "opus", "permissions": {"allow": ["Bash(ls)"]},');
    expect(settingsOf(machine).hooks.PreToolUse).toHaveLength(2);
    const again = await init(machine);
    expect(again.stdout).toBe("already registered with claude-code, kiro\n");
    expect(tree(machine.projectDir)).toEqual(once);
  });

  it("a huge settings file is registered in, and gets its bytes back", async ({ machine }) => {
    const allow = Array.from({ length: 100_000 }, (_, index) => `Bash(ls ${index})`);
    const huge = JSON.stringify({ permissions: { allow } }, null, 2);
    machine.write(`project/${SETTINGS}`, huge);
    expect((await init(machine, "--hosts", "claude-code")).code).toBe(0);
    expect(settingsOf(machine).permissions.allow).toHaveLength(100_000);
    machine.write(`project/${SETTINGS}`, `${machine.read(`project/${SETTINGS}`)}\n`);
    await uninstall(machine, "--hosts", "claude-code");
    expect(machine.read(`project/${SETTINGS}`)).toBe(`${huge}\n`);
  });

  it("says that it found no agent, where it registers the one most people have", async ({ machine }) => {
    const said = "no agent was found here: registering Claude Code";
    expect((await init(machine, "--dry-run")).stderr).toContain(said);
    machine.write(`project/.kiro/agents/dev.json`, "{}");
    expect((await init(machine, "--dry-run")).stderr).not.toContain(said);
  });

  it("--dry-run writes nothing and shows the difference", async ({ machine }) => {
    machine.write(`project/${SETTINGS}`, PERSONAL);
    const before = tree(machine.dir);
    const { code, stdout } = await init(machine, "--dry-run");
    expect(code).toBe(0);
    expect(stdout).toContain(`--- ${SETTINGS}`);
    expect(stdout).toMatch(/^\+.*"--host"/m);
    expect(stdout).toMatch(/^\+version: 1$/m);
    expect(tree(machine.dir)).toEqual(before);
    await init(machine);
    const registered = tree(machine.projectDir);
    expect((await uninstall(machine, "--dry-run")).stdout).toMatch(/^-.*"--host"/m);
    expect(tree(machine.projectDir)).toEqual(registered);
  });

  it("X-16 works from a subdirectory, on the project it belongs to", async ({ machine }) => {
    machine.write("project/.git/HEAD", "");
    const cwd = machine.write("project/src/deep/x", "").replace(/\/x$/, "");
    const { stdout } = await machine.cli(["init"], { cwd });
    expect(stdout).toContain(`created  ../../${SETTINGS}`);
    expect(existsSync(join(machine.projectDir, SETTINGS))).toBe(true);
    expect(existsSync(join(cwd, ".claude"))).toBe(false);
    await machine.cli(["uninstall"], { cwd });
    expect(Object.keys(tree(machine.projectDir)).sort()).toEqual([".git/HEAD", "src/deep/x"]);
  });

  it("registers with the hosts that are in use, or those named", async ({ machine }) => {
    mkdirSync(join(machine.projectDir, ".kiro"));
    expect((await init(machine, "--dry-run", "--json")).stdout).toMatch(/"hosts": \[\s*"kiro"\s*\]/);
    const { stdout } = await init(machine, "--hosts", " kiro ,claude-code,kiro", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      hosts: ["kiro", "claude-code"],
      projectDir: machine.projectDir,
      dryRun: false,
    });
    expect(existsSync(join(machine.projectDir, ".kiro/hooks/holdfast.json"))).toBe(true);
  });

  it.for([
    [["--hosts", "emacs"], 'unknown host "emacs"'],
    [["--hosts", "claude-code,emacs"], 'unknown host "emacs"'],
    [["--hosts", ","], "--hosts names no host"],
    [["--local", "--user"], "--local and --user exclude each other"],
  ] as const)("%j is bad input, and nothing is written", async ([args, message], { machine }) => {
    const { code, stderr } = await init(machine, ...args);
    expect({ code, said: stderr.includes(message) }).toEqual({ code: 3, said: true });
    expect(tree(machine.projectDir)).toEqual({});
  });

  it("--local and --user change only their own file, and uninstall finds them", async ({ machine }) => {
    await init(machine, "--local", "--hosts", "claude-code");
    expect(Object.keys(tree(machine.projectDir))).toContain(".claude/settings.local.json");
    for (const shared of [SETTINGS, "holdfast.yaml"]) expect(existsSync(join(machine.projectDir, shared))).toBe(false);
    await init(machine, "--user", "--hosts", "claude-code,kiro");
    const home = tree(machine.home);
    expect(Object.keys(home)).toEqual(expect.arrayContaining([".claude/settings.json", ".kiro/hooks/holdfast.json"]));
    expect((await uninstall(machine)).stdout).toContain("removed  .claude/settings.local.json");
    expect(tree(machine.projectDir)).toEqual({});
    expect(tree(machine.home)).toEqual(home);
    await uninstall(machine, "--user");
    expect(tree(machine.home)).toEqual({});
  });

  it("a file of settings that is broken is left alone, and so is every other file", async ({ machine }) => {
    machine.write(`project/${SETTINGS}`, '{"hooks": ');
    mkdirSync(join(machine.projectDir, ".kiro"));
    const before = tree(machine.projectDir);
    const { code, stdout, stderr } = await init(machine, "--hosts", "kiro,claude-code");
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(/^error HF401 {2}\.claude\/settings\.json {2}.*is not valid JSON/);
    expect(tree(machine.projectDir)).toEqual(before);
    const { error } = JSON.parse((await init(machine, "--json")).stdout);
    expect(error).toMatchObject({ code: "HF401", file: SETTINGS });
  });

  it("a file that a person made read-only is not replaced", async ({ machine }) => {
    const file = machine.write(`project/${SETTINGS}`, "{}\n");
    chmodSync(file, 0o444);
    const { code, stderr } = await init(machine, "--hosts", "kiro,claude-code");
    expect({ code, said: stderr.includes(`${SETTINGS}  ${file} is read-only`) }).toEqual({ code: 3, said: true });
    expect(readFileSync(file, "utf8")).toBe("{}\n");
    expect(Object.keys(tree(machine.projectDir))).toEqual([SETTINGS]);
  });

  it("a link stays a link: the file behind it is changed and keeps its rights", async ({ machine }) => {
    const real = machine.write("home/dotfiles/claude.json", PERSONAL);
    chmodSync(real, 0o600);
    mkdirSync(join(machine.projectDir, ".claude"));
    symlinkSync(real, join(machine.projectDir, SETTINGS));
    await init(machine);
    expect(lstatSync(join(machine.projectDir, SETTINGS)).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain("--host");
    expect(statSync(real).mode & 0o777).toBe(0o600);
    await uninstall(machine);
    expect(readFileSync(real, "utf8")).toBe(PERSONAL);
  });

  it("a link to nothing is refused", async ({ machine }) => {
    mkdirSync(join(machine.projectDir, ".claude"));
    symlinkSync(join(machine.home, "gone.json"), join(machine.projectDir, SETTINGS));
    const { code, stderr } = await init(machine);
    expect({ code, said: stderr.includes("is a link to a file that does not exist") }).toEqual({ code: 3, said: true });
  });
});

describe("uninstall", () => {
  it.for([
    ["as a person keeps it", PERSONAL],
    ["empty object", "{}"],
    ["with a byte order mark and Windows lines", '\ufeff{\r\n  "a": 1\r\n}\r\n'],
    ["with empty hooks", '{\n  "hooks": {}\n}\n'],
  ])("gives the file its old bytes back, also after two inits: %s", async ([, text = ""], { machine }) => {
    machine.write(`project/${SETTINGS}`, text);
    machine.write("project/.kiro/agents/dev.json", '{ "name": "dev" }');
    const before = tree(machine.projectDir);
    await init(machine);
    await init(machine);
    await uninstall(machine);
    expect(tree(machine.projectDir)).toEqual(before);
    expect((await uninstall(machine)).stdout).toBe("nothing of Holdfast is registered here\n");
  });

  it("what a person vouched for in another project stays", async ({ machine }) => {
    const config = join(machine.home, ".codex/config.toml");
    const other = machine.write("other/.git/HEAD", "").replace(/\/\.git\/HEAD$/, "");
    const consenting = ["init", "--yes", "--hosts", "codex"];
    await machine.cli(consenting, { cwd: other });
    const before = readFileSync(config, "utf8");
    await machine.cli(consenting);
    expect(readFileSync(config, "utf8")).not.toBe(before);
    await uninstall(machine);
    expect(readFileSync(config, "utf8")).toBe(before);
    await machine.cli(["uninstall"], { cwd: other });
    expect(existsSync(config)).toBe(false);
  });

  it("takes only our part out of a file that a person edited in between", async ({ machine }) => {
    machine.write(`project/${SETTINGS}`, PERSONAL);
    await init(machine);
    const file = join(machine.projectDir, SETTINGS);
    writeFileSync(file, readFileSync(file, "utf8").replace('"opus"', '"sonnet"'));
    machine.write("project/holdfast.yaml", `${machine.read("project/holdfast.yaml")}# mine now\n`);
    await uninstall(machine);
    expect(readFileSync(file, "utf8")).toBe(PERSONAL.replace('"opus"', '"sonnet"'));
    expect(machine.read("project/holdfast.yaml")).toContain("# mine now");
  });

  it("works where the state directory was lost", async ({ machine }) => {
    machine.write(`project/${SETTINGS}`, PERSONAL);
    await init(machine);
    const env = { HOLDFAST_STATE_DIR: join(machine.dir, "another state") };
    await machine.cli(["uninstall"], { env });
    expect(machine.read(`project/${SETTINGS}`)).toBe(PERSONAL);
  });

  it("--hosts takes out only that host", async ({ machine }) => {
    await init(machine, "--hosts", "claude-code,kiro");
    await uninstall(machine, "--hosts", "kiro");
    const left = Object.keys(tree(machine.projectDir));
    expect(left).toEqual(expect.arrayContaining([SETTINGS, "holdfast.yaml"]));
    expect(left.filter((name) => name.startsWith(".kiro"))).toEqual([]);
  });

  it("leaves what knowledge init wrote into the project's config, and says what stays", async ({ machine }) => {
    await machine.cli(["knowledge", "init"]);
    const written = machine.read("project/holdfast.yaml");
    await init(machine);
    expect((await uninstall(machine)).stdout).toContain(
      "Holdfast is out; holdfast.yaml and what is in .holdfast/ stay\n",
    );
    expect(machine.read("project/holdfast.yaml")).toBe(written);
  });

  it("says nothing of records where there are none", async ({ machine }) => {
    await init(machine);
    expect((await uninstall(machine)).stdout).toMatch(/^Holdfast is out$/m);
  });

  it("leaves the records", async ({ machine }) => {
    await init(machine);
    machine.write("project/.holdfast/tracking/ledger.jsonl", "{}\n");
    expect((await uninstall(machine)).stdout).toContain("Holdfast is out; what is in .holdfast/ stays\n");
    expect(Object.keys(tree(machine.projectDir))).toEqual([".holdfast/tracking/ledger.jsonl"]);
  });
});

describe("a change of a file", () => {
  const edit = (path: string) => ({ path, add: () => "ours", remove: () => undefined });

  it("is refused when the file was changed after it was read", async ({ machine }) => {
    const path = machine.write("project/settings", "before");
    const [change] = additions([edit(path)]);
    writeFileSync(path, "somebody else");
    expect(() => applyChange(change as NonNullable<typeof change>, machine.stateDir, "backup")).toThrow(
      /was changed by someone else just now/,
    );
    expect(readFileSync(path, "utf8")).toBe("somebody else");
    const [removal] = removals([edit(path)], machine.stateDir);
    expect(removal).toEqual({ path, before: "somebody else", after: undefined });
  });

  it("X-15 does not write through a link that waits at the temporary file's place", async ({ machine }) => {
    const path = machine.write("project/settings", "before");
    const victim = machine.write("victim", "mine");
    symlinkSync(victim, `${path}.holdfast.tmp`);
    for (const change of additions([edit(path)])) applyChange(change, machine.stateDir, "backup");
    expect(readFileSync(path, "utf8")).toBe("ours");
    expect(readFileSync(victim, "utf8")).toBe("mine");
  });

  it("leaves nothing behind when it cannot be made", async ({ machine }) => {
    const path = join(machine.write("project/file", ""), "settings");
    const [change] = additions([edit(path)]);
    expect(() => applyChange(change as NonNullable<typeof change>, machine.stateDir, "backup")).toThrow(
      /cannot be written/,
    );
    expect(readdirSync(machine.projectDir)).toEqual(["file"]);
  });
});
