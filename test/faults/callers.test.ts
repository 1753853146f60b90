/** Clients that die, hang, crowd or talk nonsense: the daemon outlives them, and nobody else notices. */
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { KIND } from "../../src/entry/daemon/protocol.ts";
import { requestOf } from "../daemon/client.ts";
import { cleanUp, compileClient } from "../native/client.fixture.ts";
import { signal } from "../processes.ts";
import { program } from "../program.ts";
import { userHooks } from "../rules.ts";
import { client, commandOf, exists, HOOK, hasClient, id, it, type Scene, until } from "./scene.fixture.ts";

/** Its own question is the only connection. */
const isAlone = (scene: Scene, pid: number) => async () => {
  const status = await scene.status();
  return status?.pid === pid && status.open === 1;
};

async function expectServing(scene: Scene, pid: number, name: string): Promise<void> {
  await until(isAlone(scene, pid), "no connection is left");
  await scene.expectHandled("block", name, await scene.call("block", name).ended);
  expect((await scene.serving()).pid).toBe(pid);
}

const request = ({ machine, payload }: Scene, name: string) =>
  requestOf({ argv: HOOK, env: machine.env, cwd: machine.projectDir, payload: payload("ran", name) });

/** A connection that does what the test says, and no more. */
async function connected(scene: Scene): Promise<{ socket: Socket; said: () => Buffer; closed: Promise<void> }> {
  const socket = connect(scene.socket);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  const isConnected = new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true)).on("error", () => resolve(false));
  });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  if (await isConnected) return { socket, said: () => Buffer.concat(chunks), closed };
  // More wait to be let in than may queue.
  await sleep(20);
  return connected(scene);
}

let patientClient: string;
beforeAll(() => {
  if (id !== undefined) patientClient = compileClient("patient-caller", { acceptedMs: 60_000, buildId: id });
});
afterAll(cleanUp);

const linesOf = (scene: Scene, name: string) =>
  scene.machine.records("ledger").filter(({ input_summary }) => input_summary === commandOf("ran", name));

describe.skipIf(!hasClient).concurrent("a client that is killed", () => {
  it("within its request leaves no line and no connection", async ({ scene }) => {
    const daemon = await scene.startDaemon();
    signal(daemon.pid, "SIGSTOP");
    // It waits for the daemon for longer than a busy machine takes to get to the next line.
    const caller = scene.open(patientClient);
    caller.child.stdin.on("error", () => {});
    caller.child.stdin.end(scene.payload("ran", "half", { padding: "x".repeat(250_000) }));
    await sleep(150);
    caller.child.kill("SIGKILL");
    await caller.ended;
    signal(daemon.pid, "SIGCONT");
    await expectServing(scene, daemon.pid, "next");
    expect(linesOf(scene, "half")).toEqual([]);
  });

  it("while it is judged leaves no line, and its hook is ended", async ({ scene }) => {
    const { machine } = scene;
    const script = `case "$(cat)" in *"make slow"*) touch "${machine.dir}/entered"; sleep 300 ;; esac\n`;
    await userHooks(machine, [{ event: "post_tool_use", matcher: "^shell$", script, timeout_sec: 40 }]);
    const daemon = await scene.startDaemon();
    const caller = scene.call("ran", "slow");
    await until(exists(`${machine.dir}/entered`), "the hook began");
    caller.child.kill("SIGKILL");
    await caller.ended;
    await expectServing(scene, daemon.pid, "next");
    expect(linesOf(scene, "slow")).toEqual([]);
  });

  it("after the judgement is recorded once all the same: what it asked about may have happened", async ({ scene }) => {
    const daemon = await scene.startDaemon();
    const { socket, said } = await connected(scene);
    socket.write(request(scene, "granted"));
    await until(() => said().includes(header(KIND.judged)), "it is judged");
    socket.destroy();
    await until(() => linesOf(scene, "granted").length > 0, "it is recorded");
    await expectServing(scene, daemon.pid, "next");
    await scene.expectRecordedOnce([["ran", "granted"]]);
  });

  it("at any moment of its call leaves at most one line and no connection", async ({ scene }) => {
    const daemon = await scene.startDaemon();
    for (let round = 0; round < 40; round++) {
      const caller = scene.call("ran", `k${round}`);
      await sleep((round / 40) * 8);
      caller.child.kill("SIGKILL");
      await caller.ended;
    }
    await expectServing(scene, daemon.pid, "next");
    for (let round = 0; round < 40; round++) expect(linesOf(scene, `k${round}`).length).toBeLessThanOrEqual(1);
  });
});

describe.skipIf(!hasClient).concurrent("a client that hangs", () => {
  it("without a word is given up, and does not keep the daemon from its idle exit", async ({ scene }) => {
    const daemon = await scene.startDaemon({ HOLDFAST_DAEMON_IDLE_MS: "2000" });
    const { closed } = await connected(scene);
    await closed;
    await daemon.ended();
  });

  it("within its request, or with its answer untaken, is given up", async ({ scene }) => {
    const daemon = await scene.startDaemon();
    const half = await connected(scene);
    half.socket.write(request(scene, "half").subarray(0, 100));
    const untaken = connect({ path: scene.socket, allowHalfOpen: true });
    untaken.on("error", () => {}).pause();
    untaken.write(request(scene, "untaken"));
    await half.closed;
    await expectServing(scene, daemon.pid, "next");
    untaken.destroy();
    await scene.expectRecordedOnce([["ran", "untaken"]]);
    expect(linesOf(scene, "half")).toEqual([]);
  });

  it("one that talks on and on after its request takes no memory", async ({ scene }) => {
    const script = `case "$(cat)" in *"make talk"*) sleep 300 ;; esac\n`;
    await userHooks(scene.machine, [{ event: "post_tool_use", matcher: "^shell$", script, timeout_sec: 40 }]);
    const daemon = await scene.startDaemon();
    const before = (await scene.serving()).rssBytes;
    const { socket } = await connected(scene);
    socket.write(request(scene, "talk"));
    const megabyte = Buffer.alloc(1024 * 1024, 1);
    for (let sent = 0; sent < 256; sent++) await new Promise((resolve) => socket.write(megabyte, resolve));
    const after = (await scene.serving()).rssBytes;
    expect(after - before).toBeLessThan(96 * 1024 * 1024);
    socket.destroy();
    await expectServing(scene, daemon.pid, "next");
  });
});

describe.skipIf(!hasClient).concurrent("a crowd", () => {
  it("of 600 that say nothing leaves the real client its answer, and the daemon alive", async ({ scene }) => {
    const daemon = await scene.startDaemon();
    const crowd = await Promise.all(Array.from({ length: 600 }, () => connected(scene)));
    await scene.expectHandled("block", "crowded", await scene.call("block", "crowded").ended);
    await until(
      () => crowd.filter(({ said }) => said().equals(header(KIND.declined))).length >= 600 - 512,
      "those beyond 512 are declined",
    );
    await Promise.all(crowd.map(({ closed }) => closed));
    expect(scene.daemons()).toContain(daemon.pid);
  });

  it("of clients that leave as they are declined does not end the daemon", async ({ scene }) => {
    const daemon = await scene.startDaemon();
    const crowd = await Promise.all(Array.from({ length: 512 }, () => connected(scene)));
    for (let round = 0; round < 300; round++) {
      const socket = connect(scene.socket).on("error", () => {});
      socket.write("x".repeat(1000), () => socket.destroy());
    }
    await sleep(500);
    for (const { socket } of crowd) socket.destroy();
    await expectServing(scene, daemon.pid, "next");
  });

  it("beyond the daemon's descriptors does not end it", async ({ scene }) => {
    scene.machine.start(["-c", 'ulimit -n 64; exec "$0" daemon serve', program], { command: "sh" });
    const { pid } = await scene.serving();
    const crowd = Array.from({ length: 200 }, () => connect(scene.socket).on("error", () => {}));
    await scene.expectHandled("block", "crowded", await scene.call("block", "crowded").ended);
    for (const socket of crowd) socket.destroy();
    await expectServing(scene, pid, "next");
  });

  it.for<[string, Buffer]>([
    ["lengths beyond all bounds", absurd(0xffffffff)],
    ["lengths that add up to more than 2 MiB", absurd(600 * 1024)],
    ["another protocol", Buffer.from("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")],
    ["64 MiB of nothing", Buffer.alloc(64 * 1024 * 1024)],
  ])("is told nothing for %s", async ([, bytes], { scene }) => {
    const daemon = await scene.startDaemon();
    const { socket, said, closed } = await connected(scene);
    socket.write(bytes);
    await closed;
    expect(said()).toEqual(Buffer.alloc(0));
    await expectServing(scene, daemon.pid, "next");
  });

  it("behind a payload of nearly 64 MiB is answered before that is, which the daemon never gets", async ({ scene }) => {
    const free = join(scene.machine.dir, "free");
    // However fast the machine is, the huge one ends after the others.
    const script = `while [ ! -e "${free}" ]; do sleep 0.02; done\n`;
    await userHooks(scene.machine, [{ event: "pre_tool_use", matcher: "^shell$", script, timeout_sec: 50 }]);
    await scene.startDaemon();
    const order: string[] = [];
    // From a file: through a pipe it takes a busy machine longer than a client waits for its input.
    const file = scene.machine.write("huge", scene.payload("block", "huge", { padding: "x".repeat(63 * 1024 * 1024) }));
    const words = ["-c", '"$0" hook --host claude-code < "$1"', client, file];
    const huge = scene.machine.start(words, { command: "sh" });
    const ended = huge.ended.then((said) => {
      order.push("huge");
      return said;
    });
    for (let index = 0; index < 10; index++) {
      await scene.call("ran", `small${index}`).ended;
      order.push("small");
    }
    expect(order).toEqual(Array(10).fill("small"));
    scene.machine.write("free", "");
    const said = await ended;
    expect((await scene.serving()).calls).toBeLessThanOrEqual(10);
    await scene.expectHandled("block", "huge", said);
  });
});

function header(kind: number): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(kind, 0);
  return head;
}

function absurd(length: number): Buffer {
  const head = requestOf({ argv: [], env: {}, cwd: "", payload: "", id: "" });
  for (let offset = 4; offset < head.length; offset += 4) head.writeUInt32LE(length, offset);
  return head;
}
