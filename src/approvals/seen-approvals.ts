/**
 * Open approvals as this process last saw them, so that a change need not read first. What is remembered decides nothing:
 * a change made from it is stored only over that very version, and whatever it would refuse is read again.
 */
import type { Approval } from "./approval.ts";

const MOST = 1_000;
/** Longer ones are read each time: agents choose how long their calls are. */
const LONGEST = 16_000;

export class SeenApprovals {
  readonly #byId = new Map<string, Approval>();

  get(id: string): Approval | undefined {
    return this.#byId.get(id);
  }

  see(approval: Approval): void {
    const { id, status, version } = approval;
    const known = this.#byId.get(id);
    if (known && known.version > version) return;
    this.#byId.delete(id);
    if ((status !== "pending" && status !== "approved") || charactersIn(approval, LONGEST) > LONGEST) return;
    this.#byId.set(id, approval);
    if (this.#byId.size > MOST) this.#byId.delete(this.#byId.keys().next().value as string);
  }

  forget(id: string): void {
    this.#byId.delete(id);
  }
}

/** Counts names and texts only, and no further than it has to: whoever waits for the approval waits for this. */
function charactersIn(value: unknown, enough: number): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  let characters = 0;
  for (const [name, inner] of Object.entries(value)) {
    characters += name.length + charactersIn(inner, enough - characters);
    if (characters > enough) break;
  }
  return characters;
}
