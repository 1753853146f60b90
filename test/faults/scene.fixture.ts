/** The real client and the real daemon on a machine of their own, and what must hold whatever happened to them. */
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { placesOf } from "../../src/config/places.ts";
import { buildId, socketFile } from "../../src/entry/daemon/socket-place.ts";
import { askDaemon } from "../../src/entry/daemon/talk.ts";
import { verifyJournal } from "../../src/records/verify.ts";
import { claude, claudeShell } from "../payloads.ts";
import { endProcessesOf, isGone, processesOf, textOf } from "../processes.ts";
import { createMachine, distDir, type Ended, type Environment, type Machine, type Started } from "../program.ts";

export const id = buildId(distDir);
/** Without the native client there is no daemon either. */
export const hasClient = id !== undefined && process.platform === "linux";
export const client = `${distDir}/native/holdfast`;
export const HOOK = ["hook", "--host", "claude-code"];

export interface Status {
  readonly pid: number;
  readonly open: number;
  readonly calls: number;
  readonly rssBytes: number;
}

export interface Daemon {
  readonly pid: number;
  readonly ended: () => Promise<void>;
}

/** A call with the answer it must get: `block` is denied, `ran` is let go and leaves a line in the ledger. */
export type Kind = "block" | "ran";

export interface Scene {
  readonly machine: Machine;
  readonly socket: string;
  /** One that serves: ours, or one that a call started meanwhile. */
  startDaemon(env?: Environment): Promise<Daemon>;
  /** All that run, serving or not. */
  daemons(): number[];
  isStopped(pid: number): boolean;
  /** undefined: nobody answers. */
  status(): Promise<Status | undefined>;
  /** Of the one that serves, however long it takes to say so. */
  serving(): Promise<Status>;
  payload(kind: Kind, name: string, changes?: object): string;
  /** The real client, or another that was compiled of it; its stdin is left open. */
  open(command?: string): Started;
  call(kind: Kind, name: string, changes?: object): Started;
  /** The answer is the engine's, and the call is in the records once. */
  expectHandled(kind: Kind, name: string, said: Ended): Promise<void>;
  expectRecordedOnce(calls: readonly (readonly [Kind, string])[]): Promise<void>;
}

export const it = test.extend<{ scene: Scene }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures from here
  scene: async ({}, use) => {
    const { machine, remove } = createMachine();
    await use(sceneOn(machine));
    await endProcessesOf(machine);
    remove();
  },
});

export const commandOf = (kind: Kind, name: string) =>
  kind === "block" ? `make ${name} && git push --force origin main` : `make ${name}`;

function sceneOn(machine: Machine): Scene {
  const socket = socketFile(id ?? "", placesOf(machine.env));
  const status = async () => {
    const said = await askDaemon(socket, "status");
    return said === undefined ? undefined : (JSON.parse(said) as Status);
  };
  const serving = async () => {
    let said: Status | undefined;
    await until(async () => {
      said = await status();
      return said !== undefined;
    }, "a daemon serves");
    return said as unknown as Status;
  };
  const payload: Scene["payload"] = (kind, name, changes = {}) => {
    const command = commandOf(kind, name);
    const asked =
      kind === "block"
        ? claudeShell(machine, command, changes)
        : claude(machine, "PostToolUse", { tool_input: { command }, ...changes });
    return JSON.stringify(asked);
  };
  const daemons = () => processesOf(machine).filter((pid) => textOf(pid, "cmdline").endsWith("\0daemon\0serve\0"));
  const open: Scene["open"] = (command = client) => machine.start(HOOK, { command });
  const expectRecordedOnce: Scene["expectRecordedOnce"] = async (calls) => {
    await settle(machine);
    const audit = machine.records("audit");
    const ledger = machine.records("ledger");
    for (const [kind, name] of calls) {
      const command = commandOf(kind, name);
      const found = audit.filter(({ input }) => input.tool?.command === command);
      const decisions = found.map(({ decision }) => decision);
      expect(decisions, `audit lines of ${command}`).toEqual([kind === "block" ? "block" : "none"]);
      if (kind === "block") continue;
      const lines = ledger.filter(({ input_summary }) => input_summary === command);
      expect(lines.map(({ event_id }) => event_id)).toEqual([found[0]?.id]);
    }
    for (const name of ["audit", "ledger"] as const) {
      const report = await verifyJournal(machine.journal(name));
      expect({ name, ok: report.ok, problem: report.problem }).toEqual({ name, ok: true, problem: undefined });
    }
    expect(machine.records("notices").filter(({ code }) => code === "record")).toEqual([]);
  };
  return {
    machine,
    socket,
    status,
    payload,
    open,
    expectRecordedOnce,
    daemons,
    isStopped: (pid) => /\) T /.test(textOf(pid, "stat")),
    serving,
    async startDaemon(env = {}) {
      machine.start(["daemon", "serve"], { env });
      const { pid } = await serving();
      return { pid, ended: () => until(() => isGone(pid), `daemon ${pid} has ended`) };
    },
    call(kind, name, changes) {
      const started = open();
      started.child.stdin.end(payload(kind, name, changes));
      return started;
    },
    async expectHandled(kind, name, { code, stdout, stderr }) {
      expect(stderr).not.toContain("HF602");
      await expectRecordedOnce([[kind, name]]);
      // In a process of its own, which cannot be in anybody's way.
      const alone = await machine.hook("claude-code", payload(kind, name));
      expect({ code, stdout }).toEqual({ code: alone.code, stdout: alone.stdout });
      expect(stdout.includes('"permissionDecision":"deny"')).toBe(kind === "block");
    },
  };
}

/** One more call brings what waits in the spool into the journals. */
async function settle(machine: Machine): Promise<void> {
  const last = claude(machine, "PostToolUse", { tool_input: { command: "make settled" } });
  const { code, stderr } = await machine.hook("claude-code", last);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
}

/** Only for the message: how long a busy machine takes over a thing says nothing about it. */
const PATIENCE_MS = 120_000;

export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const startedAt = performance.now(); performance.now() - startedAt < PATIENCE_MS; await sleep(10))
    if (await holds()) return;
  throw new Error(`it never came to this: ${what}`);
}

export const exists = (file: string) => () => existsSync(file);
