/** One request in the inbox: the dangerous thing first, then why it is asked, then the decision. */
import type { Approval, AskedCall } from "../../../approvals/approval.ts";
import { commandOf, deedOf, whoAsks } from "./call-summary.ts";
import { commandView, effectsView } from "./call-view.ts";
import { decisionForm } from "./decision-form.ts";
import { changesOf, diffView } from "./edit-diff.ts";
import type { Viewer } from "./frame.ts";
import { html, type Markup, visible } from "./markup.ts";
import { countdown, moment } from "./moment.ts";
import { type Names, personName } from "./person-name.ts";
import { quorum, statusBadge } from "./status-badge.ts";

export function approvalCard(approval: Approval, viewer: Viewer, names: Names, now: Date): Markup {
  const { id, call, status } = approval;
  const path = `/approvals/${id}`;
  return html`<article class="card" id="card-${id}" data-live data-version="${approval.version}" data-item data-status="${status}" tabindex="-1" aria-labelledby="title-${id}">
    <header>
      <h2 id="title-${id}"><a href="${path}" data-key="o"><bdi class="asker">${whoAsks(call)}</bdi> wants to <bdi class="deed">${deedOf(call)}</bdi></a></h2>
      ${status === "pending" ? countdown(approval.expiresAt, now) : statusBadge(status)}
    </header>
    <p class="meta">${call.initiator !== null && html`for ${personName(call.initiator, names)} · `}<span class="tool">${call.tool}</span> in ${call.host} · ${moment(approval.requestedAt)}</p>
    ${effectsView(call)}
    ${shortCall(approval)}
    <p class="why"><span class="rule">${approval.rule}</span> ${approval.reason}</p>
    ${votesLine(approval, names)}
    ${decisionForm(approval, viewer, names, "/inbox")}
  </article>`;
}

const MAX_LINES = 12;
const MAX_CHARACTERS = 1_200;
const MAX_VALUE = 300;

/** A short form that never passes for the whole: what is left out is counted, and the way to it is there. */
function shortCall({ id, call }: Approval): Markup {
  const { shown, leftOut } = shortForm(call);
  if (leftOut === "") return shown;
  return html`${shown}<p class="cut">Cut here: ${leftOut} more. <a href="/approvals/${id}">Read the whole call</a>.</p>`;
}

function shortForm(call: AskedCall): { shown: Markup; leftOut: string } {
  const changes = changesOf(call);
  const [change] = changes;
  if (change) {
    const lines = change.lines.slice(0, MAX_LINES).map((line) => line.slice(0, 400));
    const isLong = change.lines.some((line) => line.length > 400);
    const rest = changes.reduce((sum, { lines: all }) => sum + all.length, 0) - lines.length;
    const leftOut = rest > 0 ? counted(rest, "line") : isLong ? "parts of long lines" : "";
    return { shown: diffView({ ...change, lines }), leftOut };
  }
  const command = call.kind === "shell" ? commandOf(call.input) : undefined;
  if (command === undefined) return shortArguments(call);
  const short = command.split("\n").slice(0, MAX_LINES).join("\n").slice(0, MAX_CHARACTERS);
  const rest = command.length - short.length;
  return { shown: commandView(short), leftOut: rest > 0 ? counted(rest, "character") : "" };
}

function shortArguments({ input }: AskedCall): { shown: Markup; leftOut: string } {
  const entries = Object.entries(input).map(([name, value]) => ({
    name,
    text: typeof value === "string" ? value : JSON.stringify(value),
  }));
  const shown = entries.slice(0, MAX_LINES).map(({ name, text }) => ({ name, text: text.slice(0, MAX_VALUE) }));
  const rest =
    entries.reduce((sum, { text }) => sum + text.length, 0) - shown.reduce((sum, { text }) => sum + text.length, 0);
  return {
    shown: html`<dl class="facts inputs">${shown.map(({ name, text }) => html`<div><dt>${name}</dt><dd>${visible(text)}</dd></div>`)}</dl>`,
    leftOut: rest > 0 ? counted(rest, "character") : "",
  };
}

const counted = (count: number, word: string) => `${count.toLocaleString("en-GB")} ${word}${count === 1 ? "" : "s"}`;

function votesLine(approval: Approval, names: Names): Markup {
  const so = quorum(approval);
  if (so === "") return html``;
  return html`<p class="votes"><strong>${so}</strong>${approval.votes.map(
    ({ by, kind }) => html` · ${personName(by, names)} ${kind === "approve" ? "approved" : "denied"}`,
  )}</p>`;
}
