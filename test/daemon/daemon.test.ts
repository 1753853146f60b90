import { existsSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished } from "vitest";
import { placesOf } from "../../src/config/places.ts";
import { grantPass } from "../../src/engine/one-time-pass.ts";
import { KIND } from "../../src/entry/daemon/protocol.ts";
import { buildId } from "../../src/entry/daemon/socket-place.ts";
import { askDaemon } from "../../src/entry/daemon/talk.ts";
import { install } from "../../src/hosts/cursor/install.ts";
import { verifyJournal } from "../../src/records/verify.ts";
import { claudeShell, payload } from "../payloads.ts";
import { distDir, it, type Machine, program } from "../program.ts";
import { answers, blocks, tells, userHooks } from "../rules.ts";
import { call, newId, type Stage } from "./client.ts";
import { socketOf, startDaemon } from "./started.ts";

const id = buildId(distDir);
const hook = ["hook", "--host", "claude-code"];

const ask = (machine: Machine, command: string, until?: Stage, callId?: string) =>
  call(
    socketOf(machine),
    {
      argv: hook,
      env: machine.env,
      cwd: machine.projectDir,
      payload: claudeShell(machine, command),
      ...(callId ? { id: callId } : {}),
    },
    until,
  );

const silence = async (machine: Machine, shell: object) => (await machine.hook("claude-code", shell)).stdout;

describe.skipIf(id === undefined)("the daemon", () => {
  it("answers as the hook process does, to the byte", async ({ machine }) => {
    const rewrite = answers({
      hook_specific_output: { hook_event_name: "pre_tool_use", updated_input: { command: "ls -l" } },
    });
    await userHooks(machine, [{ event: "pre_tool_use", matcher: "^shell$", script: rewrite }]);
    await startDaemon(machine);
    for (const command of ["git push --force origin main", "ls", "npm publish"]) {
      const { stdout, stderr, code } = await machine.hook("claude-code", claudeShell(machine, command));
      expect(await ask(machine, command)).toEqual({ stdout, stderr, code });
    }
  });

  it.for([
    ["sent", 0],
    ["judged", 1],
  ] as const)("a client that is gone after %s leaves %i records", async ([stage, records], { machine }) => {
    await startDaemon(machine);
    await ask(machine, "ls", stage);
    await ask(machine, "git status");
    const commands = machine.records("audit").map(({ input }) => input.tool.command);
    expect(commands).toEqual([...Array(records).fill("ls"), "git status"]);
  });

  it("a call that was recorded is not recorded again by who takes it over, and one that was not is", async ({
    machine,
  }) => {
    await startDaemon(machine);
    const recorded = newId();
    await ask(machine, "git status", "answer", recorded);
    const takeOver = (callId: string) =>
      machine.hook("claude-code", claudeShell(machine, "git status"), {
        env: { HOLDFAST_CALL_ID: callId, HOLDFAST_CALL_STATE: "granted" },
      });
    await takeOver(recorded);
    expect(machine.records("audit")).toHaveLength(1);
    await takeOver(newId());
    expect(machine.records("audit")).toHaveLength(2);
  });

  it("what it noted as told, and a pass that it took, are there for who takes the call over", async ({ machine }) => {
    await userHooks(machine, [
      { event: "pre_tool_use", matcher: "^shell$", script: tells("pre_tool_use", "mind the gap") },
    ]);
    await startDaemon(machine);
    const command = "git push --force origin main";
    const takeOver = (callId: string, env: object) =>
      machine.hook("claude-code", claudeShell(machine, "ls"), { env: { HOLDFAST_CALL_ID: callId, ...env } });
    const told = newId();
    expect((await ask(machine, "ls", "answer", told))?.stdout).toContain("mind the gap");
    expect((await takeOver(newId(), {})).stdout).not.toContain("mind the gap");
    expect((await takeOver(told, { HOLDFAST_CALL_STATE: "granted" })).stdout).toContain("mind the gap");

    await ask(machine, command);
    grantPass(machine.records("audit").at(-1)?.call, placesOf(machine.env), new Date());
    const passed = newId();
    await ask(machine, command, "judged", passed);
    await sleep(100);
    const push = (callId: string) =>
      machine.hook("claude-code", claudeShell(machine, command), { env: { HOLDFAST_CALL_ID: callId } });
    expect((await push(newId())).stdout).toContain('"deny"');
    expect((await push(passed)).stdout).not.toContain('"deny"');
  });

  it("accepts a call that another registration answers, as any other", async ({ machine }) => {
    const { projectDir, home: homeDir } = machine;
    const target = {
      projectDir,
      homeDir,
      env: {},
      level: "project" as const,
      program,
      plugin: "",
      listFiles: () => [],
    };
    const [edit] = install.edits({ ...target, readFile: () => undefined });
    machine.write("project/.cursor/hooks.json", edit?.add(undefined) ?? "");
    await startDaemon(machine);
    const asked = { argv: hook, env: machine.env, cwd: machine.projectDir };
    const heard: number[] = [];
    const shell = payload(machine, "cursor", "preToolUse.Shell");
    const said = await call(socketOf(machine), { ...asked, payload: shell }, "answer", (kind) => heard.push(kind));
    expect(said).toEqual({ code: 0, stdout: await silence(machine, shell), stderr: "" });
    expect(heard).toEqual([KIND.accepted, KIND.judged, KIND.answer]);
    expect(machine.records("audit")).toEqual([]);
  });

  it("goes by rules that were written a moment ago", async ({ machine }) => {
    await startDaemon(machine);
    expect((await ask(machine, "deploy"))?.stdout).toBe("");
    await userHooks(machine, [{ event: "pre_tool_use", matcher: "^shell$", script: blocks("no deploys") }]);
    expect((await ask(machine, "deploy"))?.stdout).toContain("no deploys");
    machine.write("config/holdfast.json", "{ broken");
    expect((await ask(machine, "deploy"))?.stdout).toContain("Blocked by holdfast");
  });

  it("calls that come in together go by the rules as they are by then, and each is recorded once", async ({
    machine,
  }) => {
    await startDaemon(machine);
    const crowd = () => Promise.all(Array.from({ length: 40 }, () => ask(machine, "deploy")));
    for (const said of await crowd()) expect(said?.stdout).toBe("");
    await userHooks(machine, [{ event: "pre_tool_use", matcher: "^shell$", script: blocks("no deploys") }]);
    for (const said of await crowd()) expect(said?.stdout).toContain("no deploys");
    expect(await verifyJournal(machine.journal("audit"))).toMatchObject({ ok: true, lines: 80 });
  });

  it("gives each call's hooks that call's environment, and nothing of its own", async ({ machine }) => {
    const script = `cat > /dev/null\nprintf '{"decision":"block","reason":"%s %s"}' "$WHOSE" "$HOLDFAST_DAEMON_SECRET"\n`;
    await userHooks(machine, [{ event: "pre_tool_use", matcher: "^shell$", script }]);
    await startDaemon(machine, { HOLDFAST_DAEMON_SECRET: "the daemon's" });
    for (const whose of ["first", "second", "first"]) {
      const env = { ...machine.env, WHOSE: whose };
      const said = await call(socketOf(machine), {
        argv: hook,
        env,
        cwd: machine.projectDir,
        payload: claudeShell(machine, "x"),
      });
      expect(said?.stdout).toContain(`Blocked by holdfast: ${whose}\\n`);
    }
  });

  it("a hook that takes its time holds nobody else up", async ({ machine }) => {
    const script = `case "$(cat)" in *slow*) sleep 3 ;; esac\n`;
    await userHooks(machine, [{ event: "pre_tool_use", matcher: "^shell$", script, timeout_sec: 10 }]);
    await startDaemon(machine);
    await ask(machine, "quick");
    const slow = ask(machine, "slow");
    const order: string[] = [];
    slow.then(() => order.push("slow"));
    for (let index = 0; index < 5; index++) await ask(machine, "quick").then(() => order.push("quick"));
    expect(order).toEqual(["quick", "quick", "quick", "quick", "quick"]);
    expect(await slow).toMatchObject({ code: 0 });
  });

  it("of many that start at once one stays; its socket is private", async ({ machine }) => {
    const all = Array.from({ length: 6 }, () => machine.start(["daemon", "serve"]));
    onTestFinished(() => {
      for (const { child } of all) child.kill("SIGKILL");
    });
    const alive = () => all.filter(({ child }) => child.exitCode === null).length;
    await expect.poll(alive).toBe(1);
    await sleep(500);
    expect(alive()).toBe(1);
    expect(lstatSync(socketOf(machine)).mode & 0o777).toBe(0o600);
    expect(lstatSync(join(machine.stateDir, "run")).mode & 0o777).toBe(0o700);
    expect(await ask(machine, "git push --force origin main")).toMatchObject({ code: 0 });
  });

  it("takes the place of one that was killed, whose socket still lies there", async ({ machine }) => {
    const first = await startDaemon(machine);
    first.child.kill("SIGKILL");
    await first.ended;
    expect(existsSync(socketOf(machine))).toBe(true);
    await startDaemon(machine);
    let said = await ask(machine, "ls");
    for (let waited = 0; waited < 10_000 && !said; waited += 100) {
      await sleep(100);
      said = await ask(machine, "ls");
    }
    expect(said).toMatchObject({ code: 0 });
  });

  it("ends when nobody calls, when it is told to, and when its socket was taken away", async ({ machine }) => {
    const idle = await startDaemon(machine, { HOLDFAST_DAEMON_IDLE_MS: "300" });
    expect((await idle.ended).code).toBe(0);
    expect(existsSync(socketOf(machine))).toBe(false);
    const told = await startDaemon(machine);
    expect((await machine.cli(["daemon", "status"])).stdout).toMatch(/^running {2}pid \d+/);
    expect((await machine.cli(["daemon", "stop"])).code).toBe(0);
    expect((await told.ended).code).toBe(0);
    expect(await machine.cli(["daemon", "status"])).toMatchObject({ code: 1 });
  });

  it("has written everything and holds no lock by the time it says that it ends", async ({ machine }) => {
    await startDaemon(machine);
    const { file, headFile = "" } = machine.journal("audit");
    await ask(machine, "ls");
    await expect.poll(() => askDaemon(socketOf(machine), "stop")).toBeDefined();
    expect([existsSync(`${file}.lock`), existsSync(headFile)]).toEqual([false, true]);
  });

  it("says why it cannot start, to who starts it", async ({ machine }) => {
    machine.write("state/run", "a file where a directory belongs");
    const { code, stderr } = await machine.run(["daemon", "serve"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^holdfast: the daemon cannot start: .*run/);
  });

  it("a call it cannot judge leaves its notice, if anybody is there to hear of it", async ({ machine }) => {
    await startDaemon(machine);
    const junk = { argv: hook, env: machine.env, cwd: machine.projectDir, payload: "no json" };
    await call(socketOf(machine), junk, "sent");
    expect(machine.records("notices")).toEqual([]);
    await call(socketOf(machine), junk);
    expect(machine.records("notices")).toHaveLength(1);
  });

  it("is not moved by junk", async ({ machine }) => {
    await startDaemon(machine);
    mkdirSync(join(machine.dir, "x"));
    writeFileSync(join(machine.dir, "x", "y"), "");
    const asked = { argv: hook, env: machine.env, cwd: machine.projectDir, payload: "no json" };
    expect((await call(socketOf(machine), asked))?.code).toBe(2);
    expect((await call(socketOf(machine), { ...asked, argv: ["hook", "--host", "emacs"] }))?.stderr).toContain("HF302");
    expect(await ask(machine, "ls")).toMatchObject({ code: 0 });
  });
});
