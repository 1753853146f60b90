/** What of the base needs a person, the most urgent first. */
import { JobStore } from "../background/job-store.ts";
import { messageOf } from "../background/private-file.ts";
import { type Decisions, readDecisions } from "../curation/decisions.ts";
import { jobsDirOf } from "../drain/drain-state.ts";
import type { KnowledgePlaces } from "../places.ts";
import type { KnowledgeSettings } from "../settings.ts";
import { isIndexStaleSoon } from "./index-state.ts";
import { readLintState } from "./lint-state.ts";
import { sessionTallies } from "./session-tally.ts";

export interface Signal {
  readonly kind:
    | "decisions-damaged"
    | "curation-overdue"
    | "stale-index"
    | "lint"
    | "aged"
    | "proposals-failed"
    | "curation";
  /** In a sentence without its full stop. */
  readonly issue: string;
  /** The command that mends it. */
  readonly action: string;
}

const ORDER: readonly Signal["kind"][] = [
  "decisions-damaged",
  "curation-overdue",
  "stale-index",
  "lint",
  "aged",
  "proposals-failed",
  "curation",
];

export interface WaitingSessions {
  /** Not yet read for proposals, or with proposals nobody decided on. */
  readonly sessions: number;
  readonly proposals: number;
  readonly failed: number;
  readonly oldest: Date | null;
  /** Why what was decided cannot be read: all proposals count as undecided. */
  readonly damage?: string;
}

export async function needsAttention(
  places: KnowledgePlaces,
  settings: KnowledgeSettings,
  now: Date,
): Promise<readonly Signal[]> {
  const waiting = await waitingSessions(places);
  const found = [
    ...damagedDecisions(waiting),
    ...curation(waiting, settings, now),
    ...staleIndex(places),
    ...lint(places),
    ...failedProposals(waiting, places),
  ];
  return found.sort((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind));
}

export async function waitingSessions(places: KnowledgePlaces): Promise<WaitingSessions> {
  let sessions = 0;
  let proposals = 0;
  let failed = 0;
  let oldest: Date | null = null;
  const tallies = await sessionTallies(places);
  // Only where there is something to decide: it is asked at every session start.
  const { decisions, damage } = tallies.some(({ open }) => open.length > 0) ? readableDecisions(places) : NONE;
  for (const { status, open, at } of tallies) {
    const undecided = open.filter((origin) => (decisions.get(origin)?.decision ?? "later") === "later").length;
    if (status === "failed") failed += 1;
    if (status !== "pending" && undecided === 0) continue;
    sessions += 1;
    proposals += undecided;
    const captured = new Date(at);
    if (!Number.isNaN(captured.getTime()) && (oldest === null || captured < oldest)) oldest = captured;
  }
  return { sessions, proposals, failed, oldest, ...(damage === undefined ? {} : { damage }) };
}

interface Readable {
  readonly decisions: Decisions;
  readonly damage?: string;
}

const NONE: Readable = { decisions: new Map() };

/** One damaged file keeps nobody from being told the rest. */
function readableDecisions(places: KnowledgePlaces): Readable {
  try {
    return { decisions: readDecisions(places) };
  } catch (error) {
    return { ...NONE, damage: messageOf(error) };
  }
}

const damagedDecisions = ({ damage }: WaitingSessions): Signal[] =>
  damage === undefined ? [] : [{ kind: "decisions-damaged", issue: damage, action: "holdfast knowledge curate" }];

const DAY_MS = 24 * 60 * 60_000;

function curation({ sessions, proposals, oldest }: WaitingSessions, settings: KnowledgeSettings, now: Date): Signal[] {
  const { curationThreshold: threshold, overdueDays } = settings;
  if (sessions < threshold) return [];
  const days = oldest === null ? 0 : Math.floor((now.getTime() - oldest.getTime()) / DAY_MS);
  const isOverdue = sessions >= 2 * threshold || days >= overdueDays;
  const issue = `${sessions} sessions wait for curation${proposals > 0 ? `, with ${proposals} proposals` : ""}${isOverdue ? `, the oldest for ${days} days` : ""}`;
  return [{ kind: isOverdue ? "curation-overdue" : "curation", issue, action: "holdfast knowledge curate" }];
}

function staleIndex(places: KnowledgePlaces): Signal[] {
  if (!isIndexStaleSoon(places)) return [];
  const issue = "the catalogue is older than the nodes it lists";
  return [{ kind: "stale-index", issue, action: "holdfast knowledge index" }];
}

function lint(places: KnowledgePlaces): Signal[] {
  const { last_errors: errors, last_findings: findings, last_aged: aged } = readLintState(places);
  const action = "holdfast knowledge lint";
  return [
    ...(errors + findings > 0
      ? [{ kind: "lint" as const, issue: `the base has ${errors} errors and ${findings} findings`, action }]
      : []),
    ...(aged > 0
      ? [{ kind: "aged" as const, issue: `${aged} nodes speak of files that changed after them`, action }]
      : []),
  ];
}

function failedProposals({ failed }: WaitingSessions, places: KnowledgePlaces): Signal[] {
  const dead = new JobStore(jobsDirOf(places)).list().filter(({ state }) => state === "dead").length;
  if (failed + dead === 0) return [];
  const issue = failed > 0 ? `no proposals could be made of ${failed} sessions` : "work in the background was given up";
  return [{ kind: "proposals-failed", issue, action: "holdfast knowledge status" }];
}
