/** Changing runs and knowledge is for those who decide about calls. Everybody of the organisation may read. */
import { ADMIN, APPROVER, type Person } from "../../approvals/approval.ts";
import type { ServerContext } from "./context.ts";
import { forbidden } from "./problem.ts";

export const isDecider = ({ roles }: Person): boolean => roles.includes(APPROVER) || roles.includes(ADMIN);

/** `what`: as in "runs are changed". */
export function assertDecider(person: Person, what: string): void {
  if (!isDecider(person)) throw forbidden(`${what} by people with the role ${APPROVER} or ${ADMIN}`);
}

/**
 * Right before the write: runs and knowledge are not kept where people are, so that it cannot be seen within it. Whoever loses
 * the role in the moment of the write itself has still written.
 */
export async function assertStillDecider(
  { stores }: Pick<ServerContext, "stores">,
  person: Person,
  what: string,
): Promise<void> {
  const now = await stores.person(person.organisation, person.id);
  assertDecider(now ?? { ...person, roles: [] }, what);
}
