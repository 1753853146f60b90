/** The card of an approval, with people's names and a link to the inbox. */
import type { Approval } from "../approvals/approval.ts";
import { type Card, cardOf } from "../approvals/card.ts";
import type { PeopleStore } from "../approvals/store.ts";

/** Where an approval is in the inbox; null: no inbox can be reached from outside. */
export type LinkTo = (approval: string) => string | null;

export async function cardFor(approval: Approval, people: PeopleStore, linkTo: LinkTo): Promise<Card> {
  const { organisation, call, votes } = approval;
  const ids = new Set([...votes.map(({ by }) => by), ...(call.initiator === null ? [] : [call.initiator])]);
  const names = new Map<string, string>();
  for (const id of ids) names.set(id, (await people.person(organisation, id))?.name ?? id);
  return cardOf(approval, { link: linkTo(approval.id), nameOf: (id) => names.get(id) ?? id });
}
