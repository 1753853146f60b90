/** The tasks of a run, a column for each state. */
import type { Task, TaskStatus } from "../../../../runs/task.ts";
import { html, type Markup, visible } from "../markup.ts";
import { TASK_WORDS } from "./run-words.ts";

export function taskBoard(tasks: readonly Task[]): Markup {
  if (tasks.length === 0)
    return html`<p class="quiet">The run has no tasks: it is done when its backend ends well.</p>`;
  const states = Object.keys(TASK_WORDS) as TaskStatus[];
  return html`<div class="board">${states.map((status) =>
    column(
      status,
      tasks.filter((task) => task.status === status),
    ),
  )}</div>`;
}

function column(status: TaskStatus, tasks: readonly Task[]): Markup {
  const { sign, word, look } = TASK_WORDS[status];
  return html`<section class="column" data-look="${look}" aria-labelledby="column-${status}">
    <h3 id="column-${status}"><span aria-hidden="true">${sign}</span> ${word} <span class="quiet">${tasks.length}</span></h3>
    ${tasks.length > 0 && html`<ul class="plain-list">${tasks.map(card)}</ul>`}
  </section>`;
}

const card = ({ id, title, body, notes }: Task) =>
  html`<li class="task"><p><strong>${visible(title)}</strong></p><p class="id quiet">${id}</p>
    ${body.trim() !== "" && html`<details class="more" id="task-body-${id}"><summary>What is to be done</summary><div class="prose">${visible(body.trim())}</div></details>`}
    ${notes.trim() !== "" && html`<div class="notes"><p class="sr">Notes</p><div class="prose">${visible(notes.trim())}</div></div>`}
  </li>`;
