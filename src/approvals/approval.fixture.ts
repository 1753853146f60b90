import { PERSONAL, type Person, type Policy } from "./approval.ts";
import { newApprovalId } from "./service.ts";
import { type Draft, requested } from "./transition.ts";

export const POLICY: Policy = {
  approvers: { people: [], roles: [], count: 1, notInitiator: false },
  expiresAfterMs: 60_000,
  remindEveryMs: null,
  escalation: null,
};

export interface DraftChanges extends Partial<Omit<Draft, "call" | "policy">> {
  readonly call?: Partial<Draft["call"]>;
  readonly policy?: Partial<Omit<Policy, "approvers">> & { readonly approvers?: Partial<Policy["approvers"]> };
}

let drafted = 0;

/** A question about a shell command; each is about another call unless it says so. */
export function draftOf({ call, policy, ...changes }: DraftChanges = {}): Draft {
  drafted++;
  return {
    id: newApprovalId(),
    organisation: PERSONAL,
    digest: `digest-${process.pid}-${drafted}`,
    rule: "approvals/production",
    reason: "It touches production.",
    channel: null,
    ...changes,
    call: {
      eventId: `event-${drafted}`,
      host: "claude-code",
      session: "session-1",
      turn: "turn-1",
      agent: null,
      initiator: "ina",
      cwd: "/project",
      tool: "Bash",
      kind: "shell",
      input: { command: "deploy --production" },
      effects: ["runs deploy"],
      ...call,
    },
    policy: { ...POLICY, ...policy, approvers: { ...POLICY.approvers, ...policy?.approvers } },
  };
}

export function approvalOf(changes: DraftChanges = {}, now = new Date()) {
  return requested(draftOf(changes), now);
}

export function personOf(id: string, changes: Partial<Person> = {}): Person {
  return { id, organisation: PERSONAL, name: id, roles: ["approver"], ...changes };
}
