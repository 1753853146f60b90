/** The machine as built-in hooks see it. */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
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
  const absolute = resolve(cwd || "/", path);
  const known = realPaths.get(absolute);
  if (known !== undefined) return known;
  if (realPaths.size >= MAX_REAL_PATHS) realPaths.clear();
  const real = foundPath(absolute);
  realPaths.set(absolute, real);
  return real;
}

function foundPath(absolute: string): string {
  if (absolute.length > LONGEST_PATH) {
    const end = Math.max(absolute.lastIndexOf("/", LONGEST_PATH), 1);
    return join(realPath(absolute.slice(0, end), "/"), absolute.slice(end));
  }
  if (existsSync(absolute)) return realpathSync.native(absolute);
  const parent = dirname(absolute);
  return parent === absolute ? absolute : join(realPath(parent, "/"), basename(absolute));
}

const MAX_REAL_PATHS = 1_000;
const realPaths = new Map<string, string>();

/** What a command would do depends on the disk, so nothing is remembered from one call of a host to the next. */
export function forgetAnalyses(): void {
  remembered.clear();
  realPaths.clear();
}

const MAX_REMEMBERED = 64;
const remembered = new Map<string, Analysis>();

/** Several hooks ask about one command. */
function analysis(command: string, cwd: string, homeDir: string): Analysis {
  const key = `${cwd}\n${homeDir}\n${command}`;
  const known = remembered.get(key);
  if (known) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const fresh = analyseCommand(command, { cwd, homeDir, realPath: (path) => realPath(path, "/") });
  remembered.set(key, fresh);
  return fresh;
}

const MAX_SCRIPT_BYTES = 256 * 1024;

function readText(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() && stat.size <= MAX_SCRIPT_BYTES ? readFileSync(path, "utf8") : undefined;
}
