/** One run: its board, what it did, what its hooks said, and what a person can do. */
import type { RunSummary } from "../../../../runs/store.ts";
import type { AttemptOutput } from "../../runs/attempt-output.ts";
import type { RunView } from "../../runs/seen-run.ts";
import { buttonForm, hidden, sure } from "../form-parts.ts";
import type { Viewer } from "../frame.ts";
import { html, type Markup, visible } from "../markup.ts";
import { moment } from "../moment.ts";
import { attemptsView, type ShownAttempt } from "./attempts-view.ts";
import { hookAuditView } from "./hook-audit-view.ts";
import { outputText } from "./output-text.ts";
import { progressBar, runBadge } from "./run-words.ts";
import { row } from "./runs-page.ts";
import { taskBoard } from "./task-board.ts";

export interface RunDetails {
  readonly run: RunView;
  /** Who drives it, in words; null: nobody who is alive. */
  readonly driver: string | null;
  readonly waitsFor: readonly string[];
  readonly parent: Pick<RunView, "id" | "name" | "assignment"> | undefined;
  readonly children: readonly RunSummary[];
  readonly attempts: readonly ShownAttempt[];
  /** Of the attempt that is under way, or of the last one. */
  readonly output: AttemptOutput | null;
  readonly mayChange: boolean;
  readonly said: Markup | null;
}

export function runPage(details: RunDetails, viewer: Viewer, now: Date): Markup {
  const { run, attempts, output, said } = details;
  return html`<article class="run">
    <p class="crumb"><a href="/runs">Runs</a> <span aria-hidden="true">›</span> <span class="id">${run.id}</span></p>
    <h1><bdi>${titleOf(run)}</bdi></h1>
    <div id="state" class="state" data-live>${stateView(details)}</div>
    <div id="said">${said}</div>
    ${run.statusReason !== "" && html`<p class="reason" id="reason" data-live>${visible(run.statusReason)}</p>`}
    <section class="wide"><h2>Tasks</h2><div id="board" data-live>${taskBoard(run.tasks)}</div></section>
    <div class="columns">
      <div class="call">
        <section><h2>Attempts</h2><div id="attempts" data-live>${attemptsView(run, attempts, now)}</div></section>
        <section id="output" data-live>${output && (output.text !== "" || output.isCut) && outputView(run, output)}</section>
        <section><h2>What hooks said</h2><div id="hooks" data-live>${hooksView(run)}</div></section>
      </div>
      <aside aria-label="About this run">
        <section id="actions" class="decision" data-live><h2>What you can do</h2>${actionsView(details, viewer)}</section>
        <section><h2>Note</h2>${noteView(details, viewer)}</section>
        <section><h2>About</h2><div id="facts" data-live>${factsView(details)}</div></section>
        <section><h2>Attachments</h2><div id="attachments" data-live>${attachmentsView(run)}</div></section>
      </aside>
    </div>
    <div id="children" data-live>${childrenView(details)}</div>
  </article>`;
}

export const titleOf = ({ name, assignment, id }: Pick<RunView, "name" | "assignment" | "id">): string =>
  name ?? assignment ?? `Run ${id}`;

function stateView({ run, driver, waitsFor }: RunDetails): Markup {
  const completed = run.tasks.filter(({ status }) => status === "completed").length;
  return html`${runBadge(run.status)} ${run.isPinned && html`<span class="pin">★ pinned</span>`} ${run.isArchived && html`<span class="badge">archived</span>`} ${progressBar(completed, run.tasks.length)}
    <span class="quiet">changed ${moment(run.updatedAt)}</span>
    ${driver !== null && html`<span class="quiet">driven by ${driver}</span>`}
    ${run.status === "running" && driver === null && html`<span class="problem">nobody drives it any more</span>`}
    ${waitsFor.length > 0 && html`<span class="quiet">waits: ${waitsFor.join(", ")}</span>`}`;
}

function actionsView({ run, driver, mayChange }: RunDetails, viewer: Viewer): Markup {
  const path = `/runs/${run.id}`;
  return html`${
    !mayChange && html`<p class="undecidable">You can look. Runs are changed by approvers and admins.</p>`
  }${
    mayChange &&
    driver !== null &&
    run.status === "running" &&
    sure(
      "stop",
      "Stop it…",
      "The agent ends with everything it started. What was done stays, and it can be resumed.",
      buttonForm(viewer, `${path}/stop`, "Stop the run", {}, "refuse"),
    )
  }${mayChange && buttonForm(viewer, `${path}/pin`, run.isPinned ? "Unpin it" : "Pin it", { isPinned: String(!run.isPinned) })}
  ${commandsFor(run, driver).map(([words, command]) => html`<p class="quiet">${words}</p><pre class="command"><code>${command}</code></pre>`)}`;
}

/** Driving a run is for the machine its agent works on. */
function commandsFor(run: RunView, driver: string | null): readonly (readonly [string, string])[] {
  const { id, status } = run;
  if (run.isArchived) return [["It is archived. On its machine:", `holdfast runs unarchive ${id}`]];
  if (driver !== null) return [["Follow it on its machine:", `holdfast audit ${id}`]];
  if (run.backend === "passive")
    return [["Its tasks are edited by hand, on its machine:", `holdfast task --run ${id}`]];
  switch (status) {
    case "initialized":
    case "ready":
      return [["Start it on its machine:", `holdfast resume ${id}`]];
    case "blocked":
      return [
        ["Settle what blocks it, then go on, on its machine:", `holdfast resume ${id} --message "what to do about it"`],
      ];
    case "success":
      return [["Look at what was decided in it, on its machine:", `holdfast audit ${id} --hooks`]];
    default:
      return [["Go on with what is left, on its machine:", `holdfast resume ${id}`]];
  }
}

function noteView({ run, mayChange }: RunDetails, viewer: Viewer): Markup {
  if (!mayChange) return html`<div id="note" data-live>${shownNote(run)}</div>`;
  return html`<div id="note" data-live>${run.note !== null && shownNote(run)}</div>
    <details class="more" id="note-edit"><summary>${run.note === null ? "Write a note" : "Change the note"}</summary>
    <form class="stack" method="post" action="/runs/${run.id}/note">${hidden("csrf", viewer.csrf)}
      <label for="note-text">People see it; no agent does.</label>
      <textarea id="note-text" name="note" rows="4" maxlength="10000">${run.note ?? ""}</textarea>
      <button>Keep the note</button></form></details>`;
}

const shownNote = ({ note }: RunView) =>
  note === null
    ? html`<p class="quiet">There is none.</p>`
    : html`<blockquote class="note">${visible(note)}</blockquote>`;

function factsView({ run, parent }: RunDetails): Markup {
  const facts: readonly (readonly [string, Markup | string | null])[] = [
    ["Repository", run.repo],
    ["Assignment", run.assignment],
    ["Agent", run.agent],
    ["Backend", html`${run.backend}${run.model !== null && ` (${run.model})`}`],
    ["Directory", html`<code>${visible(run.cwd)}</code>`],
    [
      "Group",
      run.group === null
        ? null
        : html`<a href="/runs?${new URLSearchParams({ group: run.group }).toString()}">${run.group}</a>`,
    ],
    ["Child of", parent ? html`<a href="/runs/${parent.id}">${titleOf(parent)}</a>` : run.parentRun],
    [
      "Waits for",
      run.dependencies.length === 0
        ? null
        : html`${run.dependencies.map((one) => html`<span class="id">${one}</span> `)}`,
    ],
    [
      "Session",
      run.backendSession === null
        ? null
        : html`<a href="/sessions/${encodeURIComponent(run.backendSession)}">${run.backendSession}</a>`,
    ],
    ["Hooks", String(run.hooks.length)],
    ["Made", moment(run.createdAt)],
    ["Ended", run.endedAt === null ? null : moment(run.endedAt)],
  ];
  return html`<dl class="facts">${facts.map(([name, value]) => value !== null && html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function hooksView(run: RunView): Markup {
  const log = html`<p class="paging"><a href="/runs/${run.id}/log">The whole log of this run</a></p>`;
  if (run.hookAudits.length === 0) return html`<p class="quiet">No hook of this run was asked yet.</p>${log}`;
  return html`${hookAuditView(run.hookAudits)}${log}`;
}

const outputView = (run: RunView, output: AttemptOutput) =>
  html`<h2>Output of attempt ${run.attempts.length}</h2>${outputText(run, run.attempts.length, output)}`;

function attachmentsView({ id, attachments }: RunView): Markup {
  if (attachments.length === 0) return html`<p class="quiet">There are none.</p>`;
  return html`<ul class="plain-list">${attachments.map(
    (one) =>
      html`<li><a href="/runs/${id}/attachments/${encodeURIComponent(one.id)}" download>${one.name}</a> <span class="quiet">${bytesInWords(one.bytes)} · <code title="sha256 of its content: ${one.sha256}">${one.sha256.slice(0, 12)}</code></span></li>`,
  )}</ul>`;
}

function bytesInWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

const childrenView = ({ children }: RunDetails): Markup | false =>
  children.length > 0 &&
  html`<section class="past"><h2>Runs it started</h2><ol class="rows runs">${children.map(row)}</ol></section>`;
