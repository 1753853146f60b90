import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { type Postgres, startPostgres } from "../approvals/postgres.ts";
import { it, type Machine } from "../program.ts";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

/** In the person's own directory: nobody is asked to trust it. */
const written = (machine: Machine, command: string) =>
  machine.write(
    "config/assignments/work/assignment.md",
    `---\nschemaVersion: 1\nname: work\nhooks:\n  beforeAttempt:\n    - { builtin: command, with: { mode: status, command: sh, args: [-c, ${command}] } }\n---\nDo it.\n`,
  );

it("a command that another's own file brought is run by resume only where the same stands in the file here", async ({
  machine,
}) => {
  const url = await postgres.database(`resume_${process.pid}`);
  machine.write("config/holdfast.yaml", `runs:\n  store: "${url}"\n`);
  machine.write(
    "config/agents/worker/agent.md",
    '---\nschemaVersion: 1\nname: worker\nbackend: command\nbackendConfig: { command: [sh, -c, "true"] }\n---\nYou work.\n',
  );
  written(machine, "touch ran");
  const made = await machine.run(["run", "work", "--agent", "worker", "--init", "--json"]);
  const { id } = JSON.parse(made.stdout);
  const hasRun = () => existsSync(join(machine.projectDir, "ran"));

  written(machine, "echo mine");
  for (const more of [[], ["--detach"]]) {
    const { code, stderr } = await machine.run(["resume", id, ...more]);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/HF1015.*make the run anew/s)]);
  }
  expect(hasRun()).toBe(false);

  written(machine, "touch ran");
  expect(await machine.run(["resume", id])).toMatchObject({ code: 0 });
  expect(hasRun()).toBe(true);
});
