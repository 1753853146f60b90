/** Approvals for a person's eyes. What comes from agents and people is escaped by the output. */
import type { Approval, HistoryEntry } from "../../approvals/approval.ts";
import { approversInWords } from "../../approvals/rights.ts";
import { inWords } from "../../engine/approval-reasons.ts";
import type { Colour, Output } from "./output.ts";

const COLOURS: Readonly<Record<Approval["status"], Colour>> = {
  pending: "yellow",
  approved: "green",
  denied: "red",
  expired: "dim",
  withdrawn: "dim",
  used: "green",
};

const MAX_SHOWN = 70;

export function approvalRows(approvals: readonly Approval[], output: Output, now: Date): string[][] {
  const rows = approvals.map((approval) => [
    approval.id,
    output.paint(COLOURS[approval.status], approval.status),
    leftOf(approval, now),
    oneLine(callOf(approval)),
    approval.call.agent ?? approval.call.host,
    approval.rule,
  ]);
  return [["id", "status", "left", "call", "agent", "rule"], ...rows];
}

export function approvalLines(
  approval: Approval,
  history: readonly HistoryEntry[],
  output: Output,
  now: Date,
): string[] {
  const { id, status, call, rule, reason, votes, policy, channel, delivery } = approval;
  const said = votes.map(
    ({ by, kind, reason: why, at, via }) =>
      `${kind === "approve" ? "yes" : "no"} of ${by}, ${at}, ${via}${why === "" ? "" : `: ${why}`}`,
  );
  const fields: readonly (readonly [string, string | readonly string[]])[] = [
    ["approval", `${id}  ${output.paint(COLOURS[status], status)}  ${leftOf(approval, now)}`],
    ["tool", `${call.tool} (${call.kind})`],
    // Never cut: people decide about all of it.
    ["call", JSON.stringify(call.input, null, 2).split("\n")],
    ["does", call.effects],
    ["in", call.cwd],
    ["asked by", `${call.agent ?? "the agent"} of ${call.host}, session ${call.session}`],
    ["acts for", call.initiator ?? "nobody known"],
    ["because", `${reason}  ${rule}`],
    ["decided by", `${approversInWords(approval)}; ${policy.approvers.count} yes needed`],
    ["channel", channel === null ? [] : `${channel}: ${delivery.state}${delivery.detail && ` (${delivery.detail})`}`],
    ["said", said],
    ["history", history.map(({ at, action, by }) => `${at}  ${action}${by === null ? "" : `  ${by}`}`)],
  ];
  return fields.flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : value).map((line, at) => `${(at === 0 ? name : "").padEnd(12)}${line}`),
  );
}

function callOf({ call: { kind, tool, input } }: Approval): string {
  const { command } = input;
  return kind === "shell" && typeof command === "string" ? command : `${tool} ${JSON.stringify(input)}`;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}

function leftOf({ status, expiresAt, decidedAt }: Approval, now: Date): string {
  if (status !== "pending") return decidedAt === null ? "" : `since ${decidedAt}`;
  return `${inWords(Math.max(0, Date.parse(expiresAt) - now.getTime()))} left`;
}
