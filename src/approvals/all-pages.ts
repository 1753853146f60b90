/** Every approval of a list, however many pages it has: a denial binds wherever in the list it stands. */
import type { Approval } from "./approval.ts";

export interface ApprovalPage {
  readonly approvals: readonly Approval[];
  readonly next?: string | null;
}

export async function allPages(page: (cursor: string | null) => Promise<ApprovalPage>): Promise<readonly Approval[]> {
  const all: Approval[] = [];
  const read = new Set<string | null>();
  for (let cursor: string | null = null; ; ) {
    const { approvals, next = null }: ApprovalPage = await page(cursor);
    all.push(...approvals);
    if (next === null) return all;
    read.add(cursor);
    if (read.has(next)) throw new Error("the list of approvals has no end: it goes on with a page that came before");
    cursor = next;
  }
}
