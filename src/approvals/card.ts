/** What people are shown of an approval, wherever they are asked. All of it is plain text: adapters add the markup, and cut. */
import { createHash } from "node:crypto";
import type { Approval, Status, Vote } from "./approval.ts";
import { approversInWords } from "./rights.ts";

export interface Card {
  readonly approval: string;
  readonly status: Status;
  readonly title: string;
  /** Why somebody is asked. */
  readonly why: string;
  readonly facts: readonly Fact[];
  /** What the call would do, in words, one each. */
  readonly effects: readonly string[];
  /** The call's arguments, whole. */
  readonly call: FullText;
  /** Who said what so far, and how it ended. */
  readonly said: readonly string[];
  /** Whether it can still be decided: only then a card has buttons. */
  readonly isOpen: boolean;
  /** The approval in the inbox; null: there is none to link to. */
  readonly link: string | null;
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

export interface FullText {
  readonly text: string;
  /** Of the text, as it is shown in the inbox too. */
  readonly sha256: string;
}

export interface CardView {
  readonly link: string | null;
  /** What people are called. */
  nameOf(person: string): string;
}

const TITLES: Readonly<Record<Status, string>> = {
  pending: "Approval needed",
  approved: "Approved",
  denied: "Denied",
  expired: "Expired",
  withdrawn: "Withdrawn",
  used: "Approved and run",
};

export function cardOf(approval: Approval, { link, nameOf }: CardView): Card {
  const { id, status, call, rule, reason, votes, policy } = approval;
  const text = visible(JSON.stringify(call.input, null, 2));
  return {
    approval: id,
    status,
    title: oneLine(`${TITLES[status]}: ${call.tool}`),
    why: visible(reason),
    facts: [
      { label: "Request", value: id },
      { label: "Tool", value: call.kind === call.tool ? call.tool : `${call.tool} (${call.kind})` },
      { label: "Agent", value: call.agent ?? call.host },
      ...(call.initiator === null ? [] : [{ label: "Acts for", value: nameOf(call.initiator) }]),
      { label: "Directory", value: call.cwd },
      { label: "Rule", value: rule },
      { label: "Decided by", value: deciders(approval, policy.approvers.count) },
      status === "pending"
        ? { label: "Until", value: inWords(approval.expiresAt) }
        : { label: "Since", value: inWords(approval.decidedAt ?? approval.requestedAt) },
    ].map(({ label, value }) => ({ label, value: oneLine(value) })),
    effects: call.effects.map(oneLine),
    call: { text, sha256: createHash("sha256").update(text).digest("hex") },
    said: [...votes.map((vote) => voteInWords(vote, nameOf)), ...ENDS[status]],
    isOpen: status === "pending",
    link,
  };
}

/** What no vote says. */
const ENDS: Readonly<Record<Status, readonly string[]>> = {
  pending: [],
  approved: [],
  denied: [],
  expired: ["Nobody decided in time. The call did not run."],
  withdrawn: ["It is no longer asked. The call did not run."],
  used: ["The call has been let through, once."],
};

const deciders = (approval: Approval, count: number) =>
  count > 1 ? `${approversInWords(approval)}; ${count} must agree` : approversInWords(approval);

function voteInWords({ by, kind, reason, at }: Vote, nameOf: CardView["nameOf"]): string {
  const said = `${nameOf(by)} ${kind === "approve" ? "approved" : "denied"} it, ${inWords(at)}`;
  return oneLine(reason === "" ? said : `${said}: ${reason}`);
}

const inWords = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

/** The text, or its beginning with a mark that says so, and where the rest is. Never longer than `max`. */
export function shown({ text, sha256 }: FullText, max: number, link: string | null): { text: string; isCut: boolean } {
  if (text.length <= max) return { text, isCut: false };
  const mark = (kept: number) =>
    `\n[CUT: ${kept} of ${text.length} characters shown, sha256 ${sha256.slice(0, 16)}. Read all of it ${link === null ? "with holdfast approvals show" : "in the inbox"} before you decide]`;
  const kept = Math.max(0, max - mark(text.length).length);
  return { text: whole(text, kept) + mark(whole(text, kept).length), isCut: true };
}

/** For texts nobody decides by: an ellipsis shows that there was more. */
export const shortened = (text: string, max: number) => (text.length <= max ? text : `${whole(text, max - 1)}…`);

/** No half of a surrogate pair is left at the end. */
function whole(text: string, length: number): string {
  const cut = text.slice(0, length);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** What would hide or reorder other text is written out: control, bidirectional and zero-width characters. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === "\n" ? character : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}

const oneLine = (text: string) => visible(text.replace(/\s*\n\s*/g, " "));
