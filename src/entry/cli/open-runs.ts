/** Opens runs for one command, and closes them again whatever happens. */
import { type OpenRuns, openRuns, type RunSetting } from "../run/ports.ts";
import type { CommandCall, ExitCode } from "./command.ts";

export async function withRuns(
  { env, cwd, distDir, output }: CommandCall,
  work: (runs: OpenRuns) => Promise<ExitCode>,
  more: Partial<RunSetting> = {},
): Promise<ExitCode> {
  const runs = await openRuns({ env, cwd, distDir, onRemark: (remark) => output.note(`holdfast: ${remark}`), ...more });
  try {
    return await work(runs);
  } finally {
    await runs.close();
  }
}
