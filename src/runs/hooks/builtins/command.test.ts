import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sampleRun } from "../../scratch.fixture.ts";
import type { Modules } from "../engine.ts";
import { afterExit, beforeAttempt, completing, phases } from "../phases.fixture.ts";

const NO_MODULES: Modules = { describe: async () => [], judge: () => Promise.reject(new Error("no modules")) };

const node = (program: string) => `command: "${process.execPath}", args: ["-e", ${JSON.stringify(program)}]`;

async function asked(
  phase: string,
  options: string,
  changes: { moment?: ReturnType<typeof beforeAttempt>; more?: string } = {},
) {
  const made = phases(NO_MODULES, { env: { PATH: process.env.PATH, FROM_HERE: "yes" } });
  const hooks = await made.freeze(
    `hooks:\n  ${phase}: [{ builtin: command, with: { ${options} }${changes.more ?? ""} }]`,
  );
  const run = sampleRun({ settings: { ...sampleRun().settings, cwd: made.scratch.dir } });
  const moment = changes.moment ?? (phase === "taskTransition" ? completing(run) : beforeAttempt());
  return { ...made, outcome: await made.run(moment, { hooks, run }) };
}

describe("R-43 the exit code decides", () => {
  test.each([
    ["0 lets it go on", "process.exit(0)", { kind: "continue" }],
    [
      "another blocks with what it printed on stderr",
      "console.error(' no budget '); process.exit(1)",
      { kind: "block", reason: "no budget" },
    ],
    ["2 blocks as hosts have it", "console.error('stop'); process.exit(2)", { kind: "block", reason: "stop" }],
    [
      "without a word, the reason names the code",
      "process.exit(7)",
      { kind: "block", reason: expect.stringContaining("exit code 7") },
    ],
  ])("%s", async (_name, program, end) => {
    expect((await asked("beforeAttempt", `mode: status, ${node(program)}`)).outcome.end).toMatchObject(end);
  });

  test("a task edit is accepted or rejected by it", async () => {
    expect((await asked("taskTransition", `mode: status, ${node("")}`)).outcome.audits).toMatchObject([
      { outcome: "accepted" },
    ]);
    expect((await asked("taskTransition", `mode: status, ${node("process.exit(1)")}`)).outcome.audits).toMatchObject([
      { outcome: "rejected" },
    ]);
  });

  test("after the run's end it is only told of", async () => {
    const { outcome } = await asked("afterExit", `mode: status, ${node("process.exit(1)")}`, { moment: afterExit() });
    expect(outcome).toMatchObject({ end: { kind: "continue" }, audits: [{ outcome: "error" }] });
  });
});

describe("R-44 the answer on stdout decides", () => {
  const say = (answer: unknown) => node(`console.log(${JSON.stringify(JSON.stringify(answer))})`);

  test("all of it, with what it changes", async () => {
    const answer = { action: "reinvoke", followUpPrompt: "again", mutate: { state: { n: 1 } } };
    const { outcome } = await asked("beforeAttempt", `mode: json, ${say(answer)}`);
    expect(outcome).toMatchObject({ end: { kind: "reinvoke", prompt: "again" }, run: { state: { n: 1 } } });
    const edit = await asked("taskTransition", `mode: json, ${say({ accept: false, reason: "later" })}`);
    expect(edit.outcome.end).toMatchObject({ kind: "block", reason: "later" });
  });

  test.each([
    ["no JSON", node("console.log('fine')"), /printed no JSON/],
    ["an answer that is none", say({ action: "stop" }), /action: "stop"/],
    ["{}", say({}), /action: null/],
    ["another exit code", node("console.log('{}'); process.exit(3)"), /exit code 3/],
    ["an end by a signal", node("process.kill(process.pid, 'SIGKILL')"), /SIGKILL/],
    ["a program that is not there", 'command: "no-such-program-here"', /cannot be started/],
    ["more than 1 MiB", node("process.stdout.write('x'.repeat(2 << 20))"), /more than 1 MiB/],
    ["a directory that is not there", `${node("")}, cwd: nowhere`, /nowhere does not exist/],
  ])("%s is an error of the hook", async (_name, options, message) => {
    const { outcome } = await asked("beforeAttempt", `mode: json, ${options}`);
    expect(outcome.end).toMatchObject({ kind: "error", message: expect.stringMatching(message) });
  });

  test("RB-7 exit code 2 refuses, with the reason from stdout or else stderr", async () => {
    const both = "console.log(JSON.stringify({ reason: 'from json' })); console.error('from stderr'); process.exit(2)";
    expect((await asked("beforeAttempt", `mode: json, ${node(both)}`)).outcome.end).toMatchObject({
      kind: "block",
      reason: "from json",
    });
    const one = "console.error('from stderr'); process.exit(2)";
    expect((await asked("beforeAttempt", `mode: json, ${node(one)}`)).outcome.end).toMatchObject({
      kind: "block",
      reason: "from stderr",
    });
  });
});

describe("RB-7 the program", () => {
  test("is told everything on stdin, which is closed, and the most needed in its environment", async () => {
    const program =
      "let text = ''; process.stdin.on('data', (d) => (text += d)).on('end', () => require('fs').writeFileSync('seen.json', JSON.stringify({ stdin: JSON.parse(text), env: process.env })))";
    const { scratch } = await asked("taskTransition", `mode: status, ${node(program)}`);
    const { stdin, env } = JSON.parse(readFileSync(`${scratch.dir}/seen.json`, "utf8"));
    expect(stdin).toMatchObject({
      schemaVersion: 1,
      phase: "taskTransition",
      run: { runId: "abc123", cwd: scratch.dir },
      tasks: { total: 2 },
      transition: { taskId: "a", to: { status: "completed" } },
      config: { mode: "status" },
    });
    expect(env).toMatchObject({
      FROM_HERE: "yes",
      HOLDFAST_EVENT: "task_transition",
      HOLDFAST_PHASE: "taskTransition",
      HOLDFAST_RUN_ID: "abc123",
      HOLDFAST_RUN_CWD: scratch.dir,
      HOLDFAST_TASK_ID: "a",
      HOLDFAST_TASK_FROM: "pending",
      HOLDFAST_TASK_TO: "completed",
    });
  });

  test("R-45 has no shell, works where the run works or where it is told, and gets its arguments filled in", async () => {
    const program = "require('fs').writeFileSync('args.json', JSON.stringify(process.argv.slice(1)))";
    const { scratch } = await asked(
      "beforeAttempt",
      `mode: status, command: "${process.execPath}", args: ["-e", ${JSON.stringify(program)}, "{{run_id}}", "$(id) && x"], cwd: "."`,
    );
    expect(JSON.parse(readFileSync(`${scratch.dir}/args.json`, "utf8"))).toEqual(["abc123", "$(id) && x"]);
  });

  test("RB-1 is ended with everything it started when its time is up", async () => {
    const child = "setTimeout(() => require('fs').writeFileSync('late', ''), 1500)";
    const program = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'ignore' }); setInterval(() => {}, 1000)`;
    const { scratch, outcome } = await asked("beforeAttempt", `mode: status, ${node(program)}`, {
      more: ", timeoutSec: 0.5",
    });
    expect(outcome).toMatchObject({ end: { kind: "error", isTimeout: true }, audits: [{ outcome: "timeout" }] });
    await new Promise((done) => setTimeout(done, 2500));
    expect(existsSync(`${scratch.dir}/late`)).toBe(false);
  });
});
