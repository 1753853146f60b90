/** The texts of a run with its variables filled in. Values of the environment stay references until a backend is told. */
import { resolve } from "node:path";
import { HoldfastError } from "../core/errors.ts";
import { fillKnown, fillTemplate, injectedValues, type TemplateValues } from "./assignment/template.ts";
import { valuesOf } from "./assignment/vars.ts";
import type { FreezeContext } from "./hooks/freeze.ts";
import type { NewRun } from "./new-run.ts";
import type { RunPorts } from "./ports.ts";
import type { Run, RunVar } from "./run.ts";
import type { Task } from "./task.ts";

export interface Rendering {
  readonly id: string;
  readonly group: string | null;
  readonly cwd: string;
  readonly vars: Readonly<Record<string, RunVar>>;
}

type Ports = Pick<RunPorts, "env" | "places">;

const PROGRAM = "holdfast";

const injected = ({ assignment }: NewRun, { id, group, cwd }: Rendering, { places }: Ports): TemplateValues =>
  injectedValues({
    run: { id, group },
    cwd,
    configDir: places.configDir,
    stateDir: places.stateDir,
    assignment: assignment?.name ?? null,
    command: PROGRAM,
  });

const declared = ({ assignment }: NewRun): Record<string, null> =>
  Object.fromEntries(Object.keys(assignment?.vars ?? {}).map((key) => [key, null]));

/** With references in the place of what came from the environment. */
function storedValues(wanted: NewRun, rendering: Rendering, ports: Ports): TemplateValues {
  const vars = Object.entries(rendering.vars).map(([key, value]) => [
    key,
    value.source === "env" ? `{{$${value.envName}}}` : value.value,
  ]);
  return { ...declared(wanted), ...Object.fromEntries(vars), ...injected(wanted, rendering, ports) };
}

export function hookValues(wanted: NewRun, rendering: Rendering, ports: Ports): FreezeContext["values"] {
  const vars = Object.entries(rendering.vars).map(([key, value]) => [
    key,
    value.source === "env" ? { envName: value.envName } : value.value,
  ]);
  return { ...declared(wanted), ...Object.fromEntries(vars), ...injected(wanted, rendering, ports) };
}

export interface RenderedTexts {
  readonly role: string;
  readonly instructions: string;
  readonly message: string | null;
  readonly callerInstructions: string | null;
  readonly tasks: readonly Task[];
}

/** `kept`: tasks as they stand, whose state survives. A draft may have keys that a prepare hook is still to set. */
export function renderTexts(
  wanted: NewRun,
  rendering: Rendering,
  ports: Ports,
  { kept = [], isDraft = false }: { readonly kept?: Run["tasks"]; readonly isDraft?: boolean } = {},
): RenderedTexts {
  const { agent, assignment, overrides } = wanted;
  const values = storedValues(wanted, rendering, ports);
  const filled = (text: string, file: string | null) =>
    isDraft ? fillKnown(text, values) : fillTemplate(text, values, file === null ? {} : { file });
  const inAgent = (text: string) => filled(text, agent.file);
  const fill = (text: string) => filled(text, assignment?.file ?? null);
  const stateOf = (id: string) => kept.find((task) => task.id === id) ?? { status: "pending" as const, notes: "" };
  const made = (id: string, title: string, body: string): Task => {
    const { status, notes } = stateOf(id);
    return { id, title, body, status, notes };
  };
  const written = assignment?.message ? fill(assignment.message) : null;
  return {
    role: inAgent(agent.body),
    instructions: assignment ? fill(assignment.body) : "",
    // What a person says now is no template.
    message: overrides.message === undefined ? written : overrides.message,
    callerInstructions: assignment?.callerInstructions ? fill(assignment.callerInstructions) : null,
    tasks: [
      ...(assignment?.tasks ?? []).map(({ id, title, body }) => made(id, fill(title), fill(body))),
      ...(overrides.addTasks ?? []).map(({ id, title, body }, index) => made(id ?? `added-${index + 1}`, title, body)),
    ],
  };
}

/** `.` is where the caller is; a relative path starts there. */
export function cwdOf(wanted: NewRun, rendering: Omit<Rendering, "cwd">, ports: Ports): string {
  const { assignment, overrides, callerCwd } = wanted;
  const written = overrides.cwd ?? assignment?.cwd ?? ".";
  const given = { ...rendering, cwd: callerCwd };
  const values = { ...declared(wanted), ...valuesOf(rendering.vars, ports.env), ...injected(wanted, given, ports) };
  return resolve(callerCwd, fillTemplate(written, values, assignment ? { file: assignment.file, key: "cwd" } : {}));
}

/** What a backend is told, with the environment's values in the place of their references. */
export function withoutReferences(text: string, env: Ports["env"]): string {
  return text.replace(/\{\{\$([A-Za-z_][A-Za-z0-9_]*)\}\}/g, (_, name: string) => {
    const value = env[name];
    if (value === undefined) {
      throw new HoldfastError("HF1027", `the run needs ${name} of the environment, which is not set here`, {
        hint: `Set ${name}, then resume the run.`,
      });
    }
    return value;
  });
}
