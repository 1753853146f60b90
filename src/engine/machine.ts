/** The machine as built-in hooks see it. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
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
import { forgetRealPaths, realPath } from "./real-path.ts";
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

/** Whether names that differ in case only are the same file here. */
export const IGNORES_CASE = process.platform === "darwin" || process.platform === "win32";

export function machineOf(plan: Plan, places: Places, records: MachineRecords = {}): Machine {
  // What lies in the project is protected by its names; these are Holdfast's own wherever they are.
  const ownPaths = [...plan.files.map(({ path }) => path), places.userDir, places.stateDir, ...places.managedDirs];
  const history = rememberedHistory(records.newestFirst ?? recordsNewestFirst);
  const ledger = journalOf("ledger", plan, places);
  const audit = journalOf("audit", plan, places);
  return {
    homeDir: realPath(places.homeDir, "/"),
    rootDir: realPath(plan.root, "/"),
    ignoresCase: IGNORES_CASE,
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

export const expandHome = (path: string, homeDir: string) =>
  path === "~" || path.startsWith("~/") ? join(homeDir, path.slice(1)) : path;

/** What a command would do depends on the disk, so nothing is remembered from one call of a host to the next. */
export function forgetAnalyses(): void {
  remembered.clear();
  forgetRealPaths();
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
