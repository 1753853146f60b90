import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect } from "vitest";
import { claudeShell } from "../payloads.ts";
import { distDir, inPool, it, type Machine } from "../program.ts";
import {
  answering,
  canCompile,
  cleanUp,
  compileClient,
  echoing,
  type StandIn,
  send,
  startStandIn,
  upToJudged,
} from "./client.fixture.ts";
import { accepted, judging, type Step } from "./stand-in.ts";

const client = canCompile ? compileClient("relay", { acceptedMs: 10_000 }) : "";
afterAll(cleanUp);

const HOOK = ["hook", "--host", "claude-code"];

async function against<T>(machine: Machine, steps: Parameters<typeof startStandIn>[1], work: (it: StandIn) => T) {
  const standIn = await startStandIn(machine.stateDir, steps);
  try {
    return await work(standIn);
  } finally {
    await standIn.stop();
  }
}

describe.skipIf(!canCompile)("an answer of the daemon", () => {
  it("is relayed to the byte: binary, 200 KiB long, on both streams, with its exit code", async ({ machine }) => {
    const [out, err] = [randomBytes(200 * 1024), randomBytes(200 * 1024)];
    await against(machine, answering(7, out, err), async () => {
      const { child, ended } = machine.start(HOOK, { command: client });
      const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
      child.stdout.on("data", (chunk) => chunks.stdout.push(chunk));
      child.stderr.on("data", (chunk) => chunks.stderr.push(chunk));
      child.stdin.end(JSON.stringify(claudeShell(machine, "ls")));
      expect((await ended).code).toBe(7);
      expect(Buffer.concat(chunks.stdout).equals(out)).toBe(true);
      expect(Buffer.concat(chunks.stderr).equals(err)).toBe(true);
    });
  });

  it.for([0, 1, 2, 127, 255])("exits with its code: %i", async (code, { machine }) => {
    await against(machine, answering(code), async () => {
      const answer = await machine.run(HOOK, { command: client, stdin: "{}" });
      expect(answer).toMatchObject({ code, stdout: "", stderr: "" });
    });
  });

  it("is waited for as long as the daemon says that it judges", async ({ machine }) => {
    const alive: Step[] = [1, 2, 3, 4].flatMap(() => [{ do: "sleep", ms: 1000 }, send(judging)]);
    const [request, , ...rest] = answering(0, Buffer.from("answered"));
    const steps = [request as Step, send(accepted(60_000)), ...alive, ...rest];
    await against(machine, steps, async () => {
      const answer = await machine.run(HOOK, { command: client, stdin: "{}" });
      expect(answer).toMatchObject({ code: 0, stdout: "answered" });
    });
  });

  it("X-13 reaches a host whose stdin stays open", async ({ machine }) => {
    await against(machine, answering(0, Buffer.from("answered")), async () => {
      const { child, ended } = machine.start(HOOK, { command: client });
      child.stdin.write(JSON.stringify(claudeShell(machine, "ls")));
      expect(await ended).toMatchObject({ code: 0, stdout: "answered" });
      expect(child.stdin.writableEnded).toBe(false);
    });
  });

  it("is no failure where the host has stopped listening", async ({ machine }) => {
    await against(machine, answering(3, randomBytes(200 * 1024)), async () => {
      const { child, ended } = machine.start(HOOK, { command: client });
      child.stdout.destroy();
      child.stdin.end("{}");
      expect((await ended).code).toBe(3);
    });
  });

  it("is each call's own: 200 in parallel", async ({ machine }) => {
    const standIn = await startStandIn(machine.stateDir, echoing, { quiet: true });
    const numbers = Array.from({ length: 200 }, (_, index) => index);
    const answers = await inPool(numbers, 200, (number) =>
      machine.run(HOOK, { command: client, stdin: JSON.stringify({ number }) }),
    );
    await standIn.stop();
    expect(answers.map(({ code, stdout }) => [code, stdout])).toEqual(
      numbers.map((number) => [0, JSON.stringify({ number })]),
    );
  });
});

describe.skipIf(!canCompile)("a request", () => {
  it("holds the arguments, the environment, the working directory, the payload and an id", async ({ machine }) => {
    const cwd = join(machine.projectDir, "ein Ordner ü€😀");
    mkdirSync(cwd);
    const env = { WITH_LINES: "a\nb=c", EMPTY: "", UNICODE: "ü€😀" };
    const args = [...HOOK, "--event", "x y", ""];
    const stdin = ` \n${JSON.stringify({ text: 'ü€😀 "{" \\ }' })}`;
    await against(machine, answering(0), async ({ requests, saw }) => {
      await machine.run(args, { command: client, cwd, env, stdin });
      await machine.run(args, { command: client, cwd, env, stdin });
      await saw("request", 2);
      const [first, second] = requests;
      expect(first).toEqual({
        argv: args,
        env: { ...machine.env, ...env },
        cwd,
        payload: stdin,
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
      });
      expect(second?.id).not.toBe(first?.id);
    });
  });

  it("does not pass on what only the client may say to Node", async ({ machine }) => {
    const names = ["FALLBACK", "CALL_ID", "CALL_STATE", "CALL_ELAPSED_MS"].map((name) => `HOLDFAST_${name}`);
    const env = Object.fromEntries(names.map((name) => [name, "granted"]));
    await against(machine, answering(0), async ({ requests, saw }) => {
      await machine.run(HOOK, { command: client, env, stdin: "{}" });
      await saw("request");
      expect(requests[0]?.env).toEqual(machine.env);
    });
  });

  it("ends with the object, whatever follows it, and however it arrives", async ({ machine }) => {
    const text = JSON.stringify({ nested: { text: 'a "quoted\\" } text' }, list: ["}", "{"] });
    await against(machine, echoing, async () => {
      const trailing = await machine.run(HOOK, { command: client, stdin: `${text}\n{"more": 1}` });
      expect(trailing.stdout).toBe(text);
      const { child, ended } = machine.start(HOOK, { command: client });
      for (let at = 0; at < text.length; at += 3) {
        child.stdin.write(text.slice(at, at + 3));
        await sleep(1);
      }
      expect((await ended).stdout).toBe(text);
    });
  });

  it("of exactly 256 KiB is still the daemon's", async ({ machine }) => {
    const text = JSON.stringify({ text: "x".repeat(256 * 1024 - 11) });
    expect(text.length).toBe(256 * 1024);
    await against(machine, echoing, async () => {
      expect((await machine.run(HOOK, { command: client, stdin: text })).stdout).toBe(text);
    });
  });

  it.for<[string, (machine: Machine) => Record<string, string>]>([
    ["HOLDFAST_STATE_DIR", ({ stateDir }) => ({ HOLDFAST_STATE_DIR: `${stateDir}//x/.././` })],
    ["relative to the working directory", () => ({ HOLDFAST_STATE_DIR: "../home/../state" })],
    ["XDG_STATE_HOME", ({ dir }) => ({ HOLDFAST_STATE_DIR: "", XDG_STATE_HOME: join(dir, "xdg") })],
    ["HOME", () => ({ HOLDFAST_STATE_DIR: "", XDG_STATE_HOME: "" })],
  ])("finds the state directory as the program does: %s", async ([, envOf], { machine }) => {
    const { placesOf } = await import("../../src/config/places.ts");
    const env = envOf(machine);
    const before = process.cwd;
    process.cwd = () => machine.projectDir;
    const { stateDir } = placesOf({ ...machine.env, ...env });
    process.cwd = before;
    const standIn = await startStandIn(stateDir, answering(9));
    expect((await machine.run(HOOK, { command: client, env, stdin: "{}" })).code).toBe(9);
    await standIn.stop();
  });
});

describe.skipIf(!canCompile)("a client that is killed", () => {
  it.for(["SIGTERM", "SIGKILL"] as const)(
    "by %s before the judgement cannot be told it, and the daemon sees it leave",
    async (signal, { machine }) => {
      const [request, accepted] = upToJudged;
      if (!request || !accepted) throw new Error("the steps are others");
      const steps = [request, accepted, { do: "left" } as const, { do: "claim" } as const];
      await against(machine, steps, async (standIn) => {
        const { child, ended } = machine.start(HOOK, { command: client });
        child.stdin.write("{}");
        await standIn.saw("request");
        child.kill(signal);
        expect((await ended).code).toBe(null);
        expect(child.signalCode).toBe(signal);
        await standIn.saw("refused");
        expect(standIn.seen.map(({ seen }) => seen)).toEqual(["listening", "request", "closed", "refused"]);
      });
    },
  );
});

describe.skipIf(!existsSync(join(distDir, "native/holdfast")))("the client of the build", () => {
  it("asks the daemon that is named by the build's id", async ({ machine }) => {
    const buildId = readFileSync(join(distDir, "native/build-id"), "utf8");
    expect(buildId).toMatch(/^[0-9a-f]{16}$/);
    const standIn = await startStandIn(machine.stateDir, answering(9), { buildId });
    const command = join(distDir, "native/holdfast");
    expect((await machine.run(HOOK, { command, stdin: "{}" })).code).toBe(9);
    await standIn.stop();
    expect((await machine.run(["--version"], { command })).stdout).toMatch(/\d+\.\d+\.\d+/);
  });
});
