/** `holdfast knowledge prune`: traces that are older than they are kept for. */
import { HoldfastError } from "../../core/errors.ts";
import { pruneLogs } from "../../knowledge/base/prune.ts";
import { type CommandCall, type ExitCode, textFlag } from "../cli/command.ts";
import { openKnowledge } from "./opened.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { output, flags } = call;
  const { places, settings, now } = await openKnowledge(call);
  const days = Number(textFlag(call, "days") ?? settings.logsRetentionDays);
  if (!Number.isInteger(days) || days < 1) throw new HoldfastError("HF701", "--days takes a number from 1 up");
  const dryRun = flags["dry-run"] === true;
  const pruned = pruneLogs(places, days, now().getTime(), dryRun);
  if (output.json) output.data({ ...pruned, days, dryRun });
  else {
    for (const path of pruned.deleted) output.line(`${dryRun ? "would delete" : "deleted"}  ${path}`);
    if (pruned.deleted.length === 0) output.line(`no trace is older than ${days} days`);
  }
  return 0;
}
