/** The only list of built-in hooks, in the order they run. */
import type { BuiltinHook } from "./builtin.ts";
import { personOnly } from "./person-only.ts";
import { protectedPaths } from "./protected-paths.ts";
import { recordToolCall } from "./record-tool-call.ts";

export const BUILTIN_HOOKS: readonly BuiltinHook[] = [protectedPaths, personOnly, recordToolCall];
