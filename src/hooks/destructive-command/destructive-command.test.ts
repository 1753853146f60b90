import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { Machine } from "../builtin.ts";
import { before, historyOf, judge, machine, toolCall } from "../hooks.fixture.ts";
import { destructiveCommand } from "./destructive-command.ts";

const verdict = (command: string, options: JsonObject = {}, on: Machine = machine) =>
  judge(destructiveCommand, before(toolCall("shell", { command })), { ...destructiveCommand.defaults, ...options }, on);
const kind = (...args: Parameters<typeof verdict>) => verdict(...args).opinion.kind;

describe("the guard", () => {
  it("K-8 says what was stopped, why, what to do instead, and by which rule", () => {
    const { opinion } = verdict("rm -rf /");
    expect(opinion).toMatchObject({ kind: "block", rule: "filesystem/delete-system" });
    expect("reason" in opinion && opinion.reason).toMatch(
      /^`rm -rf \/` .*\nDo instead: .*\nRule filesystem\/delete-system\.$/,
    );
  });

  it("K-10 only shells are looked at: the same text in a file is text", () => {
    const writing = before(toolCall("write", { paths: ["notes.md"], content: "rm -rf /" } as never));
    expect(judge(destructiveCommand, writing).opinion.kind).toBe("none");
  });

  it("K-11 an empty command is left alone", () => {
    expect(kind("")).toBe("none");
  });
});

describe("options", () => {
  it.each([
    ["off", "none"],
    ["observe", "none"],
    ["ask", "ask"],
    ["block", "block"],
  ])("KB-5 a rule set to %s decides %s", (severity, expected) => {
    expect(kind("rm -rf /", { rules: { "filesystem/delete-system": severity } })).toBe(expected);
  });

  it("an observed rule leaves a note, a warning tells the model", () => {
    const rules = (severity: string) => ({ rules: { "filesystem/delete-system": severity } });
    expect(verdict("rm -rf /", rules("observe")).effects).toEqual([expect.objectContaining({ type: "note" })]);
    expect(verdict("rm -rf /", rules("warn")).context?.[0]).toContain("Do instead");
  });

  it("packs choose which rules are used", () => {
    expect(kind("rm -rf /", { packs: ["git"] })).toBe("none");
    expect(kind("rm -rf /", { packs: ["filesystem"] })).toBe("block");
  });

  it.each<[string, JsonObject, string]>([
    ["for the rule", { rule: "filesystem/delete-elsewhere" }, "none"],
    ["for its pack", { rule: "filesystem/*" }, "none"],
    ["for this command", { rule: "filesystem/*", command: "rm -rf /srv/cache*" }, "none"],
    ["for another command", { rule: "filesystem/*", command: "rm -rf /opt/*" }, "ask"],
    ["for another host", { rule: "filesystem/*", host: "codex" }, "ask"],
    ["for another directory", { rule: "filesystem/*", under: "packages" }, "ask"],
    ["that has not ended", { rule: "filesystem/*", until: "1970-01-01" }, "none"],
    ["that has ended", { rule: "filesystem/*", until: "1969-12-31" }, "ask"],
  ])("an exception %s", (_, exception, expected) => {
    expect(kind("rm -rf /srv/cache/old", { allow: [exception] })).toBe(expected);
  });
});

it.each<[JsonObject, string]>([
  [{ packs: ["filesystm"] }, "filesystem"],
  [{ rules: { "git/force-push": "off" } }, "git/force-push"],
  [{ allow: [{ rule: "git/nothing-of-the-kind" }] }, "git/"],
  [{ allow: [{ rule: "git/*", until: "someday" }] }, "2026-12-31"],
])("options that name nothing are an error, not a guard switched off: %j", (changes, said) => {
  const problems = destructiveCommand.problems?.({ ...destructiveCommand.defaults, ...changes }) ?? [];
  expect(JSON.stringify(problems)).toContain(said);
  expect(destructiveCommand.problems?.(destructiveCommand.defaults)).toEqual([]);
});

describe("files that a command runs", () => {
  const FILES: Readonly<Record<string, string>> = {
    "/project/clean.sh": "cd /\nrm -rf *\n",
    "/project/clean.py": "import shutil\nshutil.rmtree('/')\n",
    "/project/clean.mjs": "import { rmSync } from 'node:fs';\nrmSync('/', { recursive: true });\n",
    "/project/drop.sql": "-- tidy up\nDROP TABLE users;\n",
    "/project/select.sql": "select 1;\n",
  };
  const withFiles = (written: readonly string[]): Machine => ({
    ...machine,
    readText: (path) => FILES[path],
    historyOf: () =>
      historyOf(
        written.map((path) => ({
          timestamp: "",
          host: "test",
          session: "s",
          agent: null,
          tool_name: "Write",
          tool_kind: "write",
          cwd: "/project",
          success: true,
          paths: [path],
        })),
      ),
  });

  it.each([
    ["bash clean.sh", "clean.sh"],
    ["sh ./clean.sh --now", "clean.sh"],
    ["python3 clean.py", "clean.py"],
    ["node clean.mjs", "clean.mjs"],
  ])("%s is judged by what the script does that this session wrote", (command, file) => {
    expect(verdict(command, {}, withFiles([file])).opinion).toMatchObject({
      kind: "block",
      reason: expect.stringContaining(file),
    });
    expect(kind(command, {}, withFiles([]))).toBe("none");
  });

  it.each(["psql -f drop.sql", "psql app < drop.sql", "cat drop.sql | mysql app", "sqlite3 app.db < drop.sql"])(
    "%s is judged by the SQL in the file, whoever wrote it",
    (command) => {
      expect(kind(command, {}, withFiles([]))).toBe("block");
      expect(kind(command.replace("drop", "select"), {}, withFiles([]))).toBe("none");
    },
  );
});
