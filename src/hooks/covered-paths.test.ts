import { describe, expect, it } from "vitest";
import { sampleEvent } from "../core/engine.fixture.ts";
import type { EventOf } from "../core/event.ts";
import { whyNot } from "../core/match.ts";
import type { ToolCall } from "../core/tool.ts";
import { approvals } from "./approvals.ts";
import { coveredBy, pathsPattern } from "./covered-paths.ts";
import { before as asked, judge, machine, toolCall } from "./hooks.fixture.ts";
import { protectedPaths } from "./protected-paths/protected-paths.ts";
import { workflow } from "./workflow.ts";

const covers = (glob: string, path: string, on = machine) => coveredBy([glob], on)(path);

describe("a glob covers what it names and all below it", () => {
  it.each([
    ["infra/prod", "/project/infra/prod"],
    ["infra/prod", "/project/infra/prod/a/b.tf"],
    ["infra/", "/project/infra/a"],
    ["infra/", "/project/infra"],
    ["infra/", "/project/packages/a/infra/b"],
    ["infra", "/project/infra/a"],
    ["infra", "/project/packages/a/infra/b"],
    ["./infra/**", "/project/infra/a"],
    ["./infra", "/project/infra/a"],
    [".//./infra//prod/", "/project/infra/prod/a"],
    ["../shared/**", "/shared/a"],
    [".", "/project/a"],
    ["./", "/project/a/b"],
    ["./**", "/project/a/b"],
    ["**", "/project/a/b"],
    ["infra/*", "/project/infra/a/b"],
    ["**/secrets", "/project/a/secrets/b"],
    ["{infra,ops}/**", "/project/ops/a"],
    ["{infra/{a,b},ops}/", "/project/infra/b/c"],
    ["{{name}}/**", "/project/{{name}}/a"],
    ["~/.aws", "/home/person/.aws/credentials"],
    ["~", "/home/person/x"],
    [".aws", "/home/person/.aws/credentials"],
    ["/etc/app/", "/etc/app/x"],
    ["/", "/etc/app/x"],
    ["*.lock", "/project/a/b.lock"],
  ])("%s covers %s", (glob, path) => {
    expect(covers(glob, path)).toBe(true);
  });

  it.each([
    ["infra/prod", "/project/infra/production"],
    ["infra/prod", "/project/a/infra/prod/b"],
    ["./infra", "/project/a/infra/b"],
    ["infra", "/project/infrastructure/b"],
    ["infra/*.tf", "/project/infra/a.ts"],
    ["project", "/project/a"],
    ["home", "/home/person/x", { ...machine, rootDir: "/home/person/project" }],
    ["../shared/**", "/project/shared/a"],
    ["~backup", "/home/personbackup"],
  ])("%s does not cover %s", (glob, path, on = machine) => {
    expect(covers(glob, path, on)).toBe(false);
  });

  it("where letter case does not matter, it does not matter here", () => {
    expect(covers("Infra/", "/project/INFRA/a", { ...machine, ignoresCase: true })).toBe(true);
  });
});

const SPELLINGS = ["infra", "infra/", "./infra", "./infra/", "./infra/**", "infra/**", "{infra,ops}/"];
const write = toolCall("write", { paths: ["infra/a"] });
const shell = (command: string) => toolCall("shell", { command });

describe.each(SPELLINGS)("as %s it holds in every rule that takes path globs", (glob) => {
  const calls: readonly ToolCall[] = [write, shell("echo x > infra/a"), shell("rm -rf infra"), shell("cp -r x infra/")];

  it("protected-paths", () => {
    const kindOf = (tool: ToolCall, use: "read" | "write") =>
      judge(protectedPaths, asked(tool), { write: [], read: [], [use]: [glob] }).opinion.kind;
    for (const tool of [...calls, shell("rm inf*/a"), shell("mv infra x")]) expect(kindOf(tool, "write")).toBe("block");
    for (const tool of [shell("cat infra/a"), toolCall("read", { paths: ["/project/infra/a/b"] })])
      expect(kindOf(tool, "read")).toBe("block");
    for (const tool of [shell("cat src/a"), toolCall("write", { paths: ["src/a"] }), shell("rm src/*.ts")])
      expect(kindOf(tool, "read")).toBe("none");
  });

  it("approvals", () => {
    const rule = { name: "r", when: { paths: [glob] }, approvers: { people: [], roles: [], count: 1 } };
    const kindOf = (tool: ToolCall) => judge(approvals, asked(tool), { rules: [rule] }).opinion.kind;
    for (const tool of calls) expect(kindOf(tool)).toBe("ask");
    expect(kindOf(shell("cat src/a"))).toBe("none");
  });

  it("workflow", () => {
    const rules = [{ before: { paths: glob }, require: { ran: "make plan" } }];
    const kindOf = (tool: ToolCall) => judge(workflow, asked(tool), { ...workflow.defaults, rules }).opinion.kind;
    for (const tool of calls) expect(kindOf(tool)).toBe("block");
    expect(kindOf(shell("echo x > src/a"))).toBe("none");
  });

  it("a hook's own when", () => {
    const when = { paths: pathsPattern(glob, machine) };
    const isAsked = (tool: ToolCall) => whyNot(asked(tool), when) === undefined;
    for (const tool of calls) expect(isAsked(tool)).toBe(true);
    expect(isAsked(toolCall("write", { paths: ["/project/infra/a"] }))).toBe(true);
    expect(isAsked(shell("echo x > src/a"))).toBe(false);
    const elsewhere = sampleEvent("pre_tool_use", { tool: write, cwd: "/other" } as Partial<EventOf<"pre_tool_use">>);
    expect(whyNot(elsewhere, when) === undefined).toBe(!/^\.|\*/.test(glob));
  });
});

describe("globs that cover nothing", () => {
  it.each(["", " ", "!infra/dev/**"])("are told, with what to write: %j", (glob) => {
    const told = expect.stringMatching(/covers nothing.*"infra\//);
    expect(protectedPaths.problems?.({ write: [glob], read: [] })).toEqual([{ option: "write", message: told }]);
    const rules = [{ before: { paths: glob }, require: { ran: "x" } }];
    expect(workflow.problems?.({ ...workflow.defaults, rules })).toEqual([{ option: "rules", message: told }]);
  });

  it("stop what they would have guarded where only a variable makes them so", () => {
    expect(() => judge(protectedPaths, asked(write), { write: [""], read: [] })).toThrow("covers nothing");
  });

  it("so do braces that stand for more than anybody can mean", () => {
    const [problem] = protectedPaths.problems?.({ write: ["{a,b}".repeat(30)], read: [] }) ?? [];
    expect(problem?.message).toContain("more than 256 paths");
  });
});
