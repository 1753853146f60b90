/** Runs that wait for other runs. A dependency is a run's id or `group:<name>`; no circle can be made. */
import { HoldfastError } from "../core/errors.ts";
import type { RunPorts } from "./ports.ts";
import type { Run } from "./run.ts";
import { readRun, updateRun } from "./update.ts";

const GROUP = "group:";

/** Throws where one does not exist, or leads back to the run itself. */
export async function checkDependencies(
  ports: Pick<RunPorts, "store">,
  id: string,
  dependencies: readonly string[],
): Promise<void> {
  const seen = new Set<string>();
  const waiting = await expanded(ports, dependencies);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === id) throw new HoldfastError("HF1030", `run ${id} would wait for itself`);
    if (seen.has(next)) continue;
    seen.add(next);
    waiting.push(...(await expanded(ports, (await readRun(ports, next)).dependencies)));
  }
}

export async function dependenciesOf(ports: Pick<RunPorts, "store">, run: Run): Promise<readonly Run[]> {
  const ids = (await expanded(ports, run.dependencies)).filter((id) => id !== run.id);
  return Promise.all(ids.map((id) => readRun(ports, id)));
}

/** What it still waits for, in words; empty: it may start. */
export async function unmetDependencies(ports: Pick<RunPorts, "store">, run: Run): Promise<readonly string[]> {
  const unmet = (await dependenciesOf(ports, run)).filter(({ status }) => status !== "success");
  return unmet.map(({ id, name, status }) => `${id}${name ? ` (${name})` : ""} is ${status}`);
}

export async function requireDependencies(ports: Pick<RunPorts, "store">, run: Run): Promise<void> {
  const unmet = await unmetDependencies(ports, run);
  if (unmet.length > 0) throw new HoldfastError("HF1037", `run ${run.id} waits: ${unmet.join(", ")}`);
}

export type DependencyEdit = { readonly add: string } | { readonly remove: string } | { readonly clear: true };

export function editDependencies(ports: RunPorts, id: string, edit: DependencyEdit): Promise<Run> {
  // Two edits at once could each close half a circle.
  return ports.store.exclusively(async () => {
    const dependencies = dependenciesAfter((await readRun(ports, id)).dependencies, edit);
    await checkDependencies(ports, id, dependencies);
    return updateRun(ports, id, (run) => {
      if (run.status !== "initialized") {
        throw new HoldfastError("HF1030", `run ${id} is ${run.status}; dependencies are set while it is initialized`);
      }
      if (run.dependencies.join() === dependencies.join()) return undefined;
      const events = [
        { type: "run.dependencies_set", source: "cli" as const, data: { dependencies: [...dependencies] } },
      ];
      return { next: { ...run, dependencies }, change: { events } };
    });
  });
}

function dependenciesAfter(before: readonly string[], edit: DependencyEdit): readonly string[] {
  if ("clear" in edit) return [];
  if ("add" in edit) return before.includes(edit.add) ? before : [...before, edit.add];
  if (!before.includes(edit.remove)) throw new HoldfastError("HF1030", `it does not depend on ${edit.remove}`);
  return before.filter((dependency) => dependency !== edit.remove);
}

async function expanded({ store }: Pick<RunPorts, "store">, dependencies: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const dependency of dependencies) {
    if (!dependency.startsWith(GROUP)) ids.push(dependency);
    else {
      const members = await store.list({ group: dependency.slice(GROUP.length), includeArchived: true });
      ids.push(...members.map(({ id }) => id));
    }
  }
  return ids;
}
