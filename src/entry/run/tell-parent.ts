/** A run that another started has ended: the other's log says so, and its agent is told with its next attempt. */
import { addMessage } from "../../runs/messages.ts";
import type { RunPorts } from "../../runs/ports.ts";
import type { Run } from "../../runs/run.ts";

export async function tellParent(ports: Pick<RunPorts, "store" | "now">, run: Run): Promise<void> {
  if (run.parentRun === null) return;
  const parent = await ports.store.read(run.parentRun);
  if (!parent) return;
  const { id, status, statusReason, name } = run;
  const data = { run: id, name, status, reason: statusReason };
  await ports.store.append(parent.id, [{ type: "child.finished", source: "system", data }]);
  if (!parent.progress) return;
  const reason = statusReason === "" ? "" : ` (${statusReason})`;
  await addMessage(ports, parent.id, `Run ${id}${name ? ` "${name}"` : ""}, which you started, is ${status}${reason}.`);
}
