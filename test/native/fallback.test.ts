import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect } from "vitest";
import { claude, claudeShell } from "../payloads.ts";
import { type Environment, it, type Machine } from "../program.ts";
import {
  canCompile,
  cleanUp,
  compileClient,
  fakeNode,
  send,
  socketIn,
  startStandIn,
  upToJudged,
} from "./client.fixture.ts";
import { accepted, answer, declined, header, judged, judging, type Step } from "./stand-in.ts";

const engine = canCompile ? compileClient("engine") : "";
const told = canCompile ? compileClient("told", { node: fakeNode() }) : "";
afterAll(cleanUp);

const HOOK = ["hook", "--host", "claude-code"];
const forcePush = (machine: Machine, changes: object = {}) =>
  JSON.stringify(claudeShell(machine, "git push --force origin main", changes));
const REQUEST: Step = { do: "request" };
const SLEEP: Step = { do: "sleep", ms: 200 };
const CLOSE: Step = { do: "close" };
const garbage = send(Buffer.from("this is not the protocol, is it"));
const nothing = Buffer.alloc(0);

/** What the Node that the client becomes is told and given. */
async function asNode(machine: Machine, stdin: string | Uint8Array, env: Environment = {}) {
  const { child, ended } = machine.start(HOOK, { command: told, env });
  child.stdin.end(stdin);
  const { code, stdout, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const seen = JSON.parse(stdout);
  expect(seen.pid).toBe(child.pid);
  return seen as { argv: string[]; env: Environment; stdin: string; fds: [number, string][]; children: string };
}

async function isBlockedByTheEngine(machine: Machine, env: Environment = {}): Promise<void> {
  const { code, stdout } = await machine.run(HOOK, { command: engine, env, stdin: forcePush(machine) });
  expect({ code, answer: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    answer: { hookSpecificOutput: { permissionDecision: "deny" } },
  });
}

describe.skipIf(!canCompile)(
  "without a daemon that may be asked, the engine decides itself",
  { concurrent: true },
  () => {
    const run = ({ stateDir }: Machine) => join(stateDir, "run");
    const live = (machine: Machine) =>
      startStandIn(machine.stateDir, [...upToJudged, send(answer(0, nothing, nothing))]);
    const spoilt = (spoil: (machine: Machine) => void) => async (machine: Machine) => {
      const standIn = await live(machine);
      spoil(machine);
      return standIn;
    };
    type Setup = (machine: Machine) => Promise<{ stop(): Promise<void> } | undefined>;
    const none: Setup = async () => undefined;
    const noEnv = () => ({});

    it.for<[string, string, Setup, ((machine: Machine) => Environment)?]>([
      ["no run directory", "absent", none],
      ["no socket", "absent", async (machine) => void mkdirSync(run(machine), { mode: 0o700 })],
      ["a stale socket file", "refused", async (machine) => void (await (await live(machine)).stop())],
      ["a socket of mode 0666", "unsafe", spoilt((machine) => chmodSync(socketIn(machine.stateDir), 0o666))],
      ["a run directory of mode 0755", "unsafe", spoilt((machine) => chmodSync(run(machine), 0o755))],
      [
        "a run directory that is a link",
        "unsafe",
        spoilt((machine) => {
          renameSync(run(machine), join(machine.dir, "r"));
          symlinkSync(join(machine.dir, "r"), run(machine));
        }),
      ],
      [
        "a socket that is a link",
        "unsafe",
        spoilt((machine) => {
          renameSync(socketIn(machine.stateDir), join(machine.dir, "s"));
          symlinkSync(join(machine.dir, "s"), socketIn(machine.stateDir));
        }),
      ],
      [
        "a file in the socket's place",
        "unsafe",
        spoilt((machine) => {
          rmSync(socketIn(machine.stateDir));
          writeFileSync(socketIn(machine.stateDir), "", { mode: 0o600 });
        }),
      ],
      ["HOLDFAST_DAEMON=off", "off", live, () => ({ HOLDFAST_DAEMON: "off" })],
      ["HOLDFAST_INTERNAL, whatever it says", "off", live, () => ({ HOLDFAST_INTERNAL: "0" })],
      ["no home", "off", live, () => ({ HOLDFAST_STATE_DIR: "", HOME: "" })],
      [
        "a path too long for a socket",
        "off",
        none,
        ({ dir }) => ({ HOLDFAST_STATE_DIR: join(dir, "long".repeat(30)) }),
      ],
    ])("%s: %s", async ([, word, setUp, envOf = noEnv], { machine }) => {
      const standIn = await setUp(machine);
      const env = envOf(machine);
      const node = await asNode(machine, forcePush(machine), env);
      expect(node.env).toEqual({ ...machine.env, ...env, ...node.env, HOLDFAST_FALLBACK: word });
      expect(node.env.HOLDFAST_CALL_ID).toBe(undefined);
      expect(node.stdin).toBe(forcePush(machine));
      expect(node.argv.slice(1)).toEqual(HOOK);
      await isBlockedByTheEngine(machine, env);
      await standIn?.stop();
    });

    it.skipIf(process.getuid?.() !== 0).for(["run directory", "socket"])(
      "a %s of somebody else's: unsafe",
      async (which, { machine }) => {
        const standIn = await live(machine);
        chownSync(which === "socket" ? socketIn(machine.stateDir) : run(machine), 65534, 65534);
        expect((await asNode(machine, forcePush(machine))).env.HOLDFAST_FALLBACK).toBe("unsafe");
        await standIn.stop();
      },
    );

    it.skipIf(process.getuid?.() !== 0)(
      "a daemon of somebody else's behind a socket of ours: unsafe",
      async ({ machine }) => {
        chmodSync(machine.dir, 0o755);
        const standIn = await startStandIn(machine.stateDir, [...upToJudged, { do: "echo" }], { uid: 65534 });
        for (const path of [run(machine), socketIn(machine.stateDir)]) chownSync(path, 0, 0);
        expect((await asNode(machine, forcePush(machine))).env.HOLDFAST_FALLBACK).toBe("unsafe");
        await standIn.stop();
      },
    );

    it("a daemon that is stopped: silent", async ({ machine }) => {
      const standIn = await live(machine);
      standIn.child.kill("SIGSTOP");
      expect((await asNode(machine, forcePush(machine))).env.HOLDFAST_FALLBACK).toBe("silent");
      await isBlockedByTheEngine(machine);
      await standIn.stop();
    });
  },
);

describe.skipIf(!canCompile)(
  "a daemon that fails before it has judged costs nothing but time",
  { concurrent: true },
  () => {
    it.for<[string, string, readonly Step[]]>([
      ["says nothing", "silent", [REQUEST]],
      ["does not even read", "silent", []],
      ["declines at once", "refused", [send(declined), CLOSE]],
      ["declines the request", "refused", [REQUEST, send(declined)]],
      ["declines after it had accepted", "refused", [REQUEST, send(accepted(500)), send(declined)]],
      ["closes at once", "broken", [CLOSE]],
      ["closes after the request", "broken", [REQUEST, CLOSE]],
      ["closes within a message", "broken", [REQUEST, send(accepted(500).subarray(0, 5)), CLOSE]],
      ["closes after it had accepted", "broken", [REQUEST, send(accepted(500)), CLOSE]],
      ["sends garbage", "broken", [REQUEST, garbage]],
      ["sends garbage after it had accepted", "broken", [REQUEST, send(accepted(500)), garbage]],
      ["sends an oversized length", "broken", [REQUEST, send(header(1, 0xffffffff))]],
      ["asks for too much time", "broken", [REQUEST, send(accepted(0xffffffff))]],
      ["answers without a judgement", "broken", [REQUEST, send(accepted(500)), send(answer(0, nothing, nothing))]],
      ["answers without having accepted", "broken", [REQUEST, send(answer(0, nothing, nothing))]],
      ["sends half a message", "silent", [REQUEST, send(accepted(500).subarray(0, 10))]],
      ["does not judge in time", "late", [REQUEST, send(accepted(50))]],
      ["accepts, and hangs", "late", [REQUEST, send(accepted(60_000))]],
      ["says that it judges, and hangs", "late", [REQUEST, send(accepted(60_000)), send(judging)]],
      ["says that it judges, beyond its time", "late", [REQUEST, send(accepted(50)), SLEEP, send(judging), SLEEP]],
      ["says that it judges, with a body", "broken", [REQUEST, send(accepted(500)), send(header(5, 4))]],
      ["judges too late", "late", [REQUEST, send(accepted(50)), { do: "sleep", ms: 600 }, { do: "claim" }]],
    ])("%s: %s", async ([, word, steps], { machine }) => {
      const standIn = await startStandIn(machine.stateDir, steps);
      const text = forcePush(machine);
      const { env, stdin, fds, children } = await asNode(machine, text);
      expect(env.HOLDFAST_FALLBACK).toBe(word);
      expect(env.HOLDFAST_CALL_STATE).toBe(undefined);
      expect(env.HOLDFAST_CALL_ID).toMatch(/^[0-9a-f]{32}$/);
      expect(env.HOLDFAST_CALL_ELAPSED_MS).toMatch(/^\d+$/);
      expect(stdin).toBe(text);
      expect(leaked(fds)).toEqual([]);
      expect(children).toBe("");
      await isBlockedByTheEngine(machine);
      expect(standIn.seen.filter(({ seen }) => seen === "claimed")).toEqual([]);
      expect(standIn.child.signalCode).toBe(null);
      await standIn.stop();
    });

    const leaked = (fds: readonly [number, string][]) =>
      fds.filter(([fd, target]) => fd > 2 && /^socket:|memfd|pidfd|\/dev\/null/.test(target));
  },
);

describe.skipIf(!canCompile)(
  "a daemon that fails after it has judged is killed, and Node is told",
  { concurrent: true },
  () => {
    it.for<[string, string, readonly Step[]]>([
      ["says nothing", "late", []],
      ["closes", "broken", [CLOSE]],
      ["sends garbage", "broken", [garbage]],
      ["declines", "broken", [send(declined)]],
      ["sends an oversized length", "broken", [send(header(3, 0xffffffff))]],
      ["sends a length below the least", "broken", [send(header(3, 4))]],
      ["sends lengths that do not add up", "broken", [send(answer(0, Buffer.from("abc"), nothing).fill(9, 12, 13))]],
      ["sends an exit code that is none", "broken", [send(answer(256, nothing, nothing))]],
      ["judges once more", "broken", [send(judged)]],
      ["sends half an answer", "late", [send(answer(0, Buffer.alloc(1000), nothing).subarray(0, 500))]],
    ])("%s: %s", async ([, word, steps], { machine }) => {
      const standIn = await startStandIn(machine.stateDir, [...upToJudged, ...steps]);
      const text = forcePush(machine);
      const { env, stdin } = await asNode(machine, text);
      expect(await standIn.ended).toBe("SIGKILL");
      expect(env).toMatchObject({
        HOLDFAST_FALLBACK: word,
        HOLDFAST_CALL_STATE: "granted",
        HOLDFAST_CALL_ID: standIn.requests[0]?.id,
      });
      expect(stdin).toBe(text);
      rmSync(socketIn(machine.stateDir));
      const second = await startStandIn(machine.stateDir, [...upToJudged, ...steps]);
      await isBlockedByTheEngine(machine);
      expect(await second.ended).toBe("SIGKILL");
    });
  },
);

it.skipIf(!canCompile)("a judgement that the client finds only as it gives up counts", async ({ machine }) => {
  const steps = [REQUEST, send(accepted(500)), send(Buffer.concat([header(5, 4), judging, judged]))];
  const standIn = await startStandIn(machine.stateDir, steps);
  const { env } = await asNode(machine, forcePush(machine));
  expect(env).toMatchObject({ HOLDFAST_FALLBACK: "broken", HOLDFAST_CALL_STATE: "granted" });
  expect(await standIn.ended).toBe("SIGKILL");
});

describe.skipIf(!canCompile)("input that is not for the daemon reaches Node whole", { concurrent: true }, () => {
  const unused = (machine: Machine) => startStandIn(machine.stateDir, [...upToJudged, { do: "echo" }]);

  it.for<[string, string | Uint8Array]>([
    ["nothing", ""],
    ["white space", " \n"],
    ["no JSON", "hello"],
    ["a list", "[1]"],
    ["half an object", '{"hook_event_name":"PreToolUse","tool_input":{"command":'],
    ["no UTF-8", Buffer.from([0x20, 0xff, 0xfe])],
  ])("%s, with the answer that Node has for it", async ([, stdin], { machine }) => {
    const standIn = await unused(machine);
    const node = await machine.run(HOOK, { stdin });
    expect(node.code === 2 || node.stdout.includes("deny")).toBe(true);
    const { code, stdout, stderr } = await machine.run(HOOK, { command: engine, stdin });
    expect({ code, stdout, stderr }).toEqual({ code: node.code, stdout: node.stdout, stderr: node.stderr });
    const { env } = await asNode(machine, stdin);
    expect(env.HOLDFAST_FALLBACK).toBe(undefined);
    expect(standIn.requests).toEqual([]);
    await standIn.stop();
  });

  it.for([300, 2000])("an object of %i KiB: large, also where stdin stays open", async (kib, { machine }) => {
    const standIn = await unused(machine);
    const text = forcePush(machine, { padding: "ü".repeat(kib * 512) });
    const { env, stdin } = await asNode(machine, text);
    expect(env.HOLDFAST_FALLBACK).toBe("large");
    expect(stdin).toBe(text);
    const { child, ended } = machine.start(HOOK, { command: engine });
    child.stdin.write(text);
    expect((await ended).stdout).toContain('"deny"');
    expect(standIn.requests).toEqual([]);
    await standIn.stop();
  });

  it("more than Node reads is refused by Node", async ({ machine }) => {
    const standIn = await unused(machine);
    machine.write("large", `{"hook_event_name":"PreToolUse","padding":"${"x".repeat(65 * 1024 * 1024)}"}`);
    const args = ["-c", '"$0" hook --host claude-code < large', engine];
    const { stdout, stderr } = await machine.run(args, { command: "sh", cwd: machine.dir });
    expect(stdout + stderr).toContain("larger than 64 MiB");
    await standIn.stop();
  });

  it("an object that comes slowly, and how long it took", async ({ machine }) => {
    const standIn = await unused(machine);
    const { child, ended } = machine.start(HOOK, { command: told });
    const text = forcePush(machine);
    child.stdin.write(text.slice(0, 20));
    // It counts from when it begins, which on a busy machine is some time after it was started.
    await sleep(3_000);
    child.stdin.end(text.slice(20));
    const { env, stdin } = JSON.parse((await ended).stdout);
    expect(stdin).toBe(text);
    expect(Number(env.HOLDFAST_CALL_ELAPSED_MS)).toBeGreaterThan(1000);
    await standIn.stop();
  });

  it.for(["", '{"hook_event_name":"PreToolUse",'])(
    "an object that never comes is a block: %j",
    async (text, { machine }) => {
      const standIn = await unused(machine);
      const { child, ended } = machine.start(HOOK, { command: engine });
      child.stdin.write(text);
      const { code, stdout } = await ended;
      expect(code === 2 || stdout.includes('"deny"')).toBe(true);
      await standIn.stop();
    },
  );

  it("a stdin that stays open is no obstacle for a fallback", async ({ machine }) => {
    const standIn = await startStandIn(machine.stateDir, [REQUEST, send(declined)]);
    const { child, ended } = machine.start(HOOK, { command: engine });
    child.stdin.write(forcePush(machine));
    expect((await ended).stdout).toContain('"deny"');
    expect(child.stdin.writableEnded).toBe(false);
    await standIn.stop();
  });

  it("streams that the host left closed are nobody else's", async ({ machine }) => {
    const standIn = await unused(machine);
    const script = '"$0" hook --host claude-code <&- >&- 2>&-; echo $? > code';
    spawnSync("sh", ["-c", script, engine], { cwd: machine.dir, env: machine.env });
    expect(machine.read("code")).toBe("2\n");
    expect(standIn.requests).toEqual([]);
    await standIn.stop();
  });
});

describe.skipIf(!canCompile)("what is no hook call goes to Node as it is", { concurrent: true }, () => {
  it.for([[[]], [["--version"]], [["hook", "--help"]], [["hook", "-h"]], [["check", "a b", ""]]] as [string[]][])(
    "%j",
    async ([args], { machine }) => {
      const { stdout } = await machine.run(args, { command: told, stdin: "typed" });
      const { argv, stdin, env } = JSON.parse(stdout);
      expect(argv.slice(1)).toEqual(args);
      expect(stdin).toBe("typed");
      expect(env.HOLDFAST_FALLBACK).toBe(undefined);
    },
  );

  it("Copilot's bare call is answered", async ({ machine }) => {
    const env = { COPILOT_PROJECT_DIR: machine.projectDir };
    const { stdout } = await machine.run([], { command: engine, stdin: forcePush(machine), env });
    expect(stdout).toContain('"deny"');
  });
});

describe.skipIf(!canCompile)("Node", { concurrent: true }, () => {
  it("is found through PATH where the one of the build is gone", async ({ machine }) => {
    const client = compileClient("moved", { node: "/nowhere/node" });
    const { stdout } = await machine.run(HOOK, { command: client, stdin: forcePush(machine) });
    expect(stdout).toContain('"deny"');
  });

  it("that is nowhere is a block", async ({ machine }) => {
    const client = compileClient("nodeless", { node: "/nowhere/node" });
    const env = { PATH: machine.dir };
    const { code, stderr } = await machine.run(HOOK, { command: client, env, stdin: forcePush(machine) });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("there is no node") });
  });

  it("that is no program is passed by in PATH, and a block where there is no other", async ({ machine }) => {
    const client = compileClient("damaged", { node: "/nowhere/node" });
    chmodSync(machine.write("damaged/node", ""), 0o755);
    const damaged = join(machine.dir, "damaged");
    const call = (PATH: string) => machine.run(HOOK, { command: client, env: { PATH }, stdin: forcePush(machine) });
    expect((await call(`${damaged}::${machine.env.PATH}`)).stdout).toContain('"deny"');
    expect(await call(damaged)).toMatchObject({ code: 2, stderr: expect.stringContaining("there is no node") });
  });

  it("without its program is a block", async ({ machine }) => {
    const client = compileClient("programless");
    rmSync(join(client, "../../../bin/holdfast"));
    const { code, stderr } = await machine.run(HOOK, { command: client, stdin: forcePush(machine) });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("bin/holdfast is missing") });
  });

  it("passes on its exit code, and dies of the host's signal", async ({ machine }) => {
    const unknown = await machine.run(["hook", "--host", "nobody"], { command: engine, stdin: "{}" });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("HF302") });
    const { child, ended } = machine.start(HOOK, { command: told, env: { HOLDFAST_DAEMON: "off" } });
    await sleep(200);
    child.kill("SIGTERM");
    await ended;
    expect(child.signalCode).toBe("SIGTERM");
  });

  it("answers a session's start as without the client", async ({ machine }) => {
    const stdin = JSON.stringify(claude(machine, "SessionStart"));
    const [native, node] = [await machine.run(HOOK, { command: engine, stdin }), await machine.run(HOOK, { stdin })];
    expect([native.code, native.stdout]).toEqual([node.code, node.stdout]);
  });
});
