/** `holdfast knowledge index`: what is generated from the nodes, made anew. */
import { spawnSync } from "node:child_process";
import { HoldfastError } from "../../core/errors.ts";
import { rebuildIndex } from "../../knowledge/base/rebuild.ts";
import { fillSearchIndex } from "../../knowledge/retrieval/search.ts";
import type { CommandCall, ExitCode } from "../cli/command.ts";
import { openKnowledge } from "./opened.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { output, flags } = call;
  const { places, exclusively } = await openKnowledge(call);
  const dryRun = flags["dry-run"] === true;
  const rebuilt = await rebuildIndex(places, exclusively, dryRun);
  const notKept = dryRun ? undefined : (await fillSearchIndex(places)).notKept;
  if (notKept !== undefined) output.note(`the index that prompts are answered from could not be kept: ${notKept}`);
  if (flags.stage && !dryRun) stage(places.root, [...rebuilt.written, ...rebuilt.removed]);
  if (output.json) {
    output.data({ ...rebuilt, dryRun });
    return 0;
  }
  for (const path of rebuilt.written)
    output.line(`${output.paint("green", dryRun ? "would write" : "wrote")}  ${path}`);
  for (const path of rebuilt.removed)
    output.line(`${output.paint("yellow", dryRun ? "would remove" : "removed")}  ${path}`);
  for (const warning of rebuilt.warnings) output.note(warning);
  const count = `${rebuilt.nodeCount} ${rebuilt.nodeCount === 1 ? "node" : "nodes"}`;
  if (rebuilt.written.length + rebuilt.removed.length === 0) output.line(`up to date: ${count}`);
  else if (!dryRun) output.line(`${count}; commit what was written together with the nodes`);
  return 0;
}

/** For a hook of git before a commit: what was generated goes into it. */
function stage(root: string, paths: readonly string[]): void {
  if (paths.length === 0) return;
  const { status, stderr, error } = spawnSync("git", ["add", "-A", "--", ...paths], { cwd: root, encoding: "utf8" });
  if (status !== 0)
    throw new HoldfastError("HF701", `git could not take the pages: ${error?.message ?? stderr.trim()}`);
}
