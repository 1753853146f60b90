import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { before, judge, toolCall } from "./hooks.fixture.ts";
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
