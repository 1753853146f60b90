/** For tests: a directory of definitions, and a run made of nothing. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { HoldfastError } from "../core/errors.ts";
import type { DefinitionPlaces } from "./assignment/definition-file.ts";
import { loadAssignment } from "./assignment/load.ts";
import { aRun, task } from "./run.fixture.ts";
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

/** Two tasks, and a directory that is there. */
export const sampleRun = (changes: Partial<Run> = {}): Run =>
  aRun({ tasks: [task("a"), task("b")], status: "running", ...changes });
