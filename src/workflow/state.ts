/** The project's state as `.holdfast/state.toml` holds it. Keys are spelt as in the file and on the wire. */
import type { TomlTable } from "smol-toml";
import { Problem } from "./problem.ts";
import { STEP_NAMES } from "./step.ts";
import {
  flag,
  integer,
  isTable,
  oneOf,
  parseToml,
  readFields,
  readSections,
  renderToml,
  type SectionValues,
  text,
  toJson,
  type Values,
  withFields,
  withSections,
} from "./toml-fields.ts";

const SECTIONS = {
  project: { name: text(), initialized: text() },
  current: {
    phase: text(),
    step: oneOf(STEP_NAMES, "specced"),
    status: oneOf(["idle", "busy", "blocked"], "idle"),
    plan: text(),
    wave: integer(0),
  },
  progress: {
    phases_total: integer(0),
    phases_complete: integer(0),
    current_phase_plans: integer(0),
    current_phase_plans_complete: integer(0),
  },
  metrics: { last_activity: text(), total_agent_sessions: integer(0) },
};

const BLOCKER = { phase: text(), step: text(), reason: text(), timestamp: text(), resolved: flag(false) };

export type Blocker = Values<typeof BLOCKER>;
export type State = SectionValues<typeof SECTIONS> & { readonly blockers: readonly Blocker[] };

/** A state together with the table it was read from, whose unknown keys survive a rewrite. */
export interface StateDocument {
  readonly table: TomlTable;
  readonly state: State;
}

export const openBlockers = (state: State) => state.blockers.filter(({ resolved }) => !resolved);

/** Blocked is what has an open blocker, and nothing else is. */
export function withStatus(state: State): State {
  const { status } = state.current;
  const actual = openBlockers(state).length > 0 ? "blocked" : status === "blocked" ? "idle" : status;
  return actual === status ? state : { ...state, current: { ...state.current, status: actual } };
}

export function readState(source: string): StateDocument | Problem {
  const table = parseToml(source);
  if (typeof table === "string") return invalid(table);
  const faults: string[] = [];
  const sections = readSections(SECTIONS, table, (fault) => faults.push(fault));
  const entries = table.blockers ?? [];
  if (!Array.isArray(entries) || !entries.every(isTable)) return invalid("blockers must be a list of tables");
  const blockers = entries.map((entry, index) =>
    readFields(BLOCKER, entry, (key, expected) => faults.push(`blockers[${index}].${key} must be ${expected}`)),
  );
  if (faults.length > 0) return invalid(faults.join("; "));
  return { table, state: withStatus({ ...sections, blockers }) };
}

const invalid = (fault: string) =>
  new Problem("INVALID_STATE", `.holdfast/state.toml cannot be used: ${fault}. Ask the person to repair the file.`);

const HEADER = "# Written by Holdfast. To change it: holdfast state, or the state_* tools of holdfast mcp.\n\n";

export function renderState(document: StateDocument): string | Problem {
  const source = renderToml(tableOf(document));
  return source === undefined
    ? new Problem("SERIALIZE_ERROR", "The new state cannot be written as TOML; nothing was changed.")
    : HEADER + source;
}

/** The whole file, unknown keys too, as JSON. */
export const stateJson = (document: StateDocument) => toJson(tableOf(document)) as unknown as State;

function tableOf({ table, state: { blockers, ...sections } }: StateDocument): TomlTable {
  // Blockers are only appended or changed in place: the n-th is still the n-th of the file.
  const known = Array.isArray(table.blockers) ? table.blockers : [];
  const { blockers: _, ...rest } = withSections(table, sections);
  return { ...rest, blockers: blockers.map((blocker, index) => withFields(known[index], blocker)) };
}
