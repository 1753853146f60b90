/** One attempt: what the agent was told, what it did to the tasks, which hooks minded, what it printed. */
import type { AttemptRecord, HookAudit } from "../../../../runs/run.ts";
import type { RunEvent } from "../../../../runs/store.ts";
import type { AttemptOutput } from "../../runs/attempt-output.ts";
import type { RunView } from "../../runs/seen-run.ts";
import { html, type Markup, visible } from "../markup.ts";
import { moment } from "../moment.ts";
import { howItEnded, lasted } from "./attempts-view.ts";
import { auditLine } from "./hook-audit-view.ts";
import { logLine } from "./log-page.ts";
import { outputText } from "./output-text.ts";
import { titleOf } from "./run-page.ts";

export interface AttemptDetails {
  readonly run: RunView;
  readonly record: AttemptRecord;
  readonly prompt: string;
  readonly transcript: string;
  readonly events: readonly RunEvent[];
  readonly output: AttemptOutput;
}

export function attemptPage({ run, record, prompt, transcript, events, output }: AttemptDetails, now: Date): Markup {
  const path = `/runs/${run.id}`;
  return html`<article class="run">
    <p class="crumb"><a href="/runs">Runs</a> <span aria-hidden="true">›</span> <a href="${path}">${titleOf(run)}</a> <span aria-hidden="true">›</span> attempt ${record.number}</p>
    <h1>Attempt ${record.number}</h1>
    <div id="state" class="state" data-live>${howItEnded(record)} <span class="quiet">session ${record.session} · began ${moment(record.startedAt, "seconds")} · ${lasted(record, now)}</span></div>
    <section><h2>What happened</h2><div id="events" data-live>${
      events.length === 0
        ? html`<p class="quiet">No task was edited and no hook was asked.</p>`
        : html`<ol class="timeline">${events.map(eventLine)}</ol>`
    }</div></section>
    <section><h2>What the agent said last</h2><div id="said-last" data-live>${
      transcript.trim() === ""
        ? html`<p class="quiet">Nothing that was kept.</p>`
        : html`<blockquote>${visible(transcript.trim())}</blockquote>`
    }</div></section>
    <section><h2>Output</h2><div id="output" data-live>${
      output.text === "" && !output.isCut ? nothingYet(record) : outputText(run, record.number, output)
    }</div></section>
    <section><h2>What the agent was told</h2><pre class="output" tabindex="0" role="region" aria-label="What the agent was told">${visible(prompt)}</pre></section>
  </article>`;
}

const nothingYet = ({ endedAt }: AttemptRecord): Markup =>
  endedAt === null
    ? html`<p class="quiet">Nothing yet. What it prints on another machine is here when the attempt has ended.</p>`
    : html`<p class="quiet">Nothing that was kept.</p>`;

const eventLine = (event: RunEvent): Markup =>
  event.type === "run.hook_recorded" ? auditLine(event.data as unknown as HookAudit) : logLine(event);
