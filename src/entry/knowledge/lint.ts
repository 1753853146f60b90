/** `holdfast knowledge lint`. Errors are exit code 1, findings are not. */
import { recordLint } from "../../knowledge/attention/lint-state.ts";
import { freshness } from "../../knowledge/base/freshness.ts";
import { lintBase } from "../../knowledge/base/lint.ts";
import type { CommandCall, ExitCode } from "../cli/command.ts";
import { visible } from "../cli/visible.ts";
import { openKnowledge } from "./opened.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { output } = call;
  const { places, takeLock, now } = await openKnowledge(call);
  const report = lintBase(places);
  const { aged, problem } = await freshness(places);
  // So that sessions are not told of what was mended since.
  await recordLint(places, { ...report, aged: aged.length }, now(), takeLock);
  if (output.json) output.data({ ...report, aged, ...(problem === undefined ? {} : { freshnessProblem: problem }) });
  else {
    for (const { rule, severity, file, message, action } of report.entries) {
      const mark = severity === "error" ? output.paint("red", "error") : output.paint("yellow", "finding");
      output.line(`${mark}  ${rule}  ${visible(`${file}  ${message}`)}`);
      output.line(`         ${visible(action)}`);
    }
    for (const { file, changed } of aged) {
      output.line(`${output.paint("yellow", "aged")}  ${visible(`${file}  ${changed.join(", ")}`)} changed after it`);
      output.line("         read it again; if it still holds, touch it in a commit");
    }
    if (problem !== undefined) output.note(`whether nodes are out of date is not known: ${problem}`);
    const { errors, findings } = report;
    output.line(
      errors + findings + aged.length === 0
        ? output.paint("green", "nothing to mend")
        : `${errors} errors, ${findings} findings, ${aged.length} nodes that may be out of date`,
    );
  }
  return report.errors > 0 ? 1 : 0;
}
