import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

it("the example runs as it stands: delegation, a blocked call, one more step, and steps in order", () => {
  const printed = execFileSync(process.execPath, [join(import.meta.dirname, "agent.mjs")], { encoding: "utf8" });
  expect(printed).toContain("researcher  tool_blocked  shell  this agent has no business on the network");
  expect(printed).toContain("lead  continuation  Say what you checked.");
  expect(printed).toContain("lead  turn_ended  It is version 7; I checked with the researcher.");
  expect(printed).toContain("steps: left: a wall; right: a door; choose: right, through the door");
});
