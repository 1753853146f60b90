import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { it, type Machine } from "../program.ts";

/** Without tasks: the exit code of the program decides. */
function prepare(machine: Machine, script: string): void {
  machine.write(
    "config/assignments/work/assignment.md",
    "---\nschemaVersion: 1\nname: work\nmaxRetries: 2\n---\nDo the work.\n",
  );
  machine.write("project/work.sh", script);
  machine.write(
    "config/agents/worker/agent.md",
    "---\nschemaVersion: 1\nname: worker\nbackend: command\nbackendConfig: { command: [sh, ./work.sh] }\n---\nYou work.\n",
  );
}

const START = ["run", "work", "--agent", "worker", "--detach", "--json"];
/** Tells the prompt, and ends when it is let go. */
const UNTIL_GO = "cat >> prompts.txt; echo WORKING; touch begun; while [ ! -e go ]; do sleep 0.1; done\n";

async function until(isSo: () => boolean): Promise<void> {
  for (let looks = 0; !isSo(); looks += 1) {
    if (looks > 1_200) throw new Error("waited in vain");
    await sleep(50);
  }
}

describe("a run that is left alone", () => {
  it("--detach: the command ends at once, the run goes on, and status --follow shows it to its end", async ({
    machine,
  }) => {
    prepare(machine, UNTIL_GO);
    const { code, stdout, stderr } = await machine.run(START);
    expect(code, stderr).toBe(0);
    const { run, log } = JSON.parse(stdout) as { run: string; log: string };
    await until(() => existsSync(join(machine.projectDir, "begun")));
    expect(JSON.parse((await machine.cli(["status", run, "--json"])).stdout)).toMatchObject({ status: "running" });
    const following = machine.start(["status", run, "--follow", "--exit-code"]);
    machine.write("project/go", "");
    const followed = await following.ended;
    expect(followed).toMatchObject({ code: 0, stdout: expect.stringContaining("success") });
    await until(() => /success/.test(machine.read(log.slice(machine.dir.length + 1))));
    expect(machine.read(log.slice(machine.dir.length + 1))).toContain("| WORKING");
  });

  it("resume --detach: it has begun when the command ends, so status --follow shows it to its end", async ({
    machine,
  }) => {
    prepare(machine, "[ -e go ] || exit 1\n");
    const first = await machine.cli(["run", "work", "--agent", "worker", "--retries", "0", "--json"]);
    const { id } = JSON.parse(first.stdout) as { id: string };
    machine.write("project/go", "");
    machine.write("project/work.sh", "sleep 1\n");
    expect(await machine.run(["resume", id, "--detach", "--message", "again"])).toMatchObject({ code: 0 });
    const followed = await machine.cli(["status", id, "--follow", "--exit-code"]);
    expect(followed).toMatchObject({ code: 0, stdout: expect.stringContaining("success") });
  });

  it("--detach of what cannot go on says so, and starts nothing", async ({ machine }) => {
    prepare(machine, "exit 0\n");
    const first = await machine.cli(["run", "work", "--agent", "worker", "--json"]);
    const { id } = JSON.parse(first.stdout) as { id: string };
    const over = await machine.cli(["resume", id, "--detach"]);
    expect([over.code, over.stderr]).toEqual([3, expect.stringContaining("HF1027")]);

    const init = await machine.cli(["run", "work", "--agent", "worker", "--init", "--json"]);
    const waited = (JSON.parse(init.stdout) as { id: string }).id;
    const waiting = await machine.cli(["run", "work", "--agent", "worker", "--depend", waited, "--detach"]);
    expect([waiting.code, waiting.stderr]).toEqual([3, expect.stringContaining("HF1037")]);

    prepare(machine, UNTIL_GO);
    const { run } = JSON.parse((await machine.cli(START)).stdout) as { run: string };
    const driven = await machine.cli(["resume", run, "--detach", "--message", "more"]);
    expect([driven.code, driven.stderr]).toEqual([3, expect.stringContaining("HF1024")]);
    machine.write("project/go", "");
    await machine.cli(["status", run, "--follow"]);
  });

  it("status --follow ends when nobody drives it any more, and says so", async ({ machine }) => {
    prepare(machine, UNTIL_GO);
    const { stdout } = await machine.run(START);
    const { run, pid } = JSON.parse(stdout) as { run: string; pid: number };
    await until(() => existsSync(join(machine.projectDir, "begun")));
    process.kill(pid, "SIGKILL");
    const followed = await machine.run(["status", run, "--follow"]);
    expect(followed).toMatchObject({ code: 0, stdout: expect.stringContaining("nobody drives it") });
  });

  it("what a person says meanwhile is told to the next attempt, once, also when the work seemed done", async ({
    machine,
  }) => {
    prepare(machine, UNTIL_GO);
    const { stdout } = await machine.run(START);
    const { run } = JSON.parse(stdout) as { run: string };
    await until(() => existsSync(join(machine.projectDir, "begun")));
    expect(await machine.cli(["runs", "message", run, "LEAVE-THE-MIGRATION"])).toMatchObject({ code: 0 });
    expect((await machine.cli(["status", run])).stdout).toContain("will be told: LEAVE-THE-MIGRATION");
    machine.write("project/go", "");
    await machine.run(["status", run, "--follow"]);
    const shown = JSON.parse((await machine.cli(["status", run, "--json"])).stdout);
    expect(shown).toMatchObject({ status: "success", attempts: [{}, {}] });
    expect(shown.messages ?? []).toEqual([]);
    expect(machine.read("project/prompts.txt").split("LEAVE-THE-MIGRATION")).toHaveLength(2);
  });
});
