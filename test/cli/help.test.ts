import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { COMMANDS } from "../../src/entry/cli/commands.ts";
import { it, program } from "../program.ts";

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));

describe("help", () => {
  it("lists every command and the exit codes", async ({ machine }) => {
    const { code, stdout, stderr } = await machine.cli(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const { name, summary } of COMMANDS)
      expect(stdout).toMatch(new RegExp(`^  ${name} +${escaped(summary)}$`, "m"));
    expect(stdout).toContain("exit codes: 0 done · 1 findings · 2 blocked · 3 bad input or config");
  });

  it.for(COMMANDS.map(({ name }) => name))(
    "of %s shows its usage, every option and a realistic example",
    async (name, { machine }) => {
      const row = COMMANDS.find((command) => command.name === name);
      for (const args of [
        [name, "--help"],
        [name, "-h"],
        ["help", name],
      ]) {
        const { code, stdout, stderr } = await machine.cli(args);
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        expect(stdout).toContain(`usage: holdfast ${row?.usage}`);
        for (const flag of Object.keys(row?.flags ?? {})) expect(stdout).toContain(`  --${flag}`);
        expect(stdout).toMatch(new RegExp(`^examples?\\n  .*holdfast ${name}`, "m"));
      }
    },
  );

  it("in a directory that is gone, a command says so, and where to go", async ({ machine }) => {
    const gone = join(machine.projectDir, "gone");
    mkdirSync(gone);
    const script = `rmdir "${gone}"; exec "${program}" check`;
    const { code, stderr } = await machine.run(["-c", script], { cwd: gone, command: "sh" });
    expect(code).toBe(3);
    expect(stderr).toBe(
      "error HF701  the directory you are in does not exist any more\n             cd to one that does, and run it again\n",
    );
  });

  it("of hook is printed by the real program, which is not asked to judge then", async ({ machine }) => {
    const { child, ended } = machine.start(["hook", "--help"]);
    const { code, stdout, stderr } = await ended;
    expect({ code, stderr, ended: child.stdin.writableEnded }).toEqual({ code: 0, stderr: "", ended: false });
    expect(stdout).toContain("usage: holdfast hook --host <id>");
  });

  it("is what no command at all gets, as bad input", async ({ machine }) => {
    const { code, stdout } = await machine.run([]);
    expect(code).toBe(3);
    expect(stdout).toContain("usage: holdfast <command> [options]");
  });
});

it("--version prints the package's version", async ({ machine }) => {
  expect(await machine.cli(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
});

describe("a word nobody knows ends with 3 and the nearest name", () => {
  it.for<[string[], string, string]>([
    [["chekc"], 'unknown command "chekc"', "did you mean holdfast check?"],
    [["zzzzzz"], 'unknown command "zzzzzz"', "holdfast --help lists the commands"],
    [["log", "--folow"], "Unknown option '--folow'", "did you mean --follow?"],
    [["init", "--dryrun"], "Unknown option '--dryrun'", "did you mean --dry-run?"],
    [["check", "-x"], "Unknown option '-x'", "usage: holdfast check"],
    [["check", "me"], 'unexpected argument "me"', "usage: holdfast check"],
    [["log", "--last"], "Option '--last <value>' argument missing", "usage: holdfast log"],
    [["log", "--last", "many"], '--last takes a whole number, not "many"', "See holdfast --help"],
    [["log", "--last", "-3"], "--last needs a value; one that begins with a dash is written --last=-…", "usage: "],
    [["log", "verfiy"], 'unknown word "verfiy"', "did you mean holdfast log verify?"],
    [["log", "everything"], 'unknown word "everything"', "holdfast log verify"],
    [["hooks", "lst"], 'unknown word "lst"', "did you mean holdfast hooks list?"],
    [["hooks", "--event", "x.json"], "--event is for hooks run", "holdfast hooks run --event event.json"],
    [["serve", "lnk"], 'unknown word "lnk"', "did you mean holdfast serve link?"],
    [["daemon", "stpo"], 'unknown word "stpo"', "did you mean holdfast daemon stop?"],
    [["list", "assignment"], 'nothing of the kind "assignment"', "did you mean holdfast list assignments?"],
    [["show", "agents", "ada"], 'nothing of the kind "agents"', "did you mean holdfast show agent ada?"],
    [["--verson"], 'unknown command "--verson"', "did you mean holdfast --version?"],
    [["explain", "--command", " "], "nothing to explain", "give --command, or a host's payload on stdin"],
    [["explain", "--command", "ls", "--event", "Stop"], "--event names the event of a payload", "leave one of them"],
    [["replay", "--config", "nowhere"], "has no holdfast.yaml, .yml, .toml or .json", "See holdfast --help"],
    [["schema", "confg"], 'there is no schema "confg"', "did you mean config?"],
    [["explain", "--host", "emacs", "--command", "ls"], 'unknown host "emacs"', "hosts: claude-code, codex, "],
    [["explain", "--host", "qwen-code", "--command", "ls"], 'unknown host "qwen-code"', "did you mean qwen?"],
    [["hosts", "--host", "kirro"], 'unknown host "kirro"', "did you mean kiro?"],
    [["hosts", "--hosts", "codex,emacs"], 'unknown host "emacs"', "hosts: claude-code, codex, "],
    [["explain", "--cwd", "/no/where", "--command", "ls"], "--cwd /no/where is no directory", "See holdfast --help"],
    [["trust", "everything"], 'unexpected argument "everything"', "an id goes with --revoke"],
  ])("%j", async ([args, message, fix], { machine }) => {
    const { code, stdout, stderr } = await machine.cli(args);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(/^error HF\d{3} {2}/);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`\n             ${fix}`);

    const asJson = await machine.cli([...args, "--json"]);
    const { error } = JSON.parse(asJson.stdout);
    expect(error.fix).toContain(fix);
    expect(asJson).toMatchObject({ code: 3, stderr: "" });
  });
});

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

it("list says where definitions would be found, the project's first", async ({ machine }) => {
  const { code, stdout } = await machine.cli(["list", "assignments"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^no assignments; they are looked for in \.holdfast\/assignments, .*config\/assignments\n$/);
});
