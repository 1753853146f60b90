/** Paths as commands name them. Pure: the machine's own facts come in as arguments. */
import { type Arg, UNKNOWN } from "./arg.ts";
import type { Target } from "./effect.ts";

export interface Surroundings {
  readonly homeDir: string;
  /** Symlinks resolved, where the path exists. */
  realPath(path: string): string;
}

export function targetOf(arg: Arg, cwd: string | undefined, surroundings: Surroundings): Target {
  const written = arg.text.replaceAll(UNKNOWN, "$…");
  const contents = arg.glob && ANYTHING.test(arg.text.slice(arg.text.lastIndexOf("/") + 1));
  const base = contents ? arg.text.slice(0, arg.text.lastIndexOf("/") + 1) || "." : arg.text;
  return { written, path: absolute(base, cwd, surroundings), contents, glob: arg.glob };
}

/** A last part that is nothing but wildcards: `*`, `.*`, `.[!.]*`, `???`. */
const ANYTHING = /^(?=.*[*?[])[.*?]*(\[[^\]]*\])?[*?]*$/;

/** A name that is only known at run time stays UNKNOWN inside its directory; an unknown directory is no path at all. */
function absolute(text: string, cwd: string | undefined, { homeDir, realPath }: Surroundings): string | undefined {
  const at = text.indexOf(UNKNOWN);
  if (at === 0) return undefined;
  if (at > 0) {
    const slash = text.lastIndexOf("/", at);
    const dir = slash < 0 ? "." : text.slice(0, slash + 1);
    const known = absolute(dir, cwd, { homeDir, realPath });
    return known === undefined ? undefined : `${known === "/" ? "" : known}/${UNKNOWN}`;
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

export const isInside = (path: string, dir: string) => path.startsWith(dir === "/" ? "/" : `${dir}/`) && path !== dir;
