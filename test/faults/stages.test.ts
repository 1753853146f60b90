/** The daemon is killed, stopped or told to end at every stage of a call. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { JournalName } from "../../src/engine/journals.ts";
import { awaitFileLock, type KeptLock, tryFileLock } from "../../src/records/file-lock.ts";
import { cleanUp, compileClient } from "../native/client.fixture.ts";
import { signal } from "../processes.ts";
import type { Started } from "../program.ts";
import { answers, type ScriptHook, userHooks } from "../rules.ts";
import { type Daemon, exists, hasClient, id, it, type Kind, type Scene, until } from "./scene.fixture.ts";

const SIGNALS = ["SIGKILL", "SIGSTOP", "SIGTERM"] as const;

/** Enough for a process that has nothing to wait for to take its next step; too little only moves the stage. */
const STEP_MS = 150;

interface Reached {
  readonly caller: Started;
  /** What held the call at its stage lets go. */
  goOn?(): void;
}

type Reach = (scene: Scene, kind: Kind, daemon: number) => Promise<Reached>;

const NAME = "it";

/** Of these the records can know nothing. */
const EARLY: Readonly<Record<string, Reach>> = {
  async "connected, without a request"(scene, kind) {
    const caller = scene.open();
    await until(async () => (await scene.status())?.open === 2, "the client is connected");
    return { caller, goOn: () => caller.child.stdin.end(scene.payload(kind, NAME)) };
  },
  async "within the request"(scene, kind, daemon) {
    signal(daemon, "SIGSTOP");
    // More than a socket holds that nobody reads.
    const caller = scene.call(kind, NAME, { padding: "x".repeat(250_000) });
    await sleep(STEP_MS);
    return { caller };
  },
  async "requested, not yet read"(scene, kind, daemon) {
    signal(daemon, "SIGSTOP");
    const caller = scene.call(kind, NAME);
    await sleep(STEP_MS);
    return { caller };
  },
};

const LATE: Readonly<Record<string, Reach>> = {
  async "accepted, hooks judge"(scene, kind) {
    const gate = await gatedHook(scene);
    const caller = scene.call(kind, NAME);
    await gate.entered();
    return { caller, goOn: gate.open };
  },
  async "judged, while the client does not listen"(scene, kind) {
    const gate = await gatedHook(scene);
    const caller = scene.call(kind, NAME);
    await gate.entered();
    signal(caller.child.pid, "SIGSTOP");
    gate.open();
    await gate.left();
    return { caller, goOn: () => signal(caller.child.pid, "SIGCONT") };
  },
  async "judged, before it is recorded"(scene, kind) {
    const gate = await gatedHook(scene);
    gate.open();
    const lock = await holdJournal(scene, "audit");
    const caller = scene.call(kind, NAME);
    await gate.left();
    return { caller, goOn: lock.release };
  },
};

const HALF_RECORDED: Readonly<Record<string, Reach>> = {
  async "when the audit is written and the ledger is not"(scene, kind) {
    const lock = await holdJournal(scene, "ledger");
    const caller = scene.call(kind, NAME);
    await until(() => scene.machine.records("audit").length === 1, "the audit is written");
    return { caller, goOn: lock.release };
  },
};

/** One that does not turn to Node though the machine is too busy for an answer within 400 ms. */
let patientClient: string;
beforeAll(() => {
  if (id !== undefined) patientClient = compileClient("patient", { acceptedMs: 60_000, buildId: id });
});
afterAll(cleanUp);

const casesOf = (stages: object, kinds: readonly Kind[]) =>
  Object.entries(stages).flatMap(([stage, reach]: [string, Reach]) =>
    SIGNALS.flatMap((name) => kinds.map((kind) => [name, stage, kind, reach] as const)),
  );

describe.skipIf(!hasClient).concurrent("a daemon that gets", () => {
  it.for(SIGNALS)("%s before the client connects", async (name, { scene }) => {
    const daemon = await scene.startDaemon();
    await send(daemon, name);
    await scene.expectHandled("block", NAME, await scene.call("block", NAME).ended);
  });

  it.for([...casesOf(EARLY, ["block"]), ...casesOf(LATE, ["block", "ran"]), ...casesOf(HALF_RECORDED, ["ran"])])(
    "%s %s: %s",
    async ([name, , kind, reach], { scene }) => {
      const daemon = await scene.startDaemon();
      const { caller, goOn } = await reach(scene, kind, daemon.pid);
      await send(daemon, name);
      goOn?.();
      await scene.expectHandled(kind, NAME, await caller.ended);
    },
  );

  it("SIGKILL while hooks judge is followed by another, which the call that lost it has started", async ({ scene }) => {
    const daemon = await scene.startDaemon();
    const gate = await gatedHook(scene);
    const { ended } = scene.call("block", NAME);
    await gate.entered();
    await send(daemon, "SIGKILL");
    gate.open();
    await ended;
    await until(async () => (await scene.status()) !== undefined, "the next daemon serves");
  });

  it.for(SIGNALS)("%s while it writes the answer", async (name, { scene }) => {
    const rewritten = { command: "ls -l", description: "x".repeat(900_000) };
    const rewrite = { hook_event_name: "pre_tool_use", updated_input: rewritten };
    // The notice of the hook that fails is what the daemon writes last.
    const fails: ScriptHook = { event: "pre_tool_use", matcher: "^shell$", script: "exit 7\n", on_error: "continue" };
    const gate = await gatedHook(scene, answers({ hook_specific_output: rewrite }), [fails]);
    const daemon = await scene.startDaemon();
    const { child, ended } = scene.open(patientClient);
    child.stdin.end(JSON.stringify({ ...JSON.parse(scene.payload("block", NAME)), tool_input: { command: "ls" } }));
    const recorded = () => scene.machine.records("audit").filter(({ input }) => input.tool?.command === "ls");
    await gate.entered();
    // The client does not read: more than a socket holds stays with the daemon.
    signal(child.pid, "SIGSTOP");
    gate.open();
    await until(() => scene.machine.records("notices").length > 0, "the notice is written");
    await sleep(STEP_MS);
    await send(daemon, name);
    signal(child.pid, "SIGCONT");
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout).hookSpecificOutput.updatedInput).toMatchObject(rewritten);
    expect(recorded()).toHaveLength(1);
    await scene.expectRecordedOnce([]);
  });

  it("SIGSTOP when a record of the call already waits in the spool: it is not written a second time", async ({
    scene,
  }) => {
    const daemon = await scene.startDaemon();
    const locks = [await holdJournal(scene, "audit"), await holdJournal(scene, "ledger")];
    const caller = scene.call("ran", NAME);
    const spool = scene.machine.journal("audit").spoolDir ?? "";
    await until(() => existsSync(spool) && readdirSync(spool).length > 0, "the audit is in the spool");
    signal(daemon.pid, "SIGSTOP");
    const { code, stdout } = await caller.ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    for (const lock of locks) lock.release();
    await scene.expectRecordedOnce([["ran", NAME]]);
  });
});

/** SIGTERM reaches a stopped process only once it goes on. */
async function send(daemon: Daemon, name: (typeof SIGNALS)[number]): Promise<void> {
  signal(daemon.pid, name);
  if (name === "SIGTERM") signal(daemon.pid, "SIGCONT");
  if (name === "SIGKILL") await daemon.ended();
}

interface Gate {
  entered(): Promise<void>;
  open(): void;
  left(): Promise<void>;
}

/** A hook that waits until it is let through. */
async function gatedHook({ machine }: Scene, answer = "", others: readonly ScriptHook[] = []): Promise<Gate> {
  const [entered = "", free = "", left = ""] = ["entered", "free", "left"].map((name) => join(machine.dir, name));
  const script = `touch "${entered}"\nwhile [ ! -e "${free}" ]; do sleep 0.02; done\n${answer}touch "${left}"\n`;
  const gated = ["pre_tool_use", "post_tool_use"].map((event) => ({
    event,
    matcher: "^shell$",
    script,
    timeout_sec: 30,
  }));
  await userHooks(machine, [...gated, ...others]);
  return {
    entered: () => until(exists(entered), "the hook began"),
    open: () => void machine.write("free", ""),
    async left() {
      await until(exists(left), "the hook ended");
      await sleep(STEP_MS);
    },
  };
}

/** As another process does that writes for long. */
async function holdJournal({ machine }: Scene, name: JournalName): Promise<KeptLock> {
  const path = `${machine.journal(name).file}.lock`;
  return tryFileLock(path, { createDirectory: true }) ?? awaitFileLock(path, {});
}
