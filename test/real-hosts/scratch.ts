import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

export interface Scratch {
  readonly projectDir: string;
  readonly home: string;
  /** Holdfast's user config and state, out of the project. */
  readonly configDir: string;
  readonly stateDir: string;
  /** Writes a file below the scratch directory and returns its absolute path. */
  write(path: string, content: string): Promise<string>;
  /** The content of a file of the project, or undefined when it is not there. */
  read(path: string): string | undefined;
  /** Every file of the project with its content, by its path. */
  files(): Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** A project and a home of their own. The space and the letter in the path are there to break bad quoting. */
export async function makeScratch(): Promise<Scratch> {
  const root = await mkdtemp(join(await realpath(tmpdir()), "holdfäst "));
  const directory = async (name: string) => {
    const path = join(root, name);
    await mkdir(path);
    return path;
  };
  const projectDir = await directory("project");
  return {
    projectDir,
    home: await directory("home"),
    configDir: await directory("config"),
    stateDir: await directory("state"),
    async write(path, content) {
      const file = join(root, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      return file;
    },
    read(path) {
      const file = join(projectDir, path);
      return existsSync(file) ? readFileSync(file, "utf8") : undefined;
    },
    files() {
      const found = readdirSync(projectDir, { recursive: true, withFileTypes: true });
      const names = found.map((entry) => [relative(projectDir, join(entry.parentPath, entry.name)), entry] as const);
      return Object.fromEntries(
        names
          .map(([name, entry]) => [name, entry.isFile() ? readFileSync(join(projectDir, name), "utf8") : "(directory)"])
          .sort(),
      );
    },
    // Retried because what a hook left running may still be writing there.
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}
