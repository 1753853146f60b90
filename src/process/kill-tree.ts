/**
 * Ends a program and everything it started. The process group takes what stayed in it. What left it (setsid, a double
 * fork) is found on Linux by the mark that every descendant inherits in its environment; a process that also cleared
 * its environment, and on other systems one that left the group, cannot be found.
 */
import { readdirSync, readFileSync } from "node:fs";

/** Carries the ids of the programs of ours (hooks, attempts of a run) that a process descends from. */
const RUN_MARK = "HOLDFAST_HOOK_RUN";

export interface ProcessTree {
  /** The program's process, leader of its group; null: nobody knows, only its mark can be looked for. */
  readonly pid: number | null;
  /** Its id in RUN_MARK. */
  readonly runId: string;
}

let started = 0;
export const newRunId = (): string => `${process.pid}-${process.hrtime.bigint().toString(36)}-${++started}`;

/** The environment of a program that is to be found again with all its descendants. */
export const marked = <E extends { readonly [name: string]: string | undefined }>(env: E, runId: string) => ({
  ...env,
  [RUN_MARK]: [env[RUN_MARK], runId].filter(Boolean).join(","),
});

/** Of a program that is nobody's: it is not found. */
export function unmarked<E extends { readonly [name: string]: string | undefined }>(env: E) {
  const { [RUN_MARK]: _, ...rest } = env;
  return rest;
}

/** How long the tree may take to clean up after it was asked to end, and to be gone after it was told to. */
const GRACE_MS = 200;
const SETTLE_MS = 100;

export async function killTree(tree: ProcessTree, graceMs = GRACE_MS): Promise<void> {
  if (process.platform === "win32") return tree.pid === null ? undefined : killWindowsTree(tree.pid);
  signalTree(tree, "SIGTERM");
  if (await isGone(tree, graceMs)) return;
  signalTree(tree, "SIGKILL");
  if (await isGone(tree, SETTLE_MS)) return;
  signalTree(tree, "SIGKILL");
}

/** The group at one stroke, so that no fork slips through; then those outside it. */
function signalTree(tree: ProcessTree, signal: NodeJS.Signals): void {
  const outside = process.platform === "linux" ? membersOnLinux(tree) : [];
  if (tree.pid !== null) send(-tree.pid, signal);
  for (const pid of outside) send(pid, signal);
}

async function isGone(tree: ProcessTree, withinMs: number): Promise<boolean> {
  for (let pauseMs = 5, leftMs = withinMs; leftMs > 0; pauseMs *= 2) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, leftMs)));
    leftMs -= pauseMs;
    if (process.platform === "linux" ? membersOnLinux(tree).length === 0 : !isGroupThere(tree)) return true;
  }
  return false;
}

const isGroupThere = ({ pid }: ProcessTree) => pid !== null && send(-pid, 0);

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** By group or by mark. One that ended but was not yet taken off the table by its parent (Z) is gone for our purpose. */
function membersOnLinux({ pid: group, runId }: ProcessTree): number[] {
  return readOr<string[]>("/proc", [], (path) => readdirSync(path))
    .map(Number)
    .filter((pid) => {
      if (!(pid > 1) || pid === process.pid) return false;
      const [state, , memberOf] = readText(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ") ?? [];
      if (state === "Z" || state === "X") return false;
      return Number(memberOf) === group || readText(`/proc/${pid}/environ`).includes(runId);
    });
}

const readText = (path: string) => readOr(path, "", (path) => readFileSync(path, "latin1"));

/** A process may end, or belong to somebody else, while it is looked at. */
function readOr<T>(path: string, fallback: T, read: (path: string) => T): T {
  try {
    return read(path);
  } catch {
    return fallback;
  }
}

async function killWindowsTree(pid: number): Promise<void> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const killer = spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
  await new Promise<void>((resolve) => {
    killer.once("error", () => resolve());
    killer.once("exit", () => resolve());
  });
}
