import { HoldfastError } from "../../core/errors.ts";
import type { HandInPlace } from "../../engine/hand-in-sign.ts";
import { ServerRefusal } from "./audit-server.ts";
import { ChangedJournal } from "./changed-journal.ts";

/** What happened, and what a person can do about it. */
export function problemText(error: Error, { tokenEnv }: HandInPlace): string {
  if (error instanceof ChangedJournal)
    return `${error.message}. Lines that are no records are not handed in, all records that are still there are. Look at the first such place: holdfast log verify`;
  return `records could not be handed in: ${error.message}. ${nextStep(error, tokenEnv)}; until then the records wait in the journals.`;
}

function nextStep(error: Error, tokenEnv: string): string {
  if (error instanceof HoldfastError) return error.fix.replace(/\.$/, "");
  if (error instanceof ServerRefusal && error.isOfToken)
    return `The token in ${tokenEnv} does not do: ask an admin of the server for an agent's token with the right to ingest, set ${tokenEnv} to it, and start your agents again`;
  return "Calls of agents try again by themselves, holdfast hand-in does at once";
}
