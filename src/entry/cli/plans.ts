/** `holdfast plans`: the plans of a phase. */
import { isProblem } from "../../workflow/problem.ts";
import { projectWorkflow } from "../mcp/project-workflow.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { table } from "./output.ts";
import { reportProblem } from "./workflow-problem.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { words, output, cwd, env } = call;
  const list = projectWorkflow(cwd, env).plansList({ phase: words[0] });
  if (isProblem(list)) return reportProblem(list, call);
  if (output.json) {
    output.data(list);
    return 0;
  }
  const done = list.plans.filter(({ complete }) => complete).length;
  output.line(`phase ${list.phase}: ${done} of ${list.total} plans complete`);
  const rows = list.plans.map((plan) => [
    plan.complete ? output.paint("green", "done") : output.paint("yellow", "open"),
    `wave ${plan.wave}`,
    plan.file,
    plan.title,
    plan.depends_on.length > 0 ? `after ${plan.depends_on.join(", ")}` : "",
  ]);
  for (const line of table(rows)) output.line(line);
  for (const { file, problem } of list.plans) if (problem) output.note(`${file}: ${problem}; defaults are used`);
  if (list.ignored) output.note(`not named like a plan (NNN.md or NNN-name.md): ${list.ignored.join(", ")}`);
  return 0;
}
