/** What a gate needs of whoever keeps approvals: the store on this machine, or a server that has it. */
import type { Approval } from "./approval.ts";
import type { Outcome } from "./service.ts";
import type { Draft, Use } from "./transition.ts";

export interface Desk {
  /** Asks, unless the very same call is asked about already, or has a yes that was not used. */
  request(draft: Omit<Draft, "id">): Promise<Approval>;
  /** What people said no to in this session, the newest first. */
  denials(organisation: string, session: string): Promise<readonly Approval[]>;
  /** Until it is as wanted, or nobody waits any more. */
  until(id: string, isWanted: (approval: Approval) => boolean, signal: AbortSignal): Promise<Approval | undefined>;
  use(id: string, use: Use): Promise<Outcome>;
  withdraw(id: string, why: string, by: string | null): Promise<Outcome>;
  close(): Promise<void>;
}
