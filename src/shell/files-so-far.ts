import { type Arg, arg } from "./arg.ts";
import { isFetcher, scriptOf } from "./executed.ts";
import type { Invocation, Stdin, WrittenFile } from "./invocation.ts";
import { joined } from "./scope.ts";
import { filesWrittenBy } from "./written-files.ts";

const COPIES = new Set(["cp", "mv", "install", "ln"]);
const READS_PATCHES = new Set(["git", "patch", "gpatch"]);
const shown = ({ producers }: Extract<Stdin, { type: "pipe" }>) => producers.at(-1)?.args ?? [];

/** What the programs of a command line have left in files so far, which a later part of the line may run. */
export class FilesSoFar {
  readonly #byPath = new Map<string, WrittenFile>();
  readonly #homeDir: string;

  constructor(homeDir: string) {
    this.#homeDir = homeDir;
  }

  get areAny(): boolean {
    return this.#byPath.size > 0;
  }

  at(file: Arg, cwd: string | undefined): WrittenFile | undefined {
    const path = this.#pathOf(file, cwd);
    return path === undefined ? undefined : this.#byPath.get(path);
  }

  /** With the script it runs and the files it may read, where they are among them; `own`: the program itself. */
  handedTo(invocation: Invocation, own: WrittenFile | undefined): Invocation {
    if (!this.areAny) return invocation;
    const named = scriptOf(invocation);
    const script = (named && this.at(named, invocation.cwd)) ?? own;
    const inputs = this.namedBy(invocation);
    return { ...invocation, ...(script ? { script } : {}), ...(inputs ? { inputs } : {}) };
  }

  /** Those that lie in one of the directories, by their paths. */
  in(directories: readonly Arg[], cwd: string | undefined): (readonly [string, WrittenFile])[] {
    if (!this.areAny) return [];
    const places = new Set(directories.map((directory) => this.#pathOf(directory, cwd)));
    return [...this.#byPath].filter(([path]) => places.has(path.slice(0, path.lastIndexOf("/")) || "/"));
  }

  /** Those that the words of a program name. */
  namedBy({ program, args, stdin, cwd }: Invocation): ReadonlyMap<string, WrittenFile> | undefined {
    if (!this.areAny || !READS_PATCHES.has(program)) return undefined;
    const words =
      stdin.type === "file" ? [...args, stdin.path] : stdin.type === "pipe" ? [...args, ...shown(stdin)] : args;
    const found = words.flatMap((word) => {
      const file = this.at(word, cwd);
      return file ? [[word.text, file] as const] : [];
    });
    return found.length > 0 ? new Map(found) : undefined;
  }

  note(invocation: Invocation): void {
    const { redirects, program } = invocation;
    if (redirects.length === 0 && program !== "tee" && !isFetcher(program) && !COPIES.has(program)) return;
    for (const { path, from, text: own, append, copyOf } of filesWrittenBy(invocation)) {
      const name = this.#pathOf(path, invocation.cwd);
      if (name === undefined) continue;
      const copied = copyOf && this.at(copyOf, invocation.cwd);
      const text = copied ? copied.text : own;
      const before = append ? this.#byPath.get(name) : undefined;
      const known = before
        ? before.text === undefined || text === undefined
          ? undefined
          : `${before.text}${text}`
        : text;
      this.#byPath.set(name, { text: known, from: [...(before?.from ?? copied?.from ?? []), ...from] });
    }
  }

  #pathOf = ({ text }: Arg, cwd: string | undefined) => joined(cwd, arg(text.replace(/^~(?=\/|$)/, this.#homeDir)));
}
