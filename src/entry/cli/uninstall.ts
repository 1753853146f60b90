/** `holdfast uninstall`: settings files as they were before; records stay. */
import type { CommandCall, ExitCode } from "./command.ts";
import { hookTypes, starterConfig } from "./init.ts";
import { near } from "./output.ts";
import { knownHosts, registrationOf, showChange } from "./registration.ts";
import { applyChange, isChange, removals } from "./settings-files.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { output, flags, cwd } = call;
  const { edits, projectDir, stateDir } = registrationOf(call, knownHosts);
  const all = flags.hosts ? edits : [...edits, ...starterConfig(projectDir), ...hookTypes(projectDir, call.distDir)];
  const changes = removals(all, stateDir).filter(isChange);
  if (output.json)
    output.data({
      projectDir,
      changes: changes.map(({ path, after }) => ({ path, removed: after === undefined })),
      dryRun: Boolean(flags["dry-run"]),
    });
  if (flags["dry-run"]) {
    if (!output.json) for (const change of changes) showChange(change, call);
    return 0;
  }
  for (const change of changes) {
    applyChange(change, stateDir, "forget");
    if (!output.json)
      output.line(
        `${output.paint("yellow", change.after === undefined ? "removed" : "restored")}  ${near(change.path, cwd)}`,
      );
  }
  if (!output.json)
    output.line(
      changes.length === 0
        ? "nothing of Holdfast is registered here"
        : "Holdfast is out; its records in .holdfast/ stay",
    );
  return 0;
}
