/** The states of a run and its tasks, and what a hook said: a sign and a word with every colour. */
import type { HookAudit, RunStatus } from "../../../../runs/run.ts";
import type { TaskStatus } from "../../../../runs/task.ts";
import { html, type Markup } from "../markup.ts";

interface Words {
  readonly sign: string;
  readonly word: string;
  /** Which colour: wait, yes, no, or none. */
  readonly look: "wait" | "yes" | "no" | "quiet";
}

export const RUN_WORDS: Readonly<Record<RunStatus, Words>> = {
  initialized: { sign: "○", word: "Initialized", look: "quiet" },
  ready: { sign: "○", word: "Ready", look: "quiet" },
  running: { sign: "▸", word: "Running", look: "wait" },
  success: { sign: "✓", word: "Success", look: "yes" },
  blocked: { sign: "■", word: "Blocked", look: "no" },
  exhausted: { sign: "◔", word: "Exhausted", look: "no" },
  aborted: { sign: "✕", word: "Aborted", look: "quiet" },
  error: { sign: "!", word: "Error", look: "no" },
};

/** The columns of the board, in this order. */
export const TASK_WORDS: Readonly<Record<TaskStatus, Words>> = {
  pending: { sign: "○", word: "Pending", look: "quiet" },
  in_progress: { sign: "▸", word: "In progress", look: "wait" },
  blocked: { sign: "■", word: "Blocked", look: "no" },
  completed: { sign: "✓", word: "Completed", look: "yes" },
};

const OUTCOME_WORDS: Readonly<Record<HookAudit["outcome"], Words>> = {
  continue: { sign: "✓", word: "let it go on", look: "yes" },
  accepted: { sign: "✓", word: "accepted", look: "yes" },
  reinvoke: { sign: "↻", word: "asked for another attempt", look: "wait" },
  block: { sign: "■", word: "blocked", look: "no" },
  rejected: { sign: "✕", word: "rejected", look: "no" },
  skipped: { sign: "–", word: "had nothing to say", look: "quiet" },
  error: { sign: "!", word: "failed", look: "no" },
  timeout: { sign: "◔", word: "took too long", look: "no" },
};

const badge = ({ sign, word, look }: Words): Markup =>
  html`<span class="badge" data-look="${look}"><span aria-hidden="true">${sign}</span> ${word}</span>`;

export const runBadge = (status: RunStatus): Markup => badge(RUN_WORDS[status]);

export const outcomeBadge = (outcome: HookAudit["outcome"]): Markup => badge(OUTCOME_WORDS[outcome]);

export const attemptBadge = (word: string, look: Words["look"]): Markup => {
  const signs = { wait: "▸", yes: "✓", no: "✕", quiet: "–" } as const;
  return badge({ sign: signs[look], word, look });
};

export const progressBar = (completed: number, total: number): Markup =>
  total === 0
    ? html`<span class="quiet">no tasks</span>`
    : html`<span class="progress"><progress max="${total}" value="${completed}" aria-label="Tasks completed"></progress> <span>${completed} of ${total}</span></span>`;
