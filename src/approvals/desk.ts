/** What a gate needs of whoever keeps approvals: the store on this machine, or a server that has it. */
import type { ApprovalMode } from "../core/approval-rule.ts";
import type { Approval } from "./approval.ts";
import type { Outcome } from "./service.ts";
import type { OrganisationSettings } from "./store.ts";
import type { Draft, Use } from "./transition.ts";

/** `channel`: as the rule names it; null: whichever there is. The desk finds out which one that is, and who `@initiator` is. */
export interface DeskRequest extends Omit<Draft, "id"> {
  readonly mode: ApprovalMode;
}

export interface Desk {
  /**
   * Asks, unless the very same call is asked about already, has a yes that was not used, or is the one that used it.
   * Throws DeskRefusal where nobody can be asked the way the rule wants it.
   */
  request(request: DeskRequest): Promise<Approval>;
  /** What people said no to in this session and those of its sub-agents, the newest first. */
  denials(organisation: string, session: string): Promise<readonly Approval[]>;
  /** What is still asked in this session. */
  pending(organisation: string, session: string): Promise<readonly Approval[]>;
  /** Until it is as wanted, or nobody waits any more. */
  until(id: string, isWanted: (approval: Approval) => boolean, signal: AbortSignal): Promise<Approval | undefined>;
  use(id: string, use: Use): Promise<Outcome>;
  withdraw(id: string, why: string, by: string | null): Promise<Outcome>;
  /** What the admins of an organisation have set for all of its agents. */
  settings(organisation: string): Promise<OrganisationSettings>;
  close(): Promise<void>;
}

/** Nobody is asked, and the message says why. */
export class DeskRefusal extends Error {}

/** A server's address as people may read it: without what lets one in. */
export const shownServer = (server: string): string => server.replace(/\/\/[^/@]*@/, "//").replace(/[?#].*$/, "");
