import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { before, judge, judgedByAll, toolCall } from "./hooks.fixture.ts";
import { globMatches } from "./path-glob.ts";
import { personOnly } from "./person-only.ts";
import { BUILTIN_HOOKS } from "./registry.ts";

describe("globs", () => {
  it.each([
    ["*.pem", "/project/a/b.pem", true],
    ["src/*.ts", "/project/src/a.ts", true],
    ["src/*.ts", "/project/src/a/b.ts", false],
    ["src/**", "/project/src/a/b.ts", true],
    ["src/**/c.ts", "/project/src/c.ts", true],
    ["/etc/**", "/etc/passwd", true],
    ["a?c", "/x/abc", true],
    ["a?c", "/x/ac", false],
  ])("%s against %s: %s", (glob, path, expected) => {
    expect(globMatches(glob, path, "/project")).toBe(expected);
  });

  it("no glob can take long", () => {
    const glob = `${"*a".repeat(2_000)}b`;
    expect(globMatches(glob, `/${"a".repeat(5_000)}`, "/")).toBe(false);
  });

  it("a path is matched by itself as a glob", () => {
    const name = fc.stringMatching(/^[a-z0-9._-]{1,8}$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), (names) => {
        const path = `/${names.join("/")}`;
        expect(globMatches(path, path, "/")).toBe(true);
      }),
    );
  });
});

describe("person-only commands", () => {
  const runs = (command: string) => judge(personOnly, before(toolCall("shell", { command }))).opinion.kind;

  it.each([
    "HOLDFAST_INTERNAL=1 claude -p x",
    "env HOLDFAST_INTERNAL=1 claude -p x",
    "export HOLDFAST_INTERNAL=1",
    "HOLDFAST_INTERNAL=1; export HOLDFAST_INTERNAL; codex exec x",
    "set -a; HOLDFAST_INTERNAL=1; claude -p x",
    "set -a; HOLDFAST_INTERNAL+=1; claude -p x",
    "bash -a -c 'HOLDFAST_INTERNAL=1; claude -p x'",
    "set -a; for HOLDFAST_INTERNAL in 1; do claude -p x; done",
    "set -a; read HOLDFAST_INTERNAL <<< 1; claude -p x",
    "set -a; printf -v HOLDFAST_INTERNAL 1; claude -p x",
    "f() { claude -p x; }; HOLDFAST_INTERNAL=1 f",
    "alias c='claude -p x'; HOLDFAST_INTERNAL=1 c",
    "declare -x HOLDFAST_INTERNAL",
    "typeset -x HOLDFAST_INTERNAL",
    "fish -c 'set -x HOLDFAST_INTERNAL 1; claude -p x'",
    `python3 -c 'import os; os.environ["HOLDFAST_INTERNAL"]="1"; os.system("claude -p x")'`,
    `python3 <<'END'\nimport os; os.environ["HOLDFAST_INTERNAL"]="1"; os.system("claude -p x")\nEND`,
    `node -e 'process.env.HOLDFAST_INTERNAL="1"; require("child_process").execSync("claude -p x")'`,
    "pwsh -c '$env:HOLDFAST_INTERNAL=1; claude -p x'",
    "docker run -eHOLDFAST_INTERNAL=1 x",
    "docker run -e HOLDFAST_INTERNAL=1 x",
    "docker run -e HOLDFAST_INTERNAL x",
    "docker run --env=HOLDFAST_INTERNAL=1 x",
    "docker run --env HOLDFAST_INTERNAL x",
    "docker run -iteHOLDFAST_INTERNAL x",
    "bwrap --setenv HOLDFAST_INTERNAL 1 claude",
    "set -a; ((HOLDFAST_INTERNAL=1)); claude -p x",
    "export HOLDFAST_INTERNAL_; ((HOLDFAST_INTERNAL++)); claude -p x",
    "set -a; : $((HOLDFAST_INTERNAL = 1)); claude -p x",
    "set -a; : ${HOLDFAST_INTERNAL:=1}; claude -p x",
    "set -a; : ${HOLDFAST_INTERNAL=1}; claude -p x",
    "set -a; for ((HOLDFAST_INTERNAL=1;;)); do claude -p x; done",
    "let HOLDFAST_INTERNAL=1",
    "declare -n other=HOLDFAST_INTERNAL; other=1",
    "git -c alias.x='!HOLDFAST_INTERNAL=1 claude -p x' x",
    "env -u X HOLDFAST_INTERNAL=1 claude",
  ])("nobody starts what no rule is asked about: %s", (command) => {
    expect(runs(command)).toBe("block");
  });

  it.each([
    "grep -rn HOLDFAST_INTERNAL src",
    "grep -rn -e HOLDFAST_INTERNAL src",
    "grep -rneHOLDFAST_INTERNAL src",
    "git grep -e HOLDFAST_INTERNAL",
    "rg HOLDFAST_INTERNAL",
    "git log -S HOLDFAST_INTERNAL",
    "git log -SHOLDFAST_INTERNAL",
    "echo HOLDFAST_INTERNAL",
    "printf '%s' HOLDFAST_INTERNAL",
    "printenv HOLDFAST_INTERNAL",
    "unset HOLDFAST_INTERNAL",
    "env | grep HOLDFAST_INTERNAL",
    "sed -n '/HOLDFAST_INTERNAL/p' src/a.ts",
    "awk '/HOLDFAST_INTERNAL/' src/a.ts",
    "python3 find.py HOLDFAST_INTERNAL",
    "NAME=HOLDFAST_INTERNAL; rg $NAME",
    "grep -rn HOLDFAST_INTERNAL=1 src",
    "rg -e HOLDFAST_INTERNAL=1",
    "git grep HOLDFAST_INTERNAL=1",
    "git log -S HOLDFAST_INTERNAL=1",
    "env -u HOLDFAST_INTERNAL npm test",
    "env -uHOLDFAST_INTERNAL npm test",
    "env --unset=HOLDFAST_INTERNAL npm test",
    "echo ${HOLDFAST_INTERNAL:-none}",
    "((HOLDFAST_INTERNAL == 1)) && echo yes",
  ])("while its name may be looked for and spoken of: %s", (command) => {
    expect(runs(command)).toBe("none");
  });

  it.each([
    "holdfast task set fix --status completed",
    'holdfast task append-notes fix --notes "delete and reset later"',
    "holdfast attachment add report.md",
    "holdfast run child --var area=api",
    "holdfast runs list",
    "holdfast runs show abc123",
  ])("R-52 an agent may work on its own run and start others: %s", (command) => {
    expect(runs(command)).toBe("none");
  });

  it.each([
    "holdfast runs delete abc123",
    "env -u HOLDFAST_RUN_ID holdfast runs reset abc123",
    "npx holdfast runs --json reconfigure abc123",
  ])("R-52 an agent takes no run's record away: %s", (command) => {
    expect(runs(command)).toBe("block");
  });

  it.each([
    "holdfast trust",
    "npx holdfast trust",
    "npx -y holdfast@latest trust --revoke",
    "/opt/tools/bin/holdfast uninstall",
    "cd /tmp && holdfast trust",
    "sh -c 'holdfast trust'",
    `script -qc "holdfast trust" /dev/null`,
    "echo y | holdfast trust",
    "$(holdfast trust)",
    "env -i PATH=/bin holdfast trust",
    "node ./node_modules/holdfast/bin/holdfast trust",
    "holdfast --json trust",
    "hold''fast trust",
    'nohup bash -c "cd x; holdfast pause --minutes 10" &',
    "H=holdfast; $H uninstall",
    "echo holdfast uninstall | sh",
    "echo x > ~/.local/state/holdfast/trust.json",
    "rm -rf ~/.local/state/holdfast",
    "cp grant.json ~/.local/state/holdfast/passes/",
    "holdfast approvals approve A-8mg8hwrs43",
    "holdfast approvals",
    "holdfast serve --port 0 --json",
    "sqlite3 ~/.local/state/holdfast/approvals/approvals.db 'update approvals set status = 1 where id = 2'",
    `python3 -c 'import sqlite3; sqlite3.connect("/home/person/.local/state/holdfast/approvals/approvals.db")'`,
    `node -e 'require("libsql")(home + "/holdfast/approvals/approvals.db")'`,
    "cd ~/.local/state/holdfast/approvals && sqlite3 approvals.db .dump",
    "cd ~/.local/state/holdfast && sqlite3 approvals/approvals.db .dump",
  ])("%s is blocked", (command) => {
    expect(runs(command)).toBe("block");
  });

  it.each([
    "holdfast check",
    "holdfast explain --command 'holdfast trust'",
    "npx holdfast hooks",
    "grep -rn 'holdfast trust' docs",
    "echo 'run holdfast trust yourself'",
    'git commit -m "document holdfast trust"',
    "cat docs/holdfast-trust.md",
    "ls holdfast",
    "cat docs/guide/approvals.md",
    "ls src/approvals",
    "npx vitest run test/approvals",
  ])("%s is left alone", (command) => {
    expect(runs(command)).toBe("none");
  });
});

describe("the registry", () => {
  it("names are unique, and every guard fails closed", () => {
    const names = BUILTIN_HOOKS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { guards, onError } of BUILTIN_HOOKS) expect(onError).toBe(guards ? "block" : "continue");
  });
});

it.each(["constructor x", "__proto__ x", "sudo toString", "hasOwnProperty --help"])(
  "a program is known by its own name only: %s is one that nobody knows",
  (command) => {
    expect(judgedByAll(command)).toBe("none");
  },
);
