/** For tests: a directory of definitions, and a run made of nothing. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { HoldfastError } from "../core/errors.ts";
import type { DefinitionPlaces } from "./assignment/definition-file.ts";
import { loadAssignment } from "./assignment/load.ts";
import type { Run } from "./run.ts";

export interface Scratch {
  readonly dir: string;
  readonly places: DefinitionPlaces;
  /** Writes a file, gives its absolute path. */
  write(path: string, text: string): string;
  /** Writes and loads `assignments/work/assignment.md`. */
  assignment(frontMatter: string, body?: string, env?: DefinitionPlaces["env"]): ReturnType<typeof loadAssignment>;
}

export function scratch(env: DefinitionPlaces["env"] = {}): Scratch {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-runs-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const places = { dirs: [dir], cwd: dir, env };
  const write = (path: string, text: string) => {
    const file = join(dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  return {
    dir,
    places,
    write,
    assignment(frontMatter, body = "", given = env) {
      write("assignments/work/assignment.md", `---\nschemaVersion: 1\nname: work\n${frontMatter}\n---\n${body}\n`);
      return loadAssignment("work", { ...places, env: given });
    },
  };
}

/** The error that something throws, as people see it. */
export async function thrown(act: () => unknown): Promise<HoldfastError> {
  try {
    await act();
  } catch (error) {
    return error as HoldfastError;
  }
  throw new Error("nothing was thrown");
}

export const sampleRun = (changes: Partial<Run> = {}): Run => ({
  schemaVersion: 1,
  id: "k7m2qx",
  version: 1,
  repo: "shop",
  status: "running",
  statusReason: "",
  name: null,
  note: null,
  isPinned: false,
  isArchived: false,
  group: null,
  parentRun: null,
  dependencies: [],
  assignment: { name: "work", file: null },
  agent: { name: "ad-hoc", file: null, instructions: "" },
  settings: {
    cwd: tmpdir(),
    backend: "passive",
    model: null,
    effort: null,
    timeoutSec: 3600,
    unrestricted: true,
    maxRetries: 3,
    message: null,
    backendConfig: {},
    backendArgs: [],
  },
  lockedFields: [],
  callerInstructions: null,
  vars: {},
  brief: "begin",
  tasks: [
    { id: "a", title: "first", body: "", status: "pending", notes: "" },
    { id: "b", title: "second", body: "", status: "pending", notes: "" },
  ],
  hooks: [],
  state: {},
  attachments: [],
  sessions: [],
  attempts: [],
  progress: null,
  backendSession: null,
  hookAudits: [],
  seed: null,
  createdAt: "2026-01-02T03:04:05.000Z",
  updatedAt: "2026-01-02T03:04:05.000Z",
  endedAt: null,
  ...changes,
});
