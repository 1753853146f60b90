/** The machine as built-in hooks see it. */
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
import type { Desk } from "../approvals/desk.ts";
import type { Environment, Places } from "../config/places.ts";
import type { Plan } from "../config/plan.ts";
import type { Machine } from "../hooks/builtin.ts";
import { HOSTS } from "../hosts/registry.ts";
import { type NewestFirst, recordsNewestFirst } from "../records/newest-first.ts";
import { type Analysis, analyseCommand } from "../shell/analyse.ts";
import { gitBranch, gitIsClean } from "./git.ts";
import { rememberedHistory } from "./history.ts";
import { journalOf } from "./journals.ts";
import { knowledgeOf } from "./knowledge.ts";
import { newMoment } from "./moment.ts";
import { readOnlySwitches } from "./read-only-switches.ts";
import { sharedTurns } from "./turns.ts";

export interface MachineRecords {
  readonly newestFirst?: NewestFirst;
  /** Nothing is counted: somebody only asks what would happen. */
  readonly rehearsal?: boolean;
  readonly desk?: () => Promise<Desk>;
  /** The caller's environment, and where the program lies: for work that goes on after the call. */
  readonly env?: Environment;
  readonly distDir?: string;
}

export function machineOf(plan: Plan, places: Places, records: MachineRecords = {}): Machine {
  // What lies in the project is protected by its names; these are Holdfast's own wherever they are.
  const ownPaths = [...plan.files.map(({ path }) => path), places.userDir, places.stateDir, ...places.managedDirs];
  const history = rememberedHistory(records.newestFirst ?? recordsNewestFirst);
  const ledger = journalOf("ledger", plan, places);
  const audit = journalOf("audit", plan, places);
  return {
    homeDir: realPath(places.homeDir, "/"),
    rootDir: realPath(plan.root, "/"),
    ignoresCase: process.platform === "darwin" || process.platform === "win32",
    stateDir: realPath(places.stateDir, "/"),
    ownPaths: ownPaths.map((path) => realPath(path, "/")),
    settingsGlobs: SETTINGS_GLOBS,
    realPath: (path, cwd) => realPath(expandHome(path, places.homeDir), cwd),
    analyse: (command, cwd) => analysis(command, cwd, places.homeDir),
    readText,
    namesIn,
    git: { isClean: gitIsClean, branch: gitBranch },
    takeTurn: sharedTurns(places.stateDir, { rehearsal: records.rehearsal ?? false }),
    isSwitchedReadOnly: readOnlySwitches(records.desk),
    knowledge: knowledgeOf(plan, places, records),
    historyOf: (event) => history(event, ledger, audit),
  };
}

const SETTINGS_GLOBS = HOSTS.flatMap(({ settingsGlobs }) => settingsGlobs);

const expandHome = (path: string, homeDir: string) =>
  path === "~" || path.startsWith("~/") ? join(homeDir, path.slice(1)) : path;

/** No system opens a longer one; walking up a path takes as long as it is long, squared. */
const LONGEST_PATH = 4096;

/** Symlinks are resolved as far as the path exists; what does not exist yet keeps its name. */
export function realPath(path: string, cwd: string): string {
  const absolute = PLAIN.test(path) && PLAIN_DIRECTORY.test(cwd) ? `${cwd}/${path}` : resolve(cwd || "/", path);
  return realPaths.get(absolute) ?? remember(absolute, foundPath(absolute));
}

/** In which nothing has to be resolved: no part of them begins with a dot, or is empty. */
const PLAIN = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;
const PLAIN_DIRECTORY = /^(?:\/[\w-][\w.-]*)+$/;

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
  const isThere = lookAt(absolute);
  if (isThere === true) return realpathSync.native(absolute);
  // Who writes to a link that leads nowhere makes the file it names.
  const target = isThere === "dangling link" ? linkTarget(absolute) : undefined;
  if (target !== undefined) return target;
  const parent = dirname(absolute);
  return parent === absolute ? absolute : nameIn(realDirectory(parent), absolute);
}

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

/** What a command would do depends on the disk, so nothing is remembered from one call of a host to the next. */
export function forgetAnalyses(): void {
  remembered.clear();
  realPaths.clear();
  newMoment();
}

const MAX_REMEMBERED = 64;
const remembered = new Map<string, Analysis>();

/** Several hooks ask about one command. */
function analysis(command: string, cwd: string, homeDir: string): Analysis {
  const key = `${cwd}\n${homeDir}\n${command}`;
  const known = remembered.get(key);
  if (known) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const fresh = analyseCommand(command, {
    cwd,
    homeDir,
    realPath: (path) => realPath(path, "/"),
    readText: readableText,
    isMissing: (path) => !existsSync(path),
  });
  remembered.set(key, fresh);
  return fresh;
}

const MAX_SCRIPT_BYTES = 256 * 1024;

function readText(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() && stat.size <= MAX_SCRIPT_BYTES ? readFileSync(path, "utf8") : undefined;
}

/** A file that may not be read says nothing, as one that is not there; whoever asks takes that for unknown. */
function readableText(path: string): string | undefined {
  try {
    return readText(path);
  } catch {
    return undefined;
  }
}

/** A directory with more names than this is not looked through. */
const MAX_NAMES = 5_000;

function namesIn(directory: string): readonly string[] | undefined {
  try {
    const names = readdirSync(directory);
    return names.length > MAX_NAMES ? undefined : names;
  } catch {
    return undefined;
  }
}
