import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import type { QueueEntry } from "../../src/runs/queue.ts";
import { type Postgres, startPostgres } from "../approvals/postgres.ts";
import { it, type Machine, type Started } from "../program.ts";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

/** Notes when it begins, whether another of its run or too many of its kind are alive, and when it ends. */
const WORK = `alive() { [ -r "/proc/$1/status" ] && ! grep -q '^State:.Z' "/proc/$1/status"; }
[ -e "pid-$HOLDFAST_RUN_ID" ] && alive "$(cat "pid-$HOLDFAST_RUN_ID")" && echo "OVERLAP $HOLDFAST_RUN_ID" >> log
echo $$ > "pid-$HOLDFAST_RUN_ID"
echo $$ > "group-$HOLDFAST_RUN_GROUP-$HOLDFAST_RUN_ID"
count() { n=0; for file in "$@"; do [ -e "$file" ] && alive "$(cat "$file")" && n=$((n + 1)); done; echo "$n"; }
echo "begin $HOLDFAST_RUN_ID $(count pid-*) $(count group-"$HOLDFAST_RUN_GROUP"-*)" >> log
[ -e slow ] && sleep "$(cat slow)"
echo "end $HOLDFAST_RUN_ID" >> log
`;

const started: Started[] = [];
afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    child.kill("SIGCONT");
    child.kill("SIGKILL");
    await ended;
  }
});

let databases = 0;

/** Assignments without tasks: the exit code of the program decides. */
async function prepare(machine: Machine, { slow = "", worker = "", leaseSeconds = 4 } = {}): Promise<string> {
  databases += 1;
  const url = await postgres.database(`queue_${process.pid}_${databases}`);
  machine.write("config/holdfast.yaml", `runs:\n  store: "${url}"\n  lease_seconds: ${leaseSeconds}\n${worker}`);
  mkdirSync(join(machine.projectDir, ".git"));
  machine.write("config/assignments/work/assignment.md", "---\nschemaVersion: 1\nname: work\n---\nDo the work.\n");
  machine.write("project/work.sh", WORK);
  machine.write(
    "config/agents/worker/agent.md",
    "---\nschemaVersion: 1\nname: worker\nbackend: command\nbackendConfig: { command: [sh, ./work.sh] }\n---\nYou work.\n",
  );
  if (slow !== "") machine.write("project/slow", slow);
  return url;
}

async function json<T>(machine: Machine, args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await machine.cli([...args, "--json"]);
  expect(code, stdout + stderr).toBe(0);
  return JSON.parse(stdout) as T;
}

const enqueue = async (machine: Machine, ...more: string[]) =>
  (await json<QueueEntry>(machine, ["run", "work", "--agent", "worker", "--queue", ...more])).run;

function worker(machine: Machine, ...more: string[]): Started {
  const one = machine.start(["worker", ...more]);
  started.push(one);
  return one;
}

const logOf = (machine: Machine): string[] => {
  const file = join(machine.projectDir, "log");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};
const begins = (machine: Machine) => logOf(machine).filter((line) => line.startsWith("begin"));

async function until<T>(what: string, look: () => Promise<T | false> | T | false): Promise<T> {
  for (let looks = 0; looks < 1_200; looks += 1) {
    const found = await look();
    if (found) return found;
    await sleep(50);
  }
  throw new Error(`waited in vain: ${what}`);
}

const entryOf = (machine: Machine, run: string) => json<QueueEntry>(machine, ["queue", "show", run]);
const isOver = async (machine: Machine) => (await json<QueueEntry[]>(machine, ["queue", "list"])).length === 0;

/** What must be so of every run in the end, whatever happened to its workers. */
async function expectEachOnce(machine: Machine, runs: readonly string[]): Promise<void> {
  expect(logOf(machine).filter((line) => line.startsWith("OVERLAP"))).toEqual([]);
  for (const run of runs) {
    const shown = await json<Record<string, unknown>>(machine, ["status", run]);
    expect(shown).toMatchObject({ status: "success", driver: null, queue: { state: "done" } });
    const events = await json<{ cursor: number; type: string }[]>(machine, ["audit", run]);
    expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, at) => at + 1));
    const count = (type: string) => events.filter((event) => event.type === type).length;
    expect([count("session.started"), count("attempt.ended"), count("run.finished")]).toEqual([1, 1, 1]);
  }
}

describe("workers", () => {
  it("take each run once, and no more of a repository or group than the limits say", async ({ machine }) => {
    // Longer than a worker may be kept from its turn by the others.
    await prepare(machine, { slow: "0.3", leaseSeconds: 60 });
    await json(machine, ["queue", "limit", "repository", "project", "3"]);
    await json(machine, ["queue", "limit", "group", "*", "1"]);
    const runs: string[] = [];
    for (let at = 0; at < 9; at += 1) runs.push(await enqueue(machine, "--group", `g${at % 4}`));
    const workers = [1, 2, 3].map(() => worker(machine, "--concurrency", "3", "--until-empty"));
    await until("all over", () => isOver(machine));
    for (const { ended } of workers) expect(await ended).toMatchObject({ code: 0 });
    expect(begins(machine)).toHaveLength(9);
    for (const line of begins(machine)) {
      const [, , ofRepository, ofGroup] = line.split(" ").map(Number);
      expect(ofRepository, line).toBeLessThanOrEqual(3);
      expect(ofGroup, line).toBe(1);
    }
    await expectEachOnce(machine, runs);
    for (const run of runs) expect(await entryOf(machine, run)).toMatchObject({ takes: 1 });
  });

  it("take higher priorities first, and what waits for other runs when those have succeeded", async ({ machine }) => {
    await prepare(machine);
    const first = await enqueue(machine);
    const last = await enqueue(machine, "--priority=-1");
    const waiting = await enqueue(machine, "--priority", "9", "--depend", last);
    const urgent = await enqueue(machine, "--priority", "5");
    const { ended } = worker(machine);
    await until("all over", () => isOver(machine));
    started[0]?.child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0 });
    const order = begins(machine).map((line) => line.split(" ")[1]);
    expect(order).toEqual([urgent, first, last, waiting]);
  });

  it("told to go on until nothing is left, stay for runs that wait for others, unless those cannot succeed", async ({
    machine,
  }) => {
    await prepare(machine, { slow: "2" });
    const first = await enqueue(machine);
    const second = await enqueue(machine, "--priority", "5", "--depend", first);
    const third = await enqueue(machine, "--priority", "9", "--depend", second);
    expect(await worker(machine, "--until-empty").ended).toMatchObject({ code: 0 });
    await expectEachOnce(machine, [first, second, third]);

    machine.write("project/work.sh", "exit 1\n");
    const failing = await enqueue(machine, "--retries", "0");
    const inVain = await enqueue(machine, "--depend", failing);
    const inVainToo = await enqueue(machine, "--priority", "7", "--depend", inVain);
    expect(await worker(machine, "--until-empty").ended).toMatchObject({ code: 0 });
    for (const run of [inVain, inVainToo]) expect(await entryOf(machine, run)).toMatchObject({ state: "waiting" });
  });

  it("one that meets what nobody expected says so, and tries it again only after a while", async ({ machine }) => {
    const url = await prepare(machine);
    const run = await enqueue(machine);
    const client = new pg.Client(url);
    await client.connect();
    await client.query("update holdfast_runs.runs set body = 'no JSON' where id = $1", [run]);
    await client.end();
    const { code, stdout } = await worker(machine, "--until-empty").ended;
    expect([code, stdout]).toEqual([0, expect.stringMatching(/problem {2}(.|\n)*handed-back/)]);
    expect(await entryOf(machine, run)).toMatchObject({
      state: "waiting",
      takes: 1,
      reason: expect.stringMatching("JSON"),
    });
  });

  it("one that is killed: its agent ends with it, and another goes on with the attempt it was in", async ({
    machine,
  }) => {
    await prepare(machine, { slow: "60" });
    const run = await enqueue(machine);
    const first = worker(machine);
    await until("it works", () => begins(machine).length > 0);
    const agent = Number(machine.read(`project/pid-${run}`));
    first.child.kill("SIGKILL");
    await first.ended;
    await until("its agent is gone", () => !isRunning(agent));
    machine.write("project/slow", "0");
    worker(machine, "--until-empty");
    await until("over", () => isOver(machine));
    await expectEachOnce(machine, [run]);
    expect(begins(machine)).toHaveLength(2);
    expect(await entryOf(machine, run)).toMatchObject({ takes: 2 });
  });

  it("one that hangs is taken for dead: its agent is ended, and when it wakes up it stores nothing", async ({
    machine,
  }) => {
    await prepare(machine, { slow: "60" });
    const run = await enqueue(machine);
    const first = worker(machine);
    await until("it works", () => begins(machine).length > 0);
    first.child.kill("SIGSTOP");
    machine.write("project/slow", "0");
    worker(machine);
    await until("over", () => isOver(machine));
    first.child.kill("SIGCONT");
    await first.printed("lost");
    await expectEachOnce(machine, [run]);
  });

  it("one that is stopped hands back what goes on, and ends with 0", async ({ machine }) => {
    await prepare(machine, { slow: "60" });
    const run = await enqueue(machine);
    const first = worker(machine, "--grace", "0");
    await until("it works", () => begins(machine).length > 0);
    first.child.kill("SIGTERM");
    expect(await first.ended).toMatchObject({ code: 0 });
    expect(await entryOf(machine, run)).toMatchObject({ state: "waiting", reason: "its worker was stopped" });
    machine.write("project/slow", "0");
    expect(await worker(machine, "--until-empty").ended).toMatchObject({ code: 0 });
    await expectEachOnce(machine, [run]);
  });

  it("one that is stopped lets what goes on end, if it ends in time", async ({ machine }) => {
    await prepare(machine, { slow: "2", leaseSeconds: 60 });
    const run = await enqueue(machine);
    const { child, ended } = worker(machine);
    await until("it works", () => begins(machine).length > 0);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0 });
    await expectEachOnce(machine, [run]);
    expect(await entryOf(machine, run)).toMatchObject({ takes: 1 });
  });

  it("killed again and again at any moment, they get every run done once", async ({ machine }) => {
    await prepare(machine, { slow: "0.2" });
    const runs: string[] = [];
    for (let at = 0; at < 6; at += 1) runs.push(await enqueue(machine));
    for (let round = 0; round < 12 && !(await isOver(machine)); round += 1) {
      const pair = [worker(machine, "--concurrency", "2"), worker(machine, "--concurrency", "2")];
      const before = begins(machine).length;
      await until("one begins", async () => begins(machine).length > before || (await isOver(machine)));
      await sleep(37 * (round % 7));
      for (const { child, ended } of pair) {
        child.kill("SIGKILL");
        await ended;
      }
    }
    if (!(await isOver(machine))) await worker(machine, "--concurrency", "2", "--until-empty").ended;
    await until("all over", () => isOver(machine));
    await expectEachOnce(machine, runs);
  });

  it("go on when PostgreSQL is killed and started again under them", async ({ machine }) => {
    await prepare(machine, { slow: "1" });
    const runs = [await enqueue(machine), await enqueue(machine), await enqueue(machine)];
    worker(machine);
    worker(machine);
    await until("they work", () => begins(machine).length > 0);
    await postgres.kill();
    await sleep(500);
    await postgres.restart();
    await until("all over", () => isOver(machine));
    await expectEachOnce(machine, runs);
  });
});

describe("the queue", () => {
  it("a run that waits is cancelled at once, one that goes on is stopped; both can be put in again", async ({
    machine,
  }) => {
    await prepare(machine, { slow: "60" });
    const going = await enqueue(machine);
    worker(machine);
    await until("it works", () => begins(machine).length > 0);
    const waiting = await enqueue(machine);
    expect(await json(machine, ["queue", "cancel", waiting])).toMatchObject({ state: "cancelled" });
    await json(machine, ["queue", "cancel", going]);
    await until("it is stopped", async () => (await entryOf(machine, going)).state === "cancelled");
    expect(await json(machine, ["status", going])).toMatchObject({ status: "aborted" });
    machine.write("project/slow", "0");
    await json(machine, ["queue", "retry", waiting]);
    await json(machine, ["resume", going, "--message", "go on after all", "--queue"]);
    await until("all over", () => isOver(machine));
    expect(await json(machine, ["status", waiting])).toMatchObject({ status: "success" });
    expect(await json(machine, ["status", going])).toMatchObject({ status: "success", attempts: [{}, { session: 1 }] });
  });

  it("a run that has ended and waits in it again is followed until it has ended again", async ({ machine }) => {
    await prepare(machine);
    const run = await enqueue(machine);
    await worker(machine, "--until-empty").ended;
    await json(machine, ["resume", run, "--message", "once more", "--queue"]);
    const following = machine.start(["status", run, "--follow", "--json"]);
    started.push(following);
    await sleep(1_500);
    await worker(machine, "--until-empty").ended;
    expect(JSON.parse((await following.ended).stdout)).toMatchObject({ status: "success", sessions: [{}, {}] });
  });

  it("a run in it is driven by nobody else, and put in only once", async ({ machine }) => {
    await prepare(machine);
    const run = await enqueue(machine);
    for (const args of [
      ["resume", run],
      ["resume", run, "--queue"],
    ]) {
      const { code, stderr } = await machine.cli(args);
      expect([code, stderr]).toEqual([3, expect.stringContaining("HF1063")]);
    }
  });

  it("what a machine cannot or may not run waits, and says why", async ({ machine }) => {
    await prepare(machine, { worker: "  worker: { backends: [claude-code] }\n" });
    const run = await enqueue(machine);
    expect(await worker(machine, "--until-empty").ended).toMatchObject({ code: 0 });
    expect(await entryOf(machine, run)).toMatchObject({ state: "waiting", takes: 0 });

    await prepareAnother(machine);
    machine.write(
      "project/.holdfast/assignments/coded/assignment.md",
      "---\nschemaVersion: 1\nname: coded\nhooks:\n  afterExit:\n    - { builtin: command, with: { mode: status, command: 'true' } }\n---\nDo it.\n",
    );
    const stateless = { env: { ...machine.env, HOLDFAST_STATE_DIR: join(machine.dir, "another-machine") } };
    const untrusted = await machine.cli(["run", "coded", "--agent", "worker", "--queue"]);
    expect([untrusted.code, untrusted.stderr]).toEqual([3, expect.stringContaining("HF1015")]);
    const { grantTrust } = await import("../../src/config/trust.ts");
    const { assignmentCode } = await import("../../src/entry/run/definitions.ts");
    grantTrust(machine.stateDir, assignmentCode("coded", { cwd: machine.projectDir, env: machine.env }), new Date());
    const coded = (await json<QueueEntry>(machine, ["run", "coded", "--agent", "worker", "--queue"])).run;
    const elsewhere = machine.start(["worker", "--until-empty"], stateless);
    expect(await elsewhere.ended).toMatchObject({ code: 0 });
    expect(await entryOf(machine, coded)).toMatchObject({
      state: "waiting",
      reason: expect.stringMatching(/nobody here trusted .*holdfast trust --assignment/),
    });
    await json(machine, ["queue", "cancel", coded]);
    const resumed = await machine.start(["resume", coded], stateless).ended;
    expect([resumed.code, resumed.stderr]).toEqual([3, expect.stringContaining("HF1015")]);
  });

  it("without a database there is none, and that is said before a run is made", async ({ machine }) => {
    await prepare(machine);
    machine.write("config/holdfast.yaml", "");
    const { code, stderr } = await machine.cli(["run", "work", "--agent", "worker", "--queue"]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("HF1062")]);
    expect(existsSync(join(machine.stateDir, "runs")) ? readdirSync(join(machine.stateDir, "runs")) : []).toEqual([]);
  });
});

/** The same machine, without the restriction to other backends. */
async function prepareAnother(machine: Machine): Promise<void> {
  machine.write("config/holdfast.yaml", machine.read("config/holdfast.yaml").replace(/ {2}worker:.*\n/, ""));
}

function isRunning(pid: number): boolean {
  const status = `/proc/${pid}/status`;
  try {
    return !/^State:\s*Z/m.test(readFileSync(status, "utf8"));
  } catch {
    return false;
  }
}
