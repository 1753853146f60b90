/** `require-children-success`: a task is completed only when the runs started from this one have succeeded. */
import { z } from "zod";
import { completes, goesOn, type RunBuiltin, refuses } from "./builtin.ts";

const config = z
  .strictObject({
    requireAny: z.boolean().optional().describe("also refuse while there is no child run; default false"),
  })
  .nullable();

export const requireChildrenSuccess: RunBuiltin = {
  name: "require-children-success",
  doc: "lets a task be completed only when every direct child run has succeeded",
  phases: ["taskTransition"],
  config,
  timeoutSec: 60,
  async judge({ event, phase, config: given }, machine) {
    if (!completes(event)) return goesOn(phase);
    const { children, unreadable } = await machine.childrenOf(event.run.id);
    if (unreadable.length > 0) {
      return refuses(
        `nobody can say whether these runs are children that succeeded, because they cannot be read: ${unreadable.join(", ")}`,
      );
    }
    const requireAny = (given as z.infer<typeof config>)?.requireAny ?? false;
    if (children.length === 0 && requireAny) return refuses("no child run has been started yet, and one is required");
    const unfinished = children.filter(({ status }) => status !== "success");
    if (unfinished.length === 0) return goesOn(phase);
    const list = unfinished.map(({ id, status, name }) => `${id} ${status}${name ? ` (${name})` : ""}`).join(", ");
    return refuses(`these child runs have not succeeded: ${list}`);
  },
};
