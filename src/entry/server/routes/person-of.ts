/** Where only people come, the principal is one. */
import type { Person } from "../../../approvals/approval.ts";
import type { Principal } from "../principal.ts";
import { forbidden } from "../problem.ts";

export function personOf(principal: Principal): Person {
  if (principal.kind === "agent") throw forbidden("an agent's token cannot do what is a person's");
  return principal.person;
}
