/** What is known of each host's program. Apart from the registry: nothing of it is needed on a tool call. */
import { program as claudeCode } from "./claude-code/program.ts";
import { program as kiro } from "./kiro/program.ts";
import { program as pi } from "./pi/program.ts";
import type { HostProgram } from "./program.ts";
import type { HostId } from "./registry.ts";

/** A host that is missing here does not compile. */
export const PROGRAMS: { readonly [Id in HostId]: HostProgram } = { "claude-code": claudeCode, kiro, pi };

export const programById = (id: string): HostProgram | undefined =>
  Object.hasOwn(PROGRAMS, id) ? PROGRAMS[id as HostId] : undefined;
