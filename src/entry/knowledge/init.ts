/** `holdfast knowledge init`: a base, the switch, and what tells agents of it. Idempotent to the byte. */
import { join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import { rebuildIndex } from "../../knowledge/base/rebuild.ts";
import { knowledgePlaces } from "../../knowledge/places.ts";
import type { CommandCall, ExitCode } from "../cli/command.ts";
import { isInUse, searchHosts } from "../cli/host-search.ts";
import { near } from "../cli/output.ts";
import { namedHosts, type Project, projectOf, showChange } from "../cli/registration.ts";
import {
  additions,
  applyChange,
  assertWritable,
  type FileChange,
  isChange,
  removalsOfPart,
} from "../cli/settings-files.ts";
import { agentsEdit, configEdit, ignoreEdit, SKILL_DIRS, skillEdits } from "./files.ts";
import { lookAtKnowledge } from "./opened.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { flags } = call;
  const project = projectOf(call);
  if (project.projectDir === project.homeDir)
    throw new HoldfastError("HF701", "your home directory is no project", { hint: "run it in a project" });
  const hosts = namedHosts(call) ?? inUse(call, project);
  const dryRun = flags["dry-run"] === true;
  const changes = flags.remove ? removed(project) : added(project, hosts);
  if (!dryRun) assertWritable(changes);
  for (const change of changes) {
    if (!dryRun) applyChange(change, project.stateDir, flags.remove ? "forget" : "backup");
    if (!call.output.json) tellChange(change, call, dryRun);
  }
  if (flags.remove) return tellRemoved(call, changes, dryRun);
  const pages = dryRun ? [] : await firstPages(call, project);
  tell(call, hosts, changes, pages, dryRun);
  return 0;
}

const inUse = ({ env }: CommandCall, project: Project): string[] =>
  searchHosts({ ...project, env })
    .filter(isInUse)
    .map(({ host }) => host.id);

function added({ projectDir }: Project, hosts: readonly string[]): FileChange[] {
  const places = knowledgePlaces(projectDir);
  const edits = [configEdit(projectDir), ignoreEdit(places), agentsEdit(projectDir), ...skillEdits(projectDir, hosts)];
  return additions(edits).filter(isChange);
}

function removed({ projectDir, stateDir }: Project): FileChange[] {
  const edits = [configEdit(projectDir), agentsEdit(projectDir), ...skillEdits(projectDir, Object.keys(SKILL_DIRS))];
  return removalsOfPart(edits, stateDir).filter(isChange);
}

async function firstPages(call: CommandCall, { projectDir }: Project): Promise<readonly string[]> {
  makeDirectory(join(projectDir, ".holdfast", "knowledge", "nodes"));
  const { places, exclusively } = await lookAtKnowledge(call);
  return (await rebuildIndex(places, exclusively)).written;
}

function tellChange(change: FileChange, call: CommandCall, dryRun: boolean): void {
  const { output, cwd } = call;
  if (dryRun) return showChange(change, call);
  const word = change.after === undefined ? "removed" : change.before === undefined ? "created" : "changed";
  output.line(`${output.paint("green", word)}  ${near(change.path, cwd)}`);
}

function tell(
  { output }: CommandCall,
  hosts: readonly string[],
  changes: readonly FileChange[],
  pages: readonly string[],
  dryRun: boolean,
): void {
  const skills = hosts.filter((host) => host in SKILL_DIRS);
  if (output.json) {
    output.data({
      changes: changes.map(({ path, before }) => ({ path, created: before === undefined })),
      pages,
      skills,
      dryRun,
    });
    return;
  }
  for (const path of pages) output.line(`${output.paint("green", "wrote")}  ${path}`);
  if (dryRun) return output.note("dry run: nothing was written");
  if (changes.length + pages.length === 0) output.line("knowledge is on here, and everything is as it should be");
  output.line("sessions are captured from now on, on this machine only; what you accept is committed with the code");
  output.line("proposals are made of them by holdfast knowledge drain --yes, or in the background once you set");
  output.line("knowledge.drain.enabled in your own config; both cost model calls");
  if (skills.length > 0) output.line(`skills to curate and to add are there for ${skills.join(", ")}`);
  output.line(
    "next: holdfast init (if your agents are not registered) · holdfast knowledge bootstrap · holdfast knowledge doctor",
  );
}

async function tellRemoved(call: CommandCall, changes: readonly FileChange[], dryRun: boolean): Promise<ExitCode> {
  const { output } = call;
  const isStillOn = !dryRun && (await lookAtKnowledge(call)).isEnabled;
  if (output.json) {
    const changed = changes.map(({ path, after }) => ({ path, removed: after === undefined }));
    output.data({ changes: changed, dryRun, ...(dryRun ? {} : { enabled: isStillOn }) });
  } else if (dryRun) output.note("dry run: nothing was written");
  else if (isStillOn)
    output.line(
      "taken out of this project, but still on: another config switches it on here; holdfast check lists them",
    );
  else output.line("switched off; nodes and session logs are still in .holdfast/knowledge");
  return isStillOn ? 1 : 0;
}
