/** Changing runs and knowledge is for those who decide about calls. Everybody of the organisation may read. */
import { RightLost } from "../../approvals/actor.ts";
import { ADMIN, APPROVER, type Person } from "../../approvals/approval.ts";
import type { ServerContext } from "./context.ts";
import { forbidden } from "./problem.ts";

export const isDecider = ({ roles }: Person): boolean => roles.includes(APPROVER) || roles.includes(ADMIN);

const notADecider = (what: string) => forbidden(`${what} by people with the role ${APPROVER} or ${ADMIN}`);

/**
 * What a decider writes where no people are kept: they keep the right until it is written. `what`: as in "runs are changed".
 */
export async function onDecidersWord<T>(
  { stores }: Pick<ServerContext, "stores">,
  person: Person,
  what: string,
  write: () => Promise<T>,
): Promise<T> {
  const { organisation, id } = person;
  try {
    return await stores.by({ organisation, id, roles: [APPROVER, ADMIN] }).holding(write);
  } catch (error) {
    throw error instanceof RightLost ? notADecider(what) : error;
  }
}

export function assertDecider(person: Person, what: string): void {
  if (!isDecider(person)) throw notADecider(what);
}
