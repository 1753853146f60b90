/** What a permission mode means for a tool: runs, asks first, or is refused. */
import type { EventContext } from "../core/event.ts";
import type { ToolKind } from "../core/tool.ts";
import type { Tool } from "./tools/tool.ts";

export type PermissionMode = EventContext["permissionMode"];

/** Modes as people call them elsewhere. */
const ALIASES: Readonly<Record<string, PermissionMode>> = { build: "default", plan: "plan", review: "accept_edits" };
const MODES: readonly PermissionMode[] = ["default", "plan", "accept_edits", "bypass"];

/** undefined: there is no such mode. */
export const permissionModeNamed = (name: string): PermissionMode | undefined =>
  MODES.find((mode) => mode === name) ?? ALIASES[name.toLowerCase()];

/** A sub-agent is in its parent's mode, and its own calls are asked about: delegating changes nothing by itself. */
const HARMLESS: readonly ToolKind[] = ["read", "search", "delegate"];
const EDITS: readonly ToolKind[] = ["write", "edit"];

export interface Permission {
  readonly needsPermission?: boolean;
  readonly refusal?: string;
}

export function permissionFor(tool: Tool, mode: PermissionMode): Permission {
  const kind = tool.does?.kind ?? "other";
  if (mode === "plan" && !HARMLESS.includes(kind)) {
    return { refusal: `in plan mode only reading tools run, and ${tool.name} is none; say what you would do instead` };
  }
  if (tool.needsPermission !== undefined) return { needsPermission: tool.needsPermission && mode !== "bypass" };
  const free = HARMLESS.includes(kind) || mode === "bypass" || (mode === "accept_edits" && EDITS.includes(kind));
  return { needsPermission: !free };
}
