/** Where a path really leads: looked up on the disk, and remembered for the length of one call. */
import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from "node:path";

/** No system opens a longer one; walking up a path takes as long as it is long, squared. */
const LONGEST_PATH = 4096;

/** Symlinks are resolved as far as the path exists; what does not exist yet keeps its name. */
export function realPath(path: string, cwd: string): string {
  const absolute = PLAIN.test(path) && isPlainDirectory(cwd) ? `${cwd}/${path}` : resolve(cwd || "/", path);
  return realPaths.get(absolute) ?? remember(absolute, foundPath(absolute));
}

/** In which nothing has to be resolved: no part of them begins with a dot, or is empty. */
const PLAIN = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;
const PLAIN_DIRECTORY = /^(?:\/[\w-][\w.-]*)+$/;

let lastPlainDirectory = "/x";

/** One session's calls all come from one directory. */
function isPlainDirectory(directory: string): boolean {
  if (directory === lastPlainDirectory) return true;
  if (!PLAIN_DIRECTORY.test(directory)) return false;
  lastPlainDirectory = directory;
  return true;
}

function remember(absolute: string, real: string): string {
  if (realPaths.size >= MAX_REAL_PATHS) realPaths.clear();
  realPaths.set(absolute, real);
  return real;
}

function foundPath(absolute: string): string {
  if (absolute.length > LONGEST_PATH) {
    const end = Math.max(absolute.lastIndexOf("/", LONGEST_PATH), 1);
    return join(realPath(absolute.slice(0, end), "/"), absolute.slice(end));
  }
  const real = wasThere ? realIfThere(absolute) : undefined;
  if (real !== undefined) return real;
  // To be told whether it is there costs less than to be told what it is.
  const isThere = existsSync(absolute) || lookAt(absolute);
  wasThere = isThere === true;
  if (wasThere) return realpathSync.native(absolute);
  // Who writes to a link that leads nowhere makes the file it names.
  const target = isThere === "dangling link" ? linkTarget(absolute) : undefined;
  if (target !== undefined) return target;
  const parent = parentOf(absolute);
  if (parent === absolute) return absolute;
  const directory = realDirectory(parent);
  return directory === parent ? absolute : nameIn(directory, absolute);
}

/** What was asked for last: an agent that reads names what is there. One question is enough then; a wrong guess costs three. */
let wasThere = false;

function realIfThere(absolute: string): string | undefined {
  try {
    return realpathSync.native(absolute);
  } catch {
    return undefined;
  }
}

/** The same as dirname, which goes through a path letter by letter. */
function parentOf(absolute: string): string {
  const end = absolute.lastIndexOf(sep);
  return end > LONGEST_ROOT ? absolute.slice(0, end) : dirname(absolute);
}

/** `C:\` */
const LONGEST_ROOT = 2;

/** With one look, unless it is a link. What cannot even be looked at is not there for anybody. */
function lookAt(absolute: string): boolean | "dangling link" {
  try {
    const found = lstatSync(absolute, LOOKING);
    if (!found?.isSymbolicLink()) return found !== undefined;
    return existsSync(absolute) || "dangling link";
  } catch {
    return false;
  }
}

const LOOKING = { throwIfNoEntry: false } as const;

/** Both are whole paths already: nothing in them has to be resolved. */
function nameIn(directory: string, absolute: string): string {
  const name = absolute.slice(absolute.lastIndexOf(sep) + 1);
  return directory.endsWith(sep) ? directory + name : directory + sep + name;
}

/** Around what is not there the directory mostly is: to ask for its real path at once spares a look. */
function realDirectory(absolute: string): string {
  const known = realPaths.get(absolute);
  if (known !== undefined) return known;
  try {
    return remember(absolute, realpathSync.native(absolute));
  } catch {
    return missingDirectory(absolute);
  }
}

function missingDirectory(absolute: string): string {
  const there = longestThere(absolute);
  const real = realPaths.get(there) ?? remember(there, realNameOf(there));
  return there === absolute ? real : remember(absolute, join(real, absolute.slice(there.length)));
}

/** Nothing is below what is not there: the longest beginning that is, is found in steps that double, and then by halves. */
function longestThere(absolute: string): string {
  const { root } = parse(absolute);
  const ends = endsOfParts(absolute, root.length);
  const beginning = (parts: number) => absolute.slice(0, ends[parts - 1] ?? root.length);
  let missing = ends.length + 1;
  let there = 0;
  for (let back = 0; back < ends.length; back = back * 2 + 1) {
    const parts = ends.length - back;
    if (lookAt(beginning(parts)) !== false) {
      there = parts;
      break;
    }
    missing = parts;
  }
  while (missing - there > 1) {
    const middle = (missing + there) >> 1;
    if (lookAt(beginning(middle)) !== false) there = middle;
    else missing = middle;
  }
  return beginning(there);
}

function endsOfParts(absolute: string, start: number): number[] {
  const ends: number[] = [];
  for (let at = absolute.indexOf(sep, start); at >= 0; at = absolute.indexOf(sep, at + 1)) ends.push(at);
  if (absolute.length > start) ends.push(absolute.length);
  return ends;
}

function realNameOf(there: string): string {
  try {
    return realpathSync.native(there);
  } catch {
    const parent = dirname(there);
    return linkTarget(there) ?? (parent === there ? there : nameIn(realDirectory(parent), there));
  }
}

/** As many as systems follow. */
const MAX_LINKS = 40;

/** Where a chain of links ends that leads to nothing; undefined: it is no link, or goes round in circles. */
function linkTarget(path: string): string | undefined {
  let at = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    if (!isLink(at)) return at === path ? undefined : join(realPath(dirname(at), "/"), basename(at));
    // Whoever comes back to it on the way goes round in circles.
    remember(at, at);
    at = followed(realPath(dirname(at), "/"), readlinkSync(at));
  }
  return undefined;
}

/** `..` behind a link is above where the link leads. */
function followed(directory: string, target: string): string {
  let at = isAbsolute(target) ? "/" : directory;
  for (const part of target.split("/")) {
    if (part === "..") at = dirname(realPath(at, "/"));
    else if (part !== "" && part !== ".") at = join(at, part);
  }
  return at;
}

/** What cannot even be looked at (a path below a file, a closed directory) is no link that anybody could write through. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    return false;
  }
}

const MAX_REAL_PATHS = 1_000;
const realPaths = new Map<string, string>();

/** The disk may be another by the next call. */
export const forgetRealPaths = (): void => realPaths.clear();
