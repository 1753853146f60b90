import { describe, expect, it } from "vitest";
import { globData, patternData } from "../../config/pattern.ts";
import type { PlanHook } from "../../config/plan.ts";
import type { JsonObject } from "../../core/json.ts";
import { loadRegex } from "../../engine/lazy.ts";
import { HOSTS, hostById } from "../../hosts/registry.ts";
import { misspeltTools, reachOn, toolConditions } from "./tool-reach.ts";

const regex = await loadRegex();

const hook = (changes: Partial<PlanHook>): PlanHook => ({
  name: "mine",
  source: "x",
  layer: "user",
  priority: 100,
  on: ["pre_tool_use"],
  onError: "block",
  timeoutMs: 1,
  run: { type: "command", command: "x", env: {} },
  trust: "not-needed",
  ...changes,
});
const matching = (source: string) => hook({ matcher: patternData(source) });
const builtin = (name: string, options: JsonObject) => hook({ name, run: { type: "builtin", name, options } });

describe("what a matcher can mean on a host", () => {
  it.each([
    ["^Bash$", "claude-code", "known"],
    ["^Bash$", "cursor", "none"],
    ["^Shell$", "cursor", "known"],
    ["^bash$", "claude-code", "none"],
    ["^bash$", "opencode", "known"],
    ["^Shel$", "cursor", "none"],
    ["^shell$", "pi", "known"],
    ["^fsWrite$", "kiro", "known"],
    ["^(Shel|Bash)$", "claude-code", "known"],
    ["^Ba.h$", "claude-code", "known"],
    ["^Bax.*$", "claude-code", "none"],
    ["^mcp__crm__", "claude-code", "brought"],
    ["delete_customer", "claude-code", "brought"],
  ])("%s on %s: %s", (source, id, expected) => {
    const host = hostById(id);
    const [condition] = toolConditions(matching(source), regex);
    expect(host && condition && reachOn(host, condition)).toBe(expected);
  });

  it("a matcher of agents says nothing of tools", () => {
    expect(toolConditions(hook({ on: ["pre_delegation"], matcher: patternData("^reviewer$") }), regex)).toEqual([]);
  });
});

describe("a tool that no host has and whose name is almost that of one", () => {
  const told = (one: PlanHook) => misspeltTools([one], HOSTS, regex);

  it.each([
    [
      "a matcher",
      matching("^Shel$"),
      "matcher ^Shel$ of mine never matches: no known host has a tool Shel; did you mean Shell?",
    ],
    ["one of several", matching("^(Write|Edt)$"), "no known host has a tool Edt; did you mean Edit?"],
    ["letter case", matching("^BASH$"), "did you mean Bash?"],
    ["a hook's own when", hook({ when: { tool: globData("WebFetsh") } }), "did you mean WebFetch?"],
    [
      "requires-confirmation",
      builtin("requires-confirmation", { tools: ["Wrte"] }),
      "tools Wrte of requires-confirmation",
    ],
    ["workflow", builtin("workflow", { rules: [{ before: { tool: "Bsh" } }] }), "before.tool Bsh of workflow"],
    ["approvals", builtin("approvals", { rules: [{ when: { tools: ["Bash", "Wrte"] } }] }), "has a tool Wrte"],
  ])("is told: %s", (_, one, expected) => {
    expect(told(one)).toEqual([expect.stringContaining(expected)]);
  });

  it.each([
    "^Bash$",
    "^(shell|edit)$",
    "^create_customer$",
    "^send$",
    "^mcp__gthub__x$",
    "delete",
    ".*",
    "^Web(Fetch|Search)$",
  ])("what may be meant is left alone: %s", (source) => {
    expect(told(matching(source))).toEqual([]);
  });
});
