/** Where programs are looked for, as far as a command line says so itself: what runs is then not what its name says. */
import { type Arg, arg, UNKNOWN } from "./arg.ts";
import { SYSTEM_PROGRAMS } from "./executed.ts";
import type { Invocation } from "./invocation.ts";
import { normal } from "./places.ts";

type Named = (name: string) => string | undefined;

const EXEC_PATH = "--exec-path=";

/** Of `PATH`, and where git looks for its own: `--exec-path=…`, `GIT_EXEC_PATH`. */
export function searchedDirectories({ program, args, env }: Pick<Invocation, "program" | "args" | "env">, set: Named) {
  const settingOf = (name: string) => env.get(name)?.text ?? set(name);
  const found = listed(settingOf("PATH"));
  if (program !== "git") return found;
  const given = args.flatMap(({ text }) => (text.startsWith(EXEC_PATH) ? listed(text.slice(EXEC_PATH.length)) : []));
  return [...found, ...given, ...listed(settingOf("GIT_EXEC_PATH"))];
}

const NONE: readonly Arg[] = [];

/** What was there before stands in it as UNKNOWN; nothing between two colons is the directory one is in. */
function listed(text: string | undefined): readonly Arg[] {
  if (text === undefined || text === "") return NONE;
  return text
    .split(":")
    .filter((directory) => !directory.startsWith(UNKNOWN) && !isSystems(directory))
    .map((directory) => arg(directory || "."));
}

/** By where it leads: `/usr/../home/person/bin` is not the system's. */
const isSystems = (directory: string) => directory.startsWith("/") && SYSTEM_PROGRAMS.test(`${normal(directory)}/`);
