/** Opens runs for one command, and closes them again whatever happens. */
import { HoldfastError } from "../../core/errors.ts";
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
  } catch (error) {
    throw isOfTheDisk(error) ? new HoldfastError("HF1083", error.message) : error;
  } finally {
    await runs.close();
  }
}

const OF_THE_DISK = ["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS", "EACCES", "EPERM", "ENOTDIR", "EISDIR"];

const isOfTheDisk = (error: unknown): error is Error => {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return OF_THE_DISK.includes(code ?? "") && !syscall?.startsWith("spawn");
};
