/** Changing runs and knowledge is for those who decide about calls. Everybody of the organisation may read. */
import { ADMIN, APPROVER, type Person } from "../../approvals/approval.ts";
import { forbidden } from "./problem.ts";

export const isDecider = ({ roles }: Person): boolean => roles.includes(APPROVER) || roles.includes(ADMIN);

/** `what`: as in "runs are changed". */
export function assertDecider(person: Person, what: string): void {
  if (!isDecider(person)) throw forbidden(`${what} by people with the role ${APPROVER} or ${ADMIN}`);
}
