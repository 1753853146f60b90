/** On whose word something of an organisation is changed. */
import { HoldfastError } from "../core/errors.ts";
import type { Person } from "./approval.ts";

export interface Actor {
  readonly organisation: string;
  readonly id: string;
  /** One of them gives the right to it; none: every member has it. */
  readonly roles: readonly string[];
}

/** They were removed, or lost the role, before it was stored. Nothing was. Said as to whoever never had the right. */
export class RightLost extends HoldfastError {
  constructor({ roles }: Actor) {
    super("HF912", `you may not do this; it is for ${roles.length > 0 ? roles.join(", ") : "member"}`);
  }
}

/** `person`: as they are stored now. */
export function assertRight(actor: Actor, person: Person | undefined): void {
  const { roles } = actor;
  if (!person || (roles.length > 0 && !roles.some((role) => person.roles.includes(role)))) throw new RightLost(actor);
}
