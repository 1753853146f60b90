/** The only list of built-in hooks. Of equal reasons the first one's leads. */
import { approvals } from "./approvals.ts";
import type { BuiltinHook } from "./builtin.ts";
import { destructiveCommand } from "./destructive-command/destructive-command.ts";
import { KNOWLEDGE_HOOKS } from "./knowledge.ts";
import { loops } from "./loops.ts";
import { personOnly } from "./person-only.ts";
import { protectedPaths } from "./protected-paths/protected-paths.ts";
import { rateLimit } from "./rate-limit.ts";
import { readOnly } from "./read-only/read-only.ts";
import { recordToolCall } from "./record-tool-call.ts";
import { redactOutput } from "./redact-output.ts";
import { requiresConfirmation } from "./requires-confirmation.ts";
import { truncateOutput } from "./truncate-output.ts";
import { workflow } from "./workflow.ts";

export const BUILTIN_HOOKS: readonly BuiltinHook[] = [
  destructiveCommand,
  protectedPaths,
  personOnly,
  loops,
  workflow,
  readOnly,
  requiresConfirmation,
  rateLimit,
  approvals,
  recordToolCall,
  redactOutput,
  truncateOutput,
  ...KNOWLEDGE_HOOKS,
];
