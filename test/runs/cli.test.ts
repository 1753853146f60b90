import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { identityOf, isAlive } from "../../src/runs/files/process-identity.ts";
import { noTerminal, onTerminal } from "../cli/terminal.ts";
import { it, type Machine } from "../program.ts";

const assignment = (more = "", tasks = ["first", "second"]) => `---
schemaVersion: 1
name: work
maxRetries: 1
${more}tasks:
${tasks.map((id) => `  - { id: ${id}, title: The ${id} task }`).join("\n")}
---
Do the work.
`;

function prepare(machine: Machine, script: string, text = assignment()): void {
  machine.write("config/assignments/work/assignment.md", text);
  machine.write("project/work.sh", script);
  machine.write(
    "config/agents/worker/agent.md",
    "---\nschemaVersion: 1\nname: worker\nbackend: command\nbackendConfig: { command: [sh, ./work.sh] }\n---\nYou work.\n",
  );
}

const START = ["run", "work", "--agent", "worker"];
const COMPLETE = "holdfast task set first --status completed\nholdfast task set second --status completed\n";
const runOf = (stdout: string) => /run (\w{6})/.exec(stdout)?.[1] ?? "none";

describe("a run on the command line", () => {
  it("R-50 ends with 0 and its board once the tasks are completed, and knows its run inside", async ({ machine }) => {
    prepare(machine, `echo "in $HOLDFAST_RUN_ID"\n${COMPLETE}`);
    const { code, stdout, stderr } = await machine.run(START);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/run \w{6} {2}work {2}command {2}success/);
    expect(stdout).toContain("[x]  second  The second task  completed");
    expect(stderr).toContain(`| in ${runOf(stdout)}`);
    expect(stderr).toContain("task first: pending -> completed");

    const audit = await machine.cli(["audit", runOf(stdout), "--json"]);
    const events = JSON.parse(audit.stdout) as { type: string; cursor: number }[];
    expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, index) => index + 1));
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["run.created", "attempt.started", "task.edited", "run.finished"]),
    );
  });

  it("R-50 ends with 1 when attempts are out, says what is open, and goes on with resume", async ({ machine }) => {
    prepare(
      machine,
      "cat >> prompts.txt\n[ -e go ] && holdfast task set second --status completed\nholdfast task set first --status completed\n",
    );
    const { code, stdout } = await machine.run(START);
    expect(code).toBe(1);
    expect(stdout).toContain("not completed: second");
    expect(stdout).toContain(`holdfast resume ${runOf(stdout)}`);
    expect(machine.read("project/prompts.txt")).toContain("- [second] The second task (pending)");

    machine.write("project/go", "");
    const resumed = await machine.run(["resume", runOf(stdout), "--message", "MIND-THE-GAP", "--json"]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ status: "success", attempts: [{}, {}, { session: 1 }] });
    expect(machine.read("project/prompts.txt")).toContain("MIND-THE-GAP");
  });

  it("R-49 shows the hooks it was made with, what they keep and what they said; a list counts them", async ({
    machine,
  }) => {
    const hooks =
      'hooks:\n  afterAttempt:\n    - { builtin: command, with: { mode: json, command: printf, args: ["%s", \'{"action":"continue","mutate":{"state":{"seen":1}}}\'] } }\n';
    prepare(machine, COMPLETE, assignment(hooks));
    const { stdout } = await machine.run(START);
    const shown = JSON.parse((await machine.cli(["status", runOf(stdout), "--json"])).stdout);
    expect(shown).toMatchObject({
      hooks: [{ id: "afterAttempt:0:command", phase: "afterAttempt" }],
      state: { seen: 1 },
      hookAudits: [{ hook: "afterAttempt:0:command", outcome: "continue" }],
    });
    expect(JSON.parse((await machine.cli(["runs", "list", "--all", "--json"])).stdout)).toMatchObject([{ hooks: 1 }]);
  });

  it("R-53 ends with 2 when a task is blocked, and resumes only with a message", async ({ machine }) => {
    prepare(machine, 'holdfast task set first --status blocked --notes "needs the key"\n');
    const { code, stdout } = await machine.run(START);
    expect(code).toBe(2);
    expect(stdout).toContain("blocked: first");
    const resumed = await machine.run(["resume", runOf(stdout)]);
    expect(resumed).toMatchObject({ code: 3, stdout: "" });
    expect(resumed.stderr).toContain("HF1027");
  });

  it("R-34 RB-12 a rejected edit ends with 2, nothing on stdout and the hook's reason, in JSON too", async ({
    machine,
  }) => {
    const reject =
      'hooks:\n  taskTransition:\n    - { builtin: command, with: { mode: status, command: sh, args: ["-c", "echo show me >&2; exit 1"] } }\n';
    prepare(machine, 'holdfast task set first --status completed; echo "edit ended with $?"\n', assignment(reject));
    const { code, stderr, stdout } = await machine.run(START);
    expect(code).toBe(1);
    expect(stderr).toContain("edit ended with 2");
    expect(stdout).toMatch(/rejected {2}taskTransition:0:command: show me/);

    const edit = ["task", "set", "first", "--status", "completed", "--run", runOf(stdout)];
    const rejected = await machine.cli(edit);
    expect(rejected).toMatchObject({ code: 2, stdout: "" });
    expect(rejected.stderr).toContain("show me");
    const json = await machine.cli([...edit, "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: "HF1025", message: "show me" } });
  });

  it("R-50 Ctrl-C: aborted, 130", async ({ machine }) => {
    prepare(machine, "echo WORKING\nsleep 60\n");
    const { child, ended } = machine.start(START);
    await new Promise<void>((heard) => {
      child.stderr.on("data", (chunk) => String(chunk).includes("WORKING") && heard());
    });
    child.kill("SIGINT");
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    expect(stdout).toContain("aborted");
    expect((await machine.cli(["status", runOf(stdout), "--exit-code"])).code).toBe(130);
  });

  it("runs stop, from another shell: aborted, 130, and whoever is not driven says so", async ({ machine }) => {
    prepare(machine, "echo WORKING\nsleep 60\n");
    const { child, ended } = machine.start(START);
    await new Promise<void>((heard) => {
      child.stderr.on("data", (chunk) => String(chunk).includes("WORKING") && heard());
    });
    const [{ id }] = JSON.parse((await machine.cli(["runs", "list", "--json"])).stdout) as [{ id: string }];
    expect((await machine.cli(["runs", "stop", id])).code).toBe(0);
    expect((await ended).code).toBe(130);
    const again = await machine.cli(["runs", "stop", id]);
    expect(again.stderr).toContain("nobody drives run");
    expect((await machine.cli(["audit", id])).stdout).toContain("run.stop_requested");
  });

  it("R-50 what cannot be meant ends with 3 and the nearest name, and makes no run", async ({ machine }) => {
    prepare(machine, COMPLETE);
    for (const [args, said] of [
      [["run", "wrok", "--agent", "worker"], "did you mean work?"],
      [["run", "work", "--agent", "worker", "--backend", "comand"], "did you mean command?"],
      [["run", "work", "--agent", "worker", "--var", "nothing=1"], "nothing"],
      [["run", "work"], "give --agent"],
      [["run", "work", "--agent", "worker", "--effort", "hihg"], "did you mean high?"],
    ] as const) {
      const { code, stderr } = await machine.cli(args);
      expect({ args, code }).toEqual({ args, code: 3 });
      expect(stderr).toContain(said);
    }
    expect(JSON.parse((await machine.cli(["runs", "list", "--all", "--json"])).stdout)).toEqual([]);
  });

  it("R-50 a disk that says no ends with 4, never as if attempts were out, and says what to do", async ({
    machine,
  }) => {
    prepare(machine, COMPLETE);
    machine.write("state/runs", "a file where a directory belongs");
    const { code, stderr } = await machine.cli(START);
    expect([code, stderr]).toEqual([4, expect.stringMatching(/HF1083.*state\/runs.*holdfast resume/s)]);
  });

  it("of two that start a run at once, detached, one does, and the other is told so", async ({ machine }) => {
    prepare(machine, "sleep 60\n");
    const { id } = JSON.parse((await machine.cli([...START, "--init", "--json"])).stdout);
    const both = await Promise.all([0, 1].map(() => machine.run(["resume", id, "--detach"])));
    const [began, refused] = both.sort((one, other) => (one.code ?? 0) - (other.code ?? 0));
    const pid = /process (\d+)/.exec(began?.stdout ?? "")?.[1];
    expect([began?.code, refused?.code === 0, refused?.stderr]).toEqual([
      ...[0, false, expect.stringContaining(`driven by process ${pid}`)],
    ]);
    await machine.cli(["runs", "stop", id]);
    while (isAlive(identityOf(Number(pid)))) await new Promise((done) => setTimeout(done, 50));
  });

  it("R-51 made, looked at, ready, started: in these steps", async ({ machine }) => {
    prepare(machine, COMPLETE);
    const made = await machine.cli([...START, "--init"]);
    const id = runOf(made.stdout);
    expect(made.stdout).toContain("initialized");
    expect((await machine.cli(["ready", id])).stdout).toContain("ready");
    expect((await machine.cli(["task", "set", "first", "--status", "completed", "--run", id])).code).toBe(3);
    const started = await machine.run(["resume", id]);
    expect(started.code, started.stderr).toBe(0);
    expect((await machine.cli(["runs", "reset", id])).stdout).toContain("initialized");
    expect((await machine.cli(["runs", "delete", id])).code).toBe(0);
    expect((await machine.cli(["status", id])).code).toBe(3);
  });

  it("a dry run shows the brief and stores nothing", async ({ machine }) => {
    prepare(machine, COMPLETE);
    const { code, stdout } = await machine.cli([...START, "--dry-run"]);
    expect(code).toBe(0);
    expect(stdout).toContain("Do the work.");
    expect(JSON.parse((await machine.cli(["runs", "list", "--all", "--json"])).stdout)).toEqual([]);
  });

  it("a dry run asks no prepare hook, and says which it would", async ({ machine }) => {
    prepare(
      machine,
      COMPLETE,
      assignment(
        `hooks:\n  prepare:\n    - { builtin: command, with: { mode: status, command: touch, args: [made] } }\n`,
      ),
    );
    const { code, stdout, stderr } = await machine.cli([...START, "--dry-run"]);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("prepare:0:command  would be asked");
    expect(existsSync(join(machine.projectDir, "made"))).toBe(false);
  });

  it("R-37 a passive run succeeds by its edits; notes, pins and names are kept", async ({ machine }) => {
    prepare(machine, "");
    const id = runOf((await machine.cli(["run", "work", "--backend", "passive"])).stdout);
    for (const task of ["first", "second"]) {
      expect((await machine.cli(["task", "set", task, "--status", "completed", "--run", id])).code).toBe(0);
    }
    await machine.cli(["runs", "note", id, "waits for Ann"]);
    await machine.cli(["runs", "pin", id]);
    const { stdout } = await machine.cli(["status", id, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ status: "success", note: "waits for Ann", isPinned: true });
    expect((await machine.cli(["runs", "message", id, "and now?"])).stderr).toContain("the run has ended");
  });

  it("R-41 files are attached, listed, handed out and removed", async ({ machine }) => {
    prepare(machine, "");
    const id = runOf((await machine.cli(["run", "work", "--backend", "passive"])).stdout);
    machine.write("project/report.md", "what was wrong");
    expect((await machine.cli(["attachment", "add", "report.md", "--run", id])).stdout).toContain("text/markdown");
    const copy = ["attachment", "download", "report.md", "--to", "copy.md", "--run", id];
    expect((await machine.cli(copy)).code).toBe(0);
    expect(machine.read("project/copy.md")).toBe("what was wrong");
    expect((await machine.cli(copy)).code, "nothing is overwritten").toBe(3);
    expect((await machine.cli(["attachment", "remove", "report.md", "--run", id])).stdout).toContain("no attachments");
  });

  it("R-52 inside a run only it and what it started can be touched, and no record can be taken away", async ({
    machine,
  }) => {
    prepare(machine, "");
    const made = async (env = {}) =>
      runOf((await machine.cli(["run", "work", "--backend", "passive"], { env })).stdout);
    const [own, other] = [await made(), await made()];
    const inside = { HOLDFAST_RUN_ID: own };
    const child = await made(inside);
    const edit = (id: string) =>
      machine.cli(["task", "set", "first", "--status", "completed", "--run", id], { env: inside });
    expect((await edit(own)).code).toBe(0);
    expect((await edit(child)).code).toBe(0);
    expect(await edit(other)).toMatchObject({ code: 3, stderr: expect.stringContaining("HF1046") });
    expect((await machine.cli(["runs", "delete", other], { env: inside })).code).toBe(3);
    expect((await machine.cli(["runs", "delete", other], { env: { CLAUDECODE: "1" } })).code).toBe(2);
    expect((await machine.cli(["status", child, "--json"])).stdout).toContain(`"parentRun": "${own}"`);
  });

  it("RB-5 a phase can be tried out: what hooks would say, and nothing stored", async ({ machine }) => {
    const reject = 'hooks:\n  taskTransition:\n    - { builtin: command, with: { mode: status, command: "false" } }\n';
    prepare(machine, "", assignment(reject));
    const id = runOf((await machine.cli(["run", "work", "--backend", "passive"])).stdout);
    const { code, stdout } = await machine.cli(["hooks", "run", "--phase", "taskTransition", "--run", id, "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ end: { kind: "block" }, audits: [{ outcome: "rejected" }] });
    expect((await machine.cli(["audit", id, "--hooks", "--json"])).stdout.trim()).toBe("[]");
  });

  it.skipIf(noTerminal)("on a terminal the board is drawn in place", async ({ machine }) => {
    prepare(machine, COMPLETE);
    const { code, screen } = await onTerminal(machine, START).ended;
    expect(code).toBe(0);
    expect(screen).toContain("\u001b[0J");
    expect(screen).toContain("success");
  });
});
