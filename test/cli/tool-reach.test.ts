import { describe, expect } from "vitest";
import { it } from "../program.ts";
import { blocks, userHooks } from "../rules.ts";

describe.concurrent("a matcher that names no tool", () => {
  it("is never asked, and hosts says so with the reason", async ({ machine }) => {
    await userHooks(machine, [{ event: "pre_tool_use", script: blocks("no"), id: "mine", matcher: "^Bash$" }]);
    const { stdout } = await machine.cli(["hosts", "--json", "--hosts", "claude-code,cursor"]);
    const row = JSON.parse(stdout).rows.find(({ name }: { name: string }) => name === "mine");
    expect(row.hosts).toMatchObject([
      { enforcement: "enforced" },
      { enforcement: "never", why: "matcher ^Bash$ names no tool of Cursor" },
    ]);
    const text = (await machine.cli(["hosts", "--host", "cursor"])).stdout;
    expect(text).toMatch(/mine +never/);
    expect(text).toContain("mine: matcher ^Bash$ names no tool of Cursor");
  });

  it("check warns of it where another name is near, and the exit code is 1", async ({ machine }) => {
    await userHooks(machine, [{ event: "pre_tool_use", script: blocks("no"), id: "mine", matcher: "^Shel$" }]);
    const { code, stderr } = await machine.cli(["check"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/holdfast\.json:\d+: matcher \^Shel\$ of mine never matches: .*did you mean Shell\?/);
  });
});
