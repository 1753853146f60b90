/** A command is judged as one, whichever tool is handed it. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import type { ToolCall } from "../core/tool.ts";
import { before, judge, toolCall } from "./hooks.fixture.ts";
import { BUILTIN_HOOKS } from "./registry.ts";

const saidOf = (tool: ToolCall): string => {
  const guards = BUILTIN_HOOKS.filter((hook) => hook.on.includes("pre_tool_use") && !hook.optIn);
  const said = guards.map((hook) => judge(hook, before(tool)).opinion);
  const strongest = said.find(({ kind }) => kind === "block") ?? said.find(({ kind }) => kind === "ask");
  return strongest && "rule" in strongest ? `${strongest.kind} ${strongest.rule}` : "none";
};

const called = (name: string, input: JsonObject): ToolCall => {
  const [server = "", method = ""] = name.split("/");
  return name.includes("/")
    ? toolCall("mcp", { name: `mcp__${server}__${method}`, input, server, method } as Partial<ToolCall>)
    : toolCall("other", { name, input });
};

describe("what a tool is handed to run is judged like a shell's command", () => {
  it.each<[string, JsonObject, string]>([
    ["shell/run_command", { command: "rm -rf ~" }, "block filesystem/delete-system"],
    ["desktop-commander/start_process", { command: "rm -rf ~", timeout_ms: 1 }, "block filesystem/delete-system"],
    ["desktop-commander/interact_with_process", { pid: 1, input: "rm -rf ~" }, "block filesystem/delete-system"],
    ["shell/exec", { cmd: ["rm", "-rf", "/"] }, "block filesystem/delete-system"],
    ["shell/exec", { command: "rm", args: ["-rf", "/"] }, "block filesystem/delete-system"],
    ["shell/exec", { command: "rm", args: "-rf /" }, "block filesystem/delete-system"],
    ["shell/exec", { command: "rm -rf home", cwd: "/" }, "block filesystem/delete-system"],
    ["shell/batch", { commands: ["ls", "rm -rf ~"] }, "block filesystem/delete-system"],
    ["ide/execute_terminal_command", { shellCommand: "rm -rf ~" }, "block filesystem/delete-system"],
    ["shell/run_script", { script: "cd /\nrm -rf etc" }, "block filesystem/delete-system"],
    [
      "sandbox/run_code",
      { language: "python", code: "import os; os.system('rm -rf ~')" },
      "block filesystem/delete-system",
    ],
    ["python/execute", { code: "open('.claude/settings.json', 'w')" }, "block protected-paths/host-registration"],
    ["shell/run_command", { command: "rm .claude/settings.json" }, "block protected-paths/host-registration"],
    ["shell/run_command", { command: "rm settings.json", cwd: ".claude" }, "block protected-paths/host-registration"],
    ["shell/run_command", { command: `echo ${"x".repeat(250_000)}` }, "ask unclear/unseen"],
    ["shell/run_command", { command: "holdfast trust" }, "block person-only"],
    ["shell/run_command", { command: "HOLDFAST_INTERNAL=1 claude" }, "block person-only"],
    ["run_shell", { command: "rm -rf ~" }, "block filesystem/delete-system"],
    ["postgres/query", { sql: "drop table users" }, "block database/drop"],
    ["supabase/execute", { query: "delete from users" }, "block database/empty"],
    ["db", { statement: "truncate users" }, "block database/empty"],
  ])("%s %j", (name, input, said) => {
    expect(saidOf(called(name, input))).toBe(said);
  });

  it.each<[string, JsonObject]>([
    ["shell/run_command", { command: "npm test" }],
    ["shell/run_command", { command: "rm -rf dist", cwd: "packages/web" }],
    ["shell/exec", { cmd: ["git", "commit", "-m", "never run rm -rf /"] }],
    ["shell/exec", { command: "grep", args: ["-rn", "rm -rf /", "docs"] }],
    ["editor/str_replace", { command: "create", path: "src/a.ts", file_text: "rm -rf /" }],
    ["browser/evaluate", { script: "() => document.querySelectorAll('a').forEach((a) => a.remove())" }],
    ["crm/create_note", { text: "rm -rf ~", title: "command" }],
    ["search/web", { query: "how to drop table users" }],
    ["docs/search", { query: "rm -rf /" }],
    ["postgres/query", { sql: "select * from users where name = 'drop table'" }],
    ["supabase/execute", { query: "delete from sessions where expires < now()" }],
    ["python/execute", { code: "print('rm -rf /')" }],
    ["Skill", { command: "review", args: "the rm -rf call" }],
    ["issue/create", { body: "`git push --force` was run", command: null }],
  ])("and what is only mentioned is not: %s %j", (name, input) => {
    expect(saidOf(called(name, input))).toBe("none");
  });
});
