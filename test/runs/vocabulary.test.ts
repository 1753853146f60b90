import { join } from "node:path";
import { expect } from "vitest";
import { EVENT_NAMES } from "../../src/core/event.ts";
import { distDir, it } from "../program.ts";
import { userHooks } from "../rules.ts";

it("X-21 the reference agent inside a run fires every event of the table, the run's own among them", async ({
  machine,
}) => {
  const heard = join(machine.dir, "heard");
  await userHooks(
    machine,
    EVENT_NAMES.map((event) => ({ event, script: `cat > /dev/null\necho ${event} >> '${heard}'\n` })),
  );
  machine.write(
    "config/assignments/work/assignment.md",
    "---\nschemaVersion: 1\nname: work\ntasks:\n  - { id: first, title: First }\n---\nDo it.\n",
  );
  const program = join(import.meta.dirname, "whole-life-agent.mjs");
  const command = JSON.stringify([process.execPath, program, distDir]);
  machine.write(
    "config/agents/worker/agent.md",
    `---\nschemaVersion: 1\nname: worker\nbackend: command\nbackendConfig: { command: ${command} }\n---\nYou work.\n`,
  );
  const { code, stderr } = await machine.run(["run", "work", "--agent", "worker"]);
  expect(code, stderr).toBe(0);
  const names = new Set(machine.read("heard").trim().split("\n"));
  expect([...names].sort()).toEqual([...EVENT_NAMES].sort());
});
