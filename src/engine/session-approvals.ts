/** A session that is over waits for nobody: what it still asks is withdrawn, so that no click decides about nothing. */
import { PERSONAL } from "../approvals/approval.ts";
import type { Desk } from "../approvals/desk.ts";
import type { AgentEvent } from "../core/event.ts";

/** Returns what went wrong, in a person's words; undefined: nothing. */
export async function withdrawPending(
  { organisation = PERSONAL, session }: AgentEvent,
  desk: () => Promise<Desk>,
): Promise<string | undefined> {
  try {
    const opened = await desk();
    for (const { id } of await opened.pending(organisation, session))
      await opened.withdraw(id, "the session has ended", null);
    return undefined;
  } catch (error) {
    return `approvals of the session that ended could not be withdrawn: ${error instanceof Error ? error.message : error}`;
  }
}
