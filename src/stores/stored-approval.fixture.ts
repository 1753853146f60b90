/** Approvals in a store that is tested: put there, and changed as people change them. */
import { expect } from "vitest";
import { approvalOf, type DraftChanges, personOf } from "../approvals/approval.fixture.ts";
import type { Approval, HistoryEntry } from "../approvals/approval.ts";
import type { Stores } from "../approvals/store.ts";
import { vote } from "../approvals/transition.ts";

export const yes = (approval: Approval, by = "ada") =>
  changedBy(
    vote(
      approval,
      { person: personOf(by, { organisation: approval.organisation }), kind: "approve", reason: "fine", via: "web" },
      new Date(),
    ),
  );

export function changedBy(made: ReturnType<typeof vote>) {
  if (made.kind === "refused") throw new Error(made.why);
  return made;
}

export async function stored(stores: Stores, changes: DraftChanges = {}, now = new Date()): Promise<Approval> {
  const { approval, history } = approvalOf(changes, now);
  expect(await stores.insert(approval, history)).toEqual({ stored: true, approval });
  return approval;
}

export async function moved(
  stores: Stores,
  made: { approval: Approval; history: readonly HistoryEntry[] },
): Promise<Approval> {
  expect(await stores.change(made.approval, made.history)).toBe(true);
  return made.approval;
}
