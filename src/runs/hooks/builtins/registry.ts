/** Every built-in hook of runs, in the order docs show them. */
import type { RunBuiltin } from "./builtin.ts";
import { command } from "./command.ts";
import { gitWorktree } from "./git-worktree.ts";
import { requireApproval } from "./require-approval.ts";
import { requireChildrenSuccess } from "./require-children-success.ts";
import { requireEvidence } from "./require-evidence.ts";

export const RUN_BUILTINS: readonly RunBuiltin[] = [
  command,
  gitWorktree,
  requireChildrenSuccess,
  requireEvidence,
  requireApproval,
];
