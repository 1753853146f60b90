import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { Machine } from "../builtin.ts";
import { before, judge, machine, toolCall } from "../hooks.fixture.ts";
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

describe("scripts", () => {
  const withScript = (written: boolean): Machine => ({
    ...machine,
    readText: (path) => (path === "/project/clean.sh" ? "cd /\nrm -rf *\n" : undefined),
    historyOf: () => ({
      calls: () =>
        written
          ? [
              {
                timestamp: "",
                host: "test",
                session: "s",
                agent: null,
                tool_name: "Write",
                tool_kind: "write",
                cwd: "/project",
                success: true,
                paths: ["clean.sh"],
              },
            ]
          : [],
      stops: () => [],
    }),
  });

  it("a script that this session wrote is judged by what it does when it is run", () => {
    expect(verdict("bash clean.sh", {}, withScript(true)).opinion).toMatchObject({
      kind: "block",
      reason: expect.stringContaining("the script /project/clean.sh"),
    });
  });

  it("a script that was there before is the person's own", () => {
    expect(kind("bash clean.sh", {}, withScript(false))).toBe("none");
  });
});
