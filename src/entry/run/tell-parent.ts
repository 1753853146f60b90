/** A run that another started has ended: the other's log says so, and its agent is told with its next attempt. */
import { addMessage } from "../../runs/messages.ts";
import type { RunPorts } from "../../runs/ports.ts";
import type { Run } from "../../runs/run.ts";

type Ports = Pick<RunPorts, "store" | "now">;

/** How the run ended does not depend on it. Why the parent was not told; undefined: it was, or there is none. */
export async function tellParent(ports: Ports, run: Run): Promise<string | undefined> {
  if (run.parentRun === null) return undefined;
  try {
    await tell(ports, run, run.parentRun);
    return undefined;
  } catch (error) {
    return `run ${run.parentRun}, which started it, was not told: ${(error as Error).message}`;
  }
}

async function tell(ports: Ports, run: Run, parentRun: string): Promise<void> {
  const parent = await ports.store.read(parentRun);
  if (!parent) return;
  const { id, status, statusReason, name } = run;
  const data = { run: id, name, status, reason: statusReason };
  await ports.store.append(parent.id, [{ type: "child.finished", source: "system", data }]);
  if (!parent.progress) return;
  const reason = statusReason === "" ? "" : ` (${statusReason})`;
  await addMessage(ports, parent.id, `Run ${id}${name ? ` "${name}"` : ""}, which you started, is ${status}${reason}.`);
}
