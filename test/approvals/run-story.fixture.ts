/** A run in the middle of its work, as a person would find it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputFileOf } from "../../src/runs/files/attempt-file.ts";
import { stored } from "../../src/runs/files/store.fixture.ts";
import { task } from "../../src/runs/run.fixture.ts";
import type { AttemptRecord, HookAudit, Run } from "../../src/runs/run.ts";
import type { RunStore } from "../../src/runs/store.ts";

export interface RunStory {
  readonly running: Run;
  readonly child: Run;
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

/** `text` stands wherever an agent or a hook can put one. */
export async function tellRunStory(store: RunStore, text = ""): Promise<RunStory> {
  for (const [index, [name, status, done]] of PAST.entries())
    await stored(store, {
      name,
      status,
      repo: index % 2 === 0 ? "harbour" : "ledger",
      assignment: { name: "weekly", file: null },
      tasks: Array.from({ length: 5 }, (_, at) => task(`t${at}`, { status: at < done ? "completed" : "pending" })),
      createdAt: minutesAgo(120 + index * 95),
      updatedAt: minutesAgo(60 + index * 95),
      isPinned: index === 1,
    });
  const running = await stored(store, underWay(text));
  await store.writeAttempt(running.id, keptAttempt(1, `The tests are red: limits.test.ts fails at line 41. ${text}`));
  await store.writeAttempt(running.id, { ...keptAttempt(2, ""), result: null });
  writeFileSync(outputFileOf(store.directoryOf(running.id), 1), `npm test\n1 failed\n${text}\n`);
  writeFileSync(
    outputFileOf(store.directoryOf(running.id), 2),
    `> shell  npm test -- src/payouts\n 12 passed\n> shell  holdfast task set limits --status completed\n${text}\n`,
  );
  const [attachment] = running.attachments;
  if (attachment) {
    const place = join(store.directoryOf(running.id), "attachments", attachment.id, attachment.sha256.slice(0, 16));
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, attachment.name), "what was wrong\n");
  }
  await store.append(running.id, [
    { type: "attempt.started", source: "system", data: { session: 0, attempt: 1, indexInSession: 0 } },
    {
      type: "task.edited",
      source: "task_command",
      data: { task: "limits", to: { status: "in_progress", notes: text } },
    },
    { type: "run.hook_recorded", source: "hook", data: { ...audits(text)[0], attempt: 1 } },
    { type: "attempt.ended", source: "system", data: { session: 0, attempt: 1, exitCode: 0 } },
  ]);
  const child = await stored(store, {
    name: `Write the migration ${text}`,
    repo: "ledger",
    status: "success",
    parentRun: running.id,
    tasks: [task("one", { status: "completed" })],
    createdAt: minutesAgo(20),
    updatedAt: minutesAgo(11),
  });
  return { running, child };
}

const PAST: readonly (readonly [string, Run["status"], number])[] = [
  ["Upgrade the queue to version 12", "success", 5],
  ["Nightly dependency review", "blocked", 3],
  ["Translate the error pages", "exhausted", 4],
  ["Remove the old sign-in", "aborted", 1],
];

const underWay = (text: string): Partial<Run> => ({
  name: `Raise the payout limits ${text}`,
  repo: "ledger",
  status: "running",
  statusReason: text,
  note: `Ann wants to see the migration before it is merged. ${text}`,
  isPinned: true,
  group: text === "" ? "release-12" : text,
  assignment: { name: "payout-limits", file: null },
  agent: { name: "careful", file: null, instructions: "" },
  settings: {
    cwd: `/srv/harbour/ledger${text}`,
    backend: "claude-code",
    model: "opus",
    effort: null,
    timeoutSec: 900,
    unrestricted: true,
    maxRetries: 3,
    message: null,
    backendConfig: {},
    backendArgs: [],
  },
  tasks: [
    task("limits", {
      title: `Raise MAX_PAYOUT_CENTS, with a second signature above it ${text}`,
      status: "completed",
      notes: `Both limits live in src/payouts/limits.ts. ${text}`,
    }),
    task("migration", { title: "Write the migration", status: "completed" }),
    task("tests", {
      title: "Cover the new limits with tests",
      body: `Below, at and above each limit. ${text}`,
      status: "in_progress",
    }),
    task("docs", { title: "Say it in the handbook", status: "pending" }),
    task("release", { title: "Release note", status: "pending" }),
  ],
  hookAudits: audits(text),
  attempts: [attemptRecord(1, 34, minutesAgo(18)), attemptRecord(2, 17, null)],
  sessions: [{ index: 0, startedAt: minutesAgo(34), endedAt: null }],
  attachments: [
    {
      id: "a1",
      name: `report${text.replaceAll(/[/\\]/g, "").slice(0, 150)}.md`,
      mimeType: "text/markdown",
      bytes: 15,
      sha256: "3f0a9c".repeat(11).slice(0, 64),
      addedAt: minutesAgo(17),
    },
  ],
  createdAt: minutesAgo(35),
  updatedAt: minutesAgo(2),
});

const attemptRecord = (number: number, minutes: number, endedAt: string | null): AttemptRecord => ({
  number,
  session: 0,
  indexInSession: number - 1,
  startedAt: minutesAgo(minutes),
  endedAt,
  exitCode: endedAt === null ? null : 0,
  signal: null,
  isTimedOut: false,
  isAborted: false,
});

const keptAttempt = (number: number, transcript: string) => ({
  number,
  prompt: "Go on with what is open: tests, docs, release.",
  process: null,
  result: {
    exitCode: 0,
    signal: null,
    isTimedOut: false,
    isAborted: false,
    session: null,
    transcript,
    stdout: "",
    stderr: "",
    isSessionUnknown: false,
  },
});

function audits(text: string): HookAudit[] {
  const at = (minutes: number, hook: string, more: Partial<HookAudit>): HookAudit => ({
    phase: "taskTransition",
    hook,
    startedAt: minutesAgo(minutes),
    endedAt: minutesAgo(minutes - 0.0002),
    outcome: "accepted",
    session: 0,
    attempt: 1,
    task: "limits",
    summary: "",
    ...more,
  });
  return [
    at(28, "taskTransition:task:limits:0:require-evidence", {
      outcome: "rejected",
      summary: `no test run that succeeded is recorded after the last edit; run the tests, then complete the task ${text}`,
    }),
    at(19, "taskTransition:task:limits:0:require-evidence", {}),
    at(18, "afterAttempt:0:require-children-success", { phase: "afterAttempt", outcome: "continue", task: null }),
  ];
}
