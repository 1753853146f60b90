import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { identityOf, isAlive } from "../../src/runs/files/process-identity.ts";
import { it, type Machine, type Started } from "../program.ts";

/** A hook that says which process it is and does not come back. */
const HANGS = `{ builtin: command, with: { mode: status, command: sh, args: [-c, "echo $$ > hook.new; mv hook.new hook; sleep 60; :"] } }`;

function prepare(machine: Machine, phase: string): void {
  machine.write(
    "config/assignments/work/assignment.md",
    `---\nschemaVersion: 1\nname: work\nhooks:\n  ${phase}: [${HANGS}]\ntasks: [{ id: first, title: First }]\n---\nDo it.\n`,
  );
  machine.write(
    "config/agents/worker/agent.md",
    "---\nschemaVersion: 1\nname: worker\nbackend: passive\n---\nYou work.\n",
  );
}

const START = ["run", "work", "--agent", "worker"];

async function stoppedInHook(machine: Machine, { child, ended }: Started, signal: "SIGINT" | "SIGTERM") {
  const file = join(machine.projectDir, "hook");
  while (!existsSync(file)) await Promise.race([sleep(20), ended.then(({ stderr }) => expect.fail(stderr))]);
  const hook = identityOf(Number(readFileSync(file, "utf8")));
  expect(isAlive(hook)).toBe(true);
  child.kill(signal);
  const { code, stderr } = await ended;
  // One that was killed is gone once the machine gets to it.
  await expect.poll(() => isAlive(hook)).toBe(false);
  return { code, stderr };
}

describe("Ctrl-C while hooks are asked", () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    it(`R-50 R-22 before there is a run (${signal}): 130, no hook goes on, and nothing is left`, async ({
      machine,
    }) => {
      prepare(machine, "prepare");
      const stopped = await stoppedInHook(machine, machine.start(START), signal);
      expect(stopped).toEqual({ code: 130, stderr: expect.stringContaining("stopped") });
      const runs = join(machine.stateDir, "runs");
      expect(readdirSync(runs).flatMap((bucket) => readdirSync(join(runs, bucket)))).toEqual([]);
    });

  it("R-50 R-36 of an edit: 130, no hook goes on, and the task is as it was", async ({ machine }) => {
    prepare(machine, "taskTransition");
    const { id } = JSON.parse((await machine.cli([...START, "--json"])).stdout);
    const edit = machine.start(["task", "set", "first", "--status", "completed", "--run", id]);
    const stopped = await stoppedInHook(machine, edit, "SIGINT");
    expect(stopped).toEqual({ code: 130, stderr: expect.stringContaining("stopped") });
    const { tasks } = JSON.parse((await machine.cli(["task", "list", "--run", id, "--json"])).stdout);
    expect(tasks).toMatchObject([{ status: "pending" }]);
  });
});
