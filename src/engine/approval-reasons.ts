/** What the model is told of an approval: what was stopped, why, what to do instead. In under 400 characters. */
import type { Approval } from "../approvals/approval.ts";
import { approversInWords } from "../approvals/rights.ts";

const LONGEST = 395;
const LONGEST_WORDS = 110;

export function pendingReason(what: string, approval: Approval): string {
  const { id, channel } = approval;
  const where = channel === null ? "in the inbox" : "in their channel and the inbox";
  return told(
    what,
    `is not approved yet: approval ${id} is pending, a person has been asked ${where} (${whoOf(approval)})`,
    `end your turn or go on with other work, and repeat exactly this call once ${id} is approved. Do not try it another way.`,
  );
}

export const deniedReason = (what: string, approval: Approval) =>
  told(
    what,
    `was denied by ${refuserOf(approval)} (approval ${approval.id})${refusalIn(approval)}`,
    "do not try it again in any form; go on without it, or ask the person what they want instead.",
  );

/** The words too: a call that waited outside its process learns of its own denial in this way. */
export const deniedBeforeReason = (what: string, approval: Approval) =>
  told(
    what,
    `is what ${refuserOf(approval)} denied in this session (approval ${approval.id})${refusalIn(approval)}, so nobody is asked again`,
    "go on without it, or ask the person what they want instead.",
  );

const noOf = ({ votes }: Approval) => votes.findLast(({ kind }) => kind === "deny");

const refuserOf = (approval: Approval) => oneLine(noOf(approval)?.by ?? "a person");

function refusalIn(approval: Approval): string {
  const said = oneLine(noOf(approval)?.reason ?? "");
  return said === "" ? "" : `: "${said}"`;
}

export const expiredReason = (what: string, { id, policy }: Approval) =>
  told(
    what,
    `timed out: nobody answered approval ${id} within ${inWords(policy.expiresAfterMs)}. That is no denial`,
    "go on with other work; if you still need it later, repeat the call and people are asked anew.",
  );

export const withdrawnReason = (what: string, { id }: Approval) =>
  told(
    what,
    `is not approved: approval ${id} was withdrawn`,
    "repeat the call if it is still needed; people are asked anew.",
  );

export const usedReason = (what: string, { id }: Approval) =>
  told(
    what,
    `has already run once on approval ${id}, and a yes is good for one call`,
    "look at what the other call did; if it must run again, repeat it and people are asked anew.",
  );

export const changedReason = (what: string) =>
  told(what, "was changed by hooks while people were asked, so their yes is not for it", "repeat the call.");

export const undeliveredReason = (what: string, { id }: Approval, problem: string) =>
  told(
    what,
    `needs an approval, and nobody could be asked: ${oneLine(problem)} (approval ${id} was withdrawn)`,
    "tell the person about it; they can mend the channel, or change the rule's mode to auto.",
  );

export const leftReason = (what: string) =>
  told(
    what,
    "is approved, but the call was cancelled before it could run",
    "repeat exactly this call if it is still wanted: the yes was not used.",
  );

const SEE = "to look: `holdfast approvals list`, or the server that keeps them, shows what is wrong";

/** `step`: what mends it, where that is known. */
export const unreachableReason = (what: string, problem: string, step?: string) =>
  told(
    what,
    `needs an approval, and where approvals are kept cannot be reached: ${oneLine(problem)}`,
    `stop and tell the person ${step === undefined ? SEE : `what mends it: ${step}`}. Until then such calls are blocked.`,
  );

export const shownOtherwiseReason = (what: string, id: string) =>
  told(
    what,
    `needs an approval, and where approvals are kept shows people another call in its place (approval ${id} was withdrawn)`,
    `stop and tell the person; \`holdfast approvals show ${id}\` says what was asked instead. Until then such calls are blocked.`,
  );

function told(what: string, why: string, instead: string): string {
  const rest = ` ${why}.\nDo instead: ${instead}`;
  const room = LONGEST - rest.length;
  const shown = what.length <= room ? what : `${what.slice(0, Math.max(0, room - 2))}…\``;
  return `${shown}${rest}`.slice(0, LONGEST);
}

const whoOf = (approval: Approval) => short(approversInWords(approval), 60);

/** Words of others: one line, and no longer than leaves room for ours. */
const oneLine = (text: string) => short(text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim(), LONGEST_WORDS);

const short = (text: string, max: number) => (text.length > max ? `${text.slice(0, max - 1)}…` : text);

export function inWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (ms < 120_000) return `${Math.round(ms / 1000)} seconds`;
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
