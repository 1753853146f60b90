/** A store in a scratch directory, with the real lock. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { awaitFileLock, tryFileLock } from "../../records/file-lock.ts";
import type { NewRun } from "../new-run.ts";
import { aRun } from "../run.fixture.ts";
import type { Run } from "../run.ts";
import type { RunStore } from "../store.ts";
import type { TakeLock } from "./lock.ts";
import { type FileRunStoreOptions, fileRunStore } from "./run-store.ts";

export const takeLock: TakeLock = async (path) =>
  tryFileLock(path, {}) ?? (await awaitFileLock(path, { waitMs: 30_000 }));

export function scratch(): { readonly dir: string; readonly remove: () => void } {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-runs-"));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

export const storeIn = (root: string, options: Partial<FileRunStoreOptions> = {}): RunStore =>
  fileRunStore({ root, repo: "shop", takeLock, ...options });

export const ORIGIN: NewRun = {
  assignment: null,
  agent: {
    name: "worker",
    file: "agent.md",
    backend: "command",
    model: null,
    effort: null,
    launcher: null,
    executionEnvironment: null,
    backendConfig: {},
    backendArgs: {},
    timeoutSec: 60,
    unrestricted: true,
    lockedFields: [],
    body: "",
  },
  callerCwd: "/w",
  cliVars: {},
  webVars: {},
  overrides: {},
  isStarted: false,
};

export async function stored(store: RunStore, given: Partial<Run> = {}): Promise<Run> {
  const reservation = await store.reserve(given.repo ?? "shop");
  const run = aRun({ ...given, id: reservation.id });
  await store.create(run, reservation, ORIGIN);
  return run;
}
