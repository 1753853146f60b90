import { HoldfastError } from "../../core/errors.ts";
import type { Backend } from "../backend.ts";

/** Nothing is started: people, or another tool, work and edit the tasks. */
export const passiveBackend: Backend = {
  id: "passive",
  isPassive: true,
  canResume: false,
  probe: async () => ({ ok: true, version: "" }),
  invoke() {
    throw new HoldfastError("HF1044", "a passive run has no attempts", {
      hint: "edit its tasks with holdfast task set <task> --status completed",
    });
  },
};
