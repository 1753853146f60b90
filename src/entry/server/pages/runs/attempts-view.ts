/** The attempts of a run: how each ended, what the agent said last, and which hooks minded. */
import type { AttemptRecord, HookAudit } from "../../../../runs/run.ts";
import type { RunView } from "../../runs/seen-run.ts";
import { shortened } from "../call-summary.ts";
import { html, type Markup, visible } from "../markup.ts";
import { duration, moment } from "../moment.ts";
import { attemptBadge, outcomeBadge } from "./run-words.ts";

export interface ShownAttempt {
  readonly record: AttemptRecord;
  /** What the agent said last; empty: nothing, or not yet. */
  readonly transcript: string;
}

const MINDED: readonly HookAudit["outcome"][] = ["block", "rejected", "reinvoke", "error", "timeout"];
const MAX_SAID = 600;

export function attemptsView(run: RunView, shown: readonly ShownAttempt[], now: Date): Markup {
  if (shown.length === 0) return html`<p class="quiet">There was no attempt yet.</p>`;
  const leftOut = run.attempts.length - shown.length;
  return html`<ol class="timeline attempts">${shown.toReversed().map((attempt) => attemptLine(run, attempt, now))}</ol>
    ${leftOut > 0 && html`<p class="quiet">And ${leftOut} before; their pages are <code>/runs/${run.id}/attempts/1</code> to <code>${leftOut}</code>.</p>`}`;
}

function attemptLine(run: RunView, { record, transcript }: ShownAttempt, now: Date): Markup {
  const minded = run.hookAudits.filter(({ attempt, outcome }) => attempt === record.number && MINDED.includes(outcome));
  return html`<li>${moment(record.startedAt, "seconds")}<div>
    <p class="judged">${howItEnded(record)} <a href="/runs/${run.id}/attempts/${record.number}" data-key="o">Attempt ${record.number}</a> <span class="quiet took">session ${record.session} · ${lasted(record, now)}</span></p>
    ${transcript !== "" && html`<blockquote>${visible(shortened(transcript.trim(), MAX_SAID))}</blockquote>`}
    ${minded.map(({ hook, outcome, summary }) => html`<p class="reason">${outcomeBadge(outcome)} <span class="rule">${hook}</span> ${visible(shortened(summary, MAX_SAID))}</p>`)}
  </div></li>`;
}

export function howItEnded({ endedAt, exitCode, signal, isTimedOut, isAborted }: AttemptRecord): Markup {
  if (endedAt === null) return attemptBadge("under way", "wait");
  if (isAborted) return attemptBadge("stopped", "quiet");
  if (isTimedOut) return attemptBadge("out of time", "no");
  if (signal !== null) return attemptBadge(`ended by ${signal}`, "no");
  if (exitCode === null) return attemptBadge("failed", "no");
  return exitCode === 0 ? attemptBadge("ended", "yes") : attemptBadge(`exit code ${exitCode}`, "no");
}

export const lasted = ({ startedAt, endedAt }: AttemptRecord, now: Date): string =>
  duration((endedAt === null ? now.getTime() : Date.parse(endedAt)) - Date.parse(startedAt));
