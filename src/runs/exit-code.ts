/** One kind of error, one exit code: 2 somebody said no, 3 what was asked for cannot be, 4 a program of somebody's failed, 130 a person stopped it. */
import { type ErrorCode, HoldfastError } from "../core/errors.ts";

const REFUSED: readonly ErrorCode[] = ["HF1025", "HF1032"];
const FAILED: readonly ErrorCode[] = ["HF1028", "HF1033", "HF1034", "HF1042", "HF1045", "HF1083"];

export function exitCodeOf(error: unknown): number {
  if (!(error instanceof HoldfastError)) return 4;
  if (error.code === "HF1082") return 130;
  if (REFUSED.includes(error.code)) return 2;
  return FAILED.includes(error.code) ? 4 : 3;
}
