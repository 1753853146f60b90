/** The words that buttons and programs say yes and no with. */
import type { VoteKind } from "../approvals/approval.ts";
import type { Json } from "../core/json.ts";

const WORDS: Readonly<Record<string, VoteKind>> = {
  approve: "approve",
  approved: "approve",
  yes: "approve",
  deny: "deny",
  denied: "deny",
  reject: "deny",
  rejected: "deny",
  no: "deny",
};

export function decisionOf(word: Json | undefined): VoteKind | undefined {
  if (typeof word !== "string") return undefined;
  const key = word.trim().toLowerCase();
  return Object.hasOwn(WORDS, key) ? WORDS[key] : undefined;
}

/** What an approval is called by, and nothing else. */
export const approvalIdOf = (value: Json | undefined) =>
  typeof value === "string" && /^A-[0-9a-z]{10}$/.test(value) ? value : undefined;
