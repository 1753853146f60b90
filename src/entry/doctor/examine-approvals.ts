/** Where approvals are kept, if the config names a place: can it be opened, does the server know this token. */
import { PERSONAL } from "../../approvals/approval.ts";
import { openDesks } from "../../engine/desks.ts";
import type { ReadyEngine } from "../../engine/ready.ts";
import type { CommandCall } from "../cli/command.ts";
import { type Finding, failure, good } from "./finding.ts";

export async function examineApprovals(
  { plan, places }: Pick<ReadyEngine, "plan" | "places">,
  { env }: CommandCall,
): Promise<Finding[]> {
  const { approvals: settings } = plan.settings;
  if (settings === undefined) return [];
  const where = settings.server ?? "the store that approvals_store names";
  const desks = openDesks();
  try {
    const desk = await desks.at({ settings, places, env });
    await desk.settings(PERSONAL);
    return [good("approvals", `${where} answers`)];
  } catch (error) {
    const text = `cannot be asked for: ${sentenceOf(error)}; calls that need a yes are blocked`;
    return [failure("approvals", text, "mend approvals_store in your user config, or what it names")];
  } finally {
    await desks.close();
  }
}

/** What fetch says is in the cause. */
function sentenceOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
