/** What is known of each host's program. Apart from the registry: nothing of it is needed on a tool call. */
import { program as claudeCode } from "./claude-code/program.ts";
import { program as codex } from "./codex/program.ts";
import { program as copilot } from "./copilot/program.ts";
import { program as cursor } from "./cursor/program.ts";
import { program as gemini } from "./gemini/program.ts";
import { program as kiro } from "./kiro/program.ts";
import { program as opencode } from "./opencode/program.ts";
import { program as pi } from "./pi/program.ts";
import type { HostProgram } from "./program.ts";
import { program as qwen } from "./qwen/program.ts";
import type { HostId } from "./registry.ts";

/** A host that is missing here does not compile. */
export const PROGRAMS: { readonly [Id in HostId]: HostProgram } = {
  "claude-code": claudeCode,
  codex,
  cursor,
  copilot,
  opencode,
  gemini,
  kiro,
  qwen,
  pi,
};

export const programById = (id: string): HostProgram | undefined =>
  Object.hasOwn(PROGRAMS, id) ? PROGRAMS[id as HostId] : undefined;
