/** `holdfast uninstall`: settings files as they were before; records stay. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { FORMATS } from "../../config/places.ts";
import { HoldfastError } from "../../core/errors.ts";
import type { Level } from "../../hosts/host.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { hookTypes, starterConfig } from "./init.ts";
import { near } from "./output.ts";
import { assertNoAgentShell } from "./person.ts";
import { registeredState } from "./registered.ts";
import {
  consentsOf,
  editsOf,
  knownHosts,
  namedHosts,
  namedLevel,
  type Project,
  projectOf,
  type Registration,
  registrations,
  showChange,
} from "./registration.ts";
import {
  applyChange,
  assertWritable,
  type FileChange,
  isChange,
  partsTakenOut,
  removals,
  removeEmptyDirectories,
} from "./settings-files.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { output, flags, cwd } = call;
  const levels = levelsOf(call);
  const project = projectOf(call);
  const { projectDir, stateDir } = project;
  const registered = registrations(call, project, namedHosts(call) ?? knownHosts(), levels).filter(hasLevel);
  const whole = !flags.hosts && levels.includes("project");
  const shared = whole ? [...starterConfig(projectDir), ...hookTypes(projectDir, call.distDir)] : [];
  const needed = neededByOthers(call, project, registered, levels);
  const edits = editsOf(registered).filter(({ path, role }) => role !== "mcp" || !needed.has(path));
  const registering = removals([...consentsOf(registered, []), ...edits], stateDir);
  const changes = [...registering, ...partsTakenOut(shared)].filter(isChange);
  const dryRun = flags["dry-run"] === true;
  if (!dryRun) {
    assertNoAgentShell(call.env, "uninstall");
    assertWritable(changes);
  }
  for (const change of changes) {
    if (!dryRun) applyChange(change, stateDir, "forget");
    if (output.json) continue;
    if (dryRun) showChange(change, call);
    else output.line(`${output.paint("yellow", done(change))}  ${near(change.path, cwd)}`);
  }
  if (!dryRun) removeEmptyDirectories(stateDir);
  if (output.json) {
    const listed = changes.map(({ path, after }) => ({ path, removed: after === undefined }));
    output.data({ projectDir, changes: listed, dryRun });
  } else if (changes.length === 0) output.line("nothing of Holdfast is registered here");
  else if (dryRun) output.note("dry run: nothing was written");
  else output.line(`Holdfast is out${whatStays(projectDir)}`);
  return 0;
}

/** Rules and records belong to the person, and so does whatever else they have there. */
function whatStays(projectDir: string): string {
  const kept = [
    ...FORMATS.map((format) => `holdfast.${format}`).filter((name) => existsSync(join(projectDir, name))),
    ...(existsSync(join(projectDir, ".holdfast")) ? ["what is in .holdfast/"] : []),
  ];
  return kept.length === 0 ? "" : `; ${kept.join(" and ")} ${kept.length === 1 ? "stays" : "stay"}`;
}

/** Without a level named, all of this checkout; what a person registered for every project is another matter. */
function levelsOf(call: CommandCall): readonly Level[] {
  const named = namedLevel(call);
  return named ? [named] : ["project", "local"];
}

/** Files of MCP servers that a host which stays registered goes by as well. */
function neededByOthers(
  call: CommandCall,
  project: Project,
  leaving: readonly Registration[],
  levels: readonly Level[],
): ReadonlySet<string> {
  const staying = knownHosts().filter((id) => !leaving.some(({ host }) => host === id));
  const others = registrations(call, project, staying, levels).filter(
    (registration) => registeredState(registration).state !== "absent",
  );
  return new Set(
    others.filter(hasLevel).flatMap(({ install, target }) => install.edits(target).map(({ path }) => path)),
  );
}

/** A level that a host does not have holds nothing of ours. */
function hasLevel({ install, target }: Registration): boolean {
  try {
    install.edits(target);
    return true;
  } catch (error) {
    if (error instanceof HoldfastError && error.code === "HF402") return false;
    throw error;
  }
}

const done = ({ after }: FileChange) => (after === undefined ? "removed" : "restored");
