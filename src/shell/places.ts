/** Paths as commands name them. Pure: the machine's own facts come in as arguments. */
import { type Arg, UNKNOWN } from "./arg.ts";
import type { Target } from "./effect.ts";
import type { Invocation } from "./invocation.ts";

export interface Surroundings {
  readonly homeDir: string;
  /** Symlinks resolved, where the path exists. */
  realPath(path: string): string;
  /** A file's text, where it may be looked at. */
  readText?(path: string): string | undefined;
  isMissing?(path: string): boolean;
}

export function targetOf(arg: Arg, cwd: string | undefined, surroundings: Surroundings): Target {
  const written = arg.text.replaceAll(UNKNOWN, "$…");
  const contents = arg.glob && ANYTHING.test(arg.text.slice(arg.text.lastIndexOf("/") + 1));
  const base = contents ? arg.text.slice(0, arg.text.lastIndexOf("/") + 1) || "." : arg.text;
  const path = absolute(base, cwd, surroundings);
  const isOurs = path === undefined && arg.from?.some(printsRepository);
  const named = arg.expands && namedBy(arg.text, cwd, surroundings);
  const name = arg.glob || path === undefined ? undefined : placeOfName(arg.text, cwd, surroundings);
  return {
    written,
    path,
    contents,
    glob: arg.glob,
    ...(isOurs ? { inRepository: true } : {}),
    ...(named ? { named } : {}),
    ...(name !== undefined && name !== path ? { link: name } : {}),
  };
}

/** undefined: it ends with a directory's own name for itself, or is not known. */
function placeOfName(text: string, cwd: string | undefined, surroundings: Surroundings): string | undefined {
  const slash = text.lastIndexOf("/");
  const last = text.slice(slash + 1);
  if (text.includes(UNKNOWN) || ["", ".", "..", "~"].includes(last) || /^~[^/]/.test(text)) return undefined;
  const directory = absolute(slash < 0 ? "." : text.slice(0, slash + 1), cwd, surroundings);
  return directory === undefined ? undefined : below(directory, last);
}

/** Where only the last part of a path is a wildcard. */
function namedBy(text: string, cwd: string | undefined, surroundings: Surroundings): string | undefined {
  const slash = text.lastIndexOf("/");
  const directory = slash < 0 ? "." : text.slice(0, slash + 1);
  if (text.includes(UNKNOWN) || /[*?[(]/.test(directory)) return undefined;
  const path = absolute(directory, cwd, surroundings);
  return path && below(path, text.slice(slash + 1));
}

const printsRepository = ({ program, args }: Invocation) =>
  program === "git" && args.some(({ text }) => text === "--show-toplevel");

/** A last part that is nothing but wildcards: `*`, `.*`, `.[!.]*`, `[a-z]*`, `[DP]*`, `???`; but not `*.[ch]`. */
const ANYTHING = /^(?=.*[*?[])[.*?]*(\[([!^]|[^\]]-)[^\]]*\]|\[[^\]]*\](?=\?*\*))?[*?]*$/;

/** A name that is only known at run time stays UNKNOWN inside its directory; an unknown directory is no path at all. */
function absolute(text: string, cwd: string | undefined, { homeDir, realPath }: Surroundings): string | undefined {
  const at = text.indexOf(UNKNOWN);
  if (at === 0) return undefined;
  if (at > 0) {
    const slash = text.lastIndexOf("/", at);
    const dir = slash < 0 ? "." : text.slice(0, slash + 1);
    const known = absolute(dir, cwd, { homeDir, realPath });
    return known === undefined ? undefined : below(known, UNKNOWN);
  }
  if (text.startsWith("/")) return realPath(normal(text));
  if (text === "~" || text.startsWith("~/")) return realPath(normal(`${homeDir}/${text.slice(2)}`));
  if (/^~[\w-]+/.test(text))
    return normal(text.replace(/^~([\w-]+)/, (_, user) => (user === "root" ? "/root" : `/home/${user}`)));
  return cwd === undefined ? undefined : realPath(normal(`${cwd}/${text}`));
}

/** `.` and `..` resolved, no trailing slash. */
export function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return `/${parts.join("/")}`;
}

export const isInside = (path: string, dir: string) => path.startsWith(below(dir, "")) && path !== dir;

/** A directory may be the top of the machine: a container's project and home often are. */
export const below = (directory: string, name: string) => `${directory === "/" ? "" : directory}/${name}`;
