/** How far a registration is in place, read from the files it would change. */
import { HoldfastError } from "../../core/errors.ts";
import type { FileEdit } from "../../hosts/host.ts";
import type { Registration } from "./registration.ts";

export type RegistrationState =
  /** Every file is as `init` would leave it. */
  | "registered"
  /** We are in it, and not as this version would be: another Holdfast, or somebody's hand. */
  | "outdated"
  | "absent"
  /** A file cannot be read as what it should be. */
  | "broken";

export interface Registered {
  readonly state: RegistrationState;
  /** The files in question. */
  readonly files: readonly string[];
  readonly problem?: string;
}

export function registeredState({ install, target }: Registration): Registered {
  try {
    const edits = install.edits(target);
    const look = (edit: FileEdit) => ({ path: edit.path, state: stateOf(edit, target.readFile(edit.path)) });
    const hooks = edits.filter(({ role }) => role !== "mcp").map(look);
    // A file of MCP servers, which hosts share, says nothing of a host that does not call our hooks.
    if (hooks.every(({ state }) => state === "absent")) return { state: "absent", files: [] };
    const all = [...hooks, ...edits.filter(({ role }) => role === "mcp").map(look)];
    const off = all.filter(({ state }) => state !== "registered").map(({ path }) => path);
    return off.length === 0
      ? { state: "registered", files: all.map(({ path }) => path) }
      : { state: "outdated", files: off };
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    if (error.code === "HF402") return { state: "absent", files: [] };
    return { state: "broken", files: [error.place.file ?? ""].filter(Boolean), problem: error.message };
  }
}

function stateOf(edit: FileEdit, text: string | undefined): Exclude<RegistrationState, "broken"> {
  if (text === undefined) return "absent";
  if (edit.add(text) === text) return "registered";
  return edit.remove(text) === text ? "absent" : "outdated";
}
