/** What another process says an approval became. A hint, and anybody who reaches the store can give one: only one that is whole counts. */
import { type Approval, STATUSES } from "../approvals/approval.ts";
import { isJsonObject, type Json } from "../core/json.ts";

export interface News {
  readonly id: string;
  /** Absent: it names the approval, and whoever wants to know more reads it. */
  readonly news?: Approval;
}

/** Undefined: it names no approval. */
export function newsIn(text: string): News | undefined {
  const said = jsonOf(text);
  if (!isJsonObject(said) || typeof said.id !== "string" || said.id === "") return undefined;
  const { id, status, version, call, policy, votes } = said;
  const isWhole =
    STATUSES.some((known) => known === status) &&
    Number.isInteger(version) &&
    isJsonObject(call) &&
    isJsonObject(policy) &&
    Array.isArray(votes);
  return isWhole ? { id, news: said as unknown as Approval } : { id };
}

/** Undefined: it does not say what this approval became. */
export function newsOf(id: string, text: string): Approval | undefined {
  const said = newsIn(text);
  return said?.id === id ? said.news : undefined;
}

/** Undefined: it is none, or whoever said it did not come to its end. */
function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
