/** The runs of this machine. Their files are looked at while somebody watches, and not otherwise. */
import { type BigIntStats, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { awaitFileLock } from "../../../records/file-lock.ts";
import { liveRunList } from "../../../runs/files/live-list.ts";
import { fileRunStore } from "../../../runs/files/run-store.ts";
import type { RunStore } from "../../../runs/store.ts";
import { NO_REPOSITORY } from "../../run/repository.ts";
import type { RunSource } from "./run-source.ts";

export interface LocalRunsSettings {
  /** `<stateDir>/runs`. */
  readonly root: string;
  /** Of whoever works on this machine. */
  readonly organisation: string;
  readonly everyMs?: number;
}

const EVERY_MS = 500;
const LOCK_WAIT_MS = 10_000;

export function localRuns({ root, organisation: own, everyMs = EVERY_MS }: LocalRunsSettings): RunSource {
  const list = liveRunList(root);
  const store: RunStore = {
    ...fileRunStore({
      root,
      repo: NO_REPOSITORY,
      takeLock: (path) => awaitFileLock(path, { waitMs: LOCK_WAIT_MS }),
    }),
    list: async (query) => list(query),
  };
  return {
    storeOf: (organisation) => (organisation === own ? store : undefined),
    watch(organisation, run, onChange) {
      if (organisation !== own) return () => {};
      const look = run === null ? () => lookAtAll(root) : () => lookAtOne(store, run);
      let seen: string | undefined;
      let under = look().then((found) => {
        seen = found;
      });
      const timer = setInterval(() => {
        under = under.then(async () => {
          const found = await look();
          if (found !== seen) onChange();
          seen = found;
        });
      }, everyMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

/** Every change of any run adds to the index; a run that is removed is missing from its repository's directory. */
async function lookAtAll(root: string): Promise<string> {
  const repositories = namesIn(root).filter((name) => !name.includes("."));
  return ["index.jsonl", ...repositories].map((name) => stampOf(join(root, name))).join(" ");
}

async function lookAtOne(store: RunStore, id: string): Promise<string> {
  try {
    const directory = store.directoryOf(id);
    const attempts = join(directory, "attempts");
    const output = namesIn(attempts)
      .filter((name) => name.endsWith(".log"))
      .sort()
      .at(-1);
    const files = ["run.json", "run-events.jsonl", ...(output === undefined ? [] : [join("attempts", output)])];
    const driver = (await store.driverOf(id)) ?? "";
    return [...files.map((name) => stampOf(join(directory, name))), driver].join(" ");
  } catch {
    // Deleted, or unreadable for now: the page says which when it is read again.
    return "";
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function stampOf(file: string): string {
  const found: BigIntStats | undefined = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.ino}:${found.size}:${found.mtimeNs}` : "-";
}
