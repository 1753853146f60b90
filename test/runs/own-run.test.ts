import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { identityOf, isAlive } from "../../src/runs/files/process-identity.ts";
import { it, type Machine } from "../program.ts";

/** A run that nothing drives, with hooks on its edits; the program the hooks call is the real one. */
async function passiveRun(machine: Machine, hooks: string): Promise<string> {
  machine.write(
    "config/assignments/work/assignment.md",
    `---\nschemaVersion: 1\nname: work\nhooks:\n  taskTransition:\n${hooks}tasks:\n  - { id: first, title: First }\n  - { id: second, title: Second }\n---\nDo it.\n`,
  );
  machine.write(
    "config/agents/worker/agent.md",
    "---\nschemaVersion: 1\nname: worker\nbackend: passive\n---\nYou work.\n",
  );
  const { stdout, stderr } = await machine.cli(["run", "work", "--agent", "worker", "--json"]);
  expect(stderr).toBe("");
  return JSON.parse(stdout).id;
}

const shell = (text: string, timeout = "") =>
  `    - { builtin: command, when: { taskId: first, source: [task-set] }, ${timeout}with: { mode: status, command: sh, args: ["-c", "${text}"] } }\n`;
const set = (run: string, ...more: string[]) => [
  "task",
  "set",
  "first",
  "--status",
  "completed",
  "--run",
  run,
  ...more,
];
interface Listed {
  readonly tasks: readonly { readonly status: string }[];
}

const tasksOf = async (machine: Machine, run: string) =>
  (JSON.parse((await machine.cli(["task", "list", "--run", run, "--json"])).stdout) as Listed).tasks;

describe("hooks that call holdfast on their own run", () => {
  it("RB-6 a command hook adds a task and takes notes, once each, and its edit is made", async ({ machine }) => {
    const run = await passiveRun(
      machine,
      shell("holdfast task append-notes second --notes seen >&2 && holdfast task add --title found >&2"),
    );
    const { code, stderr } = await machine.cli(set(run));
    expect(code, stderr).toBe(0);
    const tasks = await tasksOf(machine, run);
    expect(tasks).toMatchObject([{ status: "completed" }, { notes: "seen" }, { title: "found" }]);
    expect(tasks).toHaveLength(3);
  });

  it("RB-6 a module hook passes on the edit it is asked about, and what its program edits is part of it", async ({
    machine,
  }) => {
    machine.write(
      "config/hooks/own/hook.mjs",
      `import { execFileSync } from "node:child_process";
export default {
  name: "own",
  taskTransition({ edit, run }) {
    const env = { ...process.env, HOLDFAST_TASK_EDIT: edit };
    execFileSync("holdfast", ["task", "add", "--title", "found", "--run", run.runId], { env });
  },
};
`,
    );
    const run = await passiveRun(machine, "    - { name: own, when: { taskId: first, source: [task-set] } }\n");
    const { code, stderr } = await machine.cli(set(run));
    expect(code, stderr).toBe(0);
    expect(await tasksOf(machine, run)).toMatchObject([{ status: "completed" }, {}, { title: "found" }]);
    expect(await tasksOf(machine, run)).toHaveLength(3);
  });

  it("RB-6 one that hangs holds up neither who lists tasks nor who edits another", async ({ machine }) => {
    const run = await passiveRun(machine, shell("echo $$ > asked; sleep 60"));
    const hanging = machine.start(set(run));
    await soon(() => isWritten(machine, "asked"));
    expect((await tasksOf(machine, run)).map(({ status }) => status)).toEqual(["pending", "pending"]);
    const other = await machine.cli(["task", "set", "second", "--status", "completed", "--run", run]);
    expect(other.code, other.stderr).toBe(0);
    hanging.child.kill("SIGKILL");
    await hanging.ended.catch(() => {});
    process.kill(Number(machine.read("project/asked")), "SIGKILL");
    expect((await tasksOf(machine, run)).map(({ status }) => status)).toEqual(["pending", "completed"]);
  });
});

describe("a driver that is killed", () => {
  it("R-54 leaves a run that says so and that resume brings to its end, in the same session", async ({ machine }) => {
    machine.write(
      "config/assignments/work/assignment.md",
      "---\nschemaVersion: 1\nname: work\nmaxRetries: 1\ntasks:\n  - { id: first, title: First }\n---\nDo it.\n",
    );
    machine.write(
      "config/agents/worker/agent.md",
      "---\nschemaVersion: 1\nname: worker\nbackend: command\nbackendConfig: { command: [sh, ./work.sh] }\n---\nYou work.\n",
    );
    machine.write(
      "project/work.sh",
      "echo $$ >> begun\n[ -e go ] || sleep 60\nholdfast task set first --status completed\n",
    );
    const driver = machine.start(["run", "work", "--agent", "worker"]);
    await soon(() => isWritten(machine, "begun"));
    const agent = identityOf(Number(machine.read("project/begun")));
    driver.child.kill("SIGKILL");
    await driver.ended.catch(() => {});
    const [{ id }] = JSON.parse((await machine.cli(["runs", "list", "--all", "--json"])).stdout);
    machine.write("project/go", "");
    const { code, stdout, stderr } = await machine.run(["resume", id, "--json"]);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: "success", attempts: [{ number: 1, session: 0 }] });
    expect(isAlive(agent), "the agent of the dead driver is ended").toBe(false);
  });
});

const isWritten = (machine: Machine, name: string) =>
  (statSync(join(machine.projectDir, name), { throwIfNoEntry: false })?.size ?? 0) > 1;

async function soon(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((done) => setTimeout(done, 20));
}
