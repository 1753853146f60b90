/**
 * Which runs a caller may touch. Inside a run (HOLDFAST_RUN_ID) that is the run itself and those it started. The variable
 * keeps agents from mistakes; what must not be got around is held by person-only, which judges their commands.
 */
import { HoldfastError } from "../../core/errors.ts";
import type { RunPorts } from "../../runs/ports.ts";
import type { Run } from "../../runs/run.ts";

type Ports = Pick<RunPorts, "store" | "env">;

export async function runFor(ports: Ports, given: string | undefined, what: "edit" | "drive" | "read"): Promise<Run> {
  const own = ports.env.HOLDFAST_RUN_ID || undefined;
  const id = given ?? own;
  if (id === undefined) {
    throw new HoldfastError("HF701", "which run?", {
      hint: "give its id; inside a run, HOLDFAST_RUN_ID says it. holdfast runs list shows them",
    });
  }
  const run = await ports.store.read(id);
  if (!run) throw new HoldfastError("HF1021", `there is no run ${id}`);
  if (what === "read" || own === undefined) return run;
  if (id === own && what === "edit") return run;
  if (id !== own && (await startedBy(ports, run, own))) return run;
  throw new HoldfastError(
    "HF1046",
    id === own ? `run ${own} cannot drive itself` : `run ${own} may touch only itself and runs it started, not ${id}`,
  );
}

async function startedBy(ports: Ports, run: Run, ancestor: string): Promise<boolean> {
  const seen = new Set<string>();
  for (let parent = run.parentRun; parent !== null && !seen.has(parent); ) {
    if (parent === ancestor) return true;
    seen.add(parent);
    parent = (await ports.store.read(parent))?.parentRun ?? null;
  }
  return false;
}
