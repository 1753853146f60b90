/** `holdfast queue`: runs that wait for a worker, and how many may go on at a time. */
import { HoldfastError } from "../../core/errors.ts";
import { bucketOf } from "../../runs/files/run-places.ts";
import type { LimitKind, QueueEntry, RunQueue } from "../../runs/queue.ts";
import { hasBegun } from "../../runs/take-up.ts";
import { runFor } from "../run/access.ts";
import { enqueue, queueOf } from "../run/enqueue.ts";
import type { OpenRuns } from "../run/ports.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { withRuns } from "./open-runs.ts";
import { type Output, table } from "./output.ts";
import { assertNoAgentShell } from "./person.ts";
import { performVerb, type Verbs } from "./verbs.ts";

type Work = (queue: RunQueue, runs: OpenRuns) => Promise<ExitCode>;

const withQueue = (call: CommandCall, work: Work): Promise<ExitCode> =>
  withRuns(call, async (runs) => work(queueOf(runs), runs));

const VERBS: Verbs = {
  list: { usage: "list [--all]", words: [0, 0], flags: ["all"], perform: list },
  show: {
    usage: "show <run>",
    words: [1, 1],
    perform: (call, [id = ""]) => withQueue(call, async (queue) => shown(await entryOf(queue, id), call)),
  },
  cancel: {
    usage: "cancel <run>",
    words: [1, 1],
    writes: true,
    perform: (call, [wanted = ""]) =>
      withQueue(call, async (queue, runs) => {
        const { id } = await runFor(runs, wanted, "drive");
        const before = await entryOf(queue, id);
        return shown(call.flags["dry-run"] ? before : await queue.cancel(id), call);
      }),
  },
  retry: {
    usage: "retry <run>",
    words: [1, 1],
    writes: true,
    perform: (call, [wanted = ""]) =>
      withQueue(call, async (queue, runs) => {
        const run = await runFor(runs, wanted, "drive");
        const before = await entryOf(queue, run.id);
        if (call.flags["dry-run"]) return shown(before, call);
        const { priority, notify } = before;
        // What was asked for has begun: the run goes on with what is left.
        const resume = hasBegun(run, before) ? {} : before.resume;
        return shown(await enqueue(runs, run, { resume, priority, notify }), call);
      }),
  },
  limit: {
    usage: "limit [repository | group] [name | '*'] [n | none]",
    words: [0, 3],
    writes: true,
    perform: (call, words) => withQueue(call, (queue) => limit(queue, words, call)),
  },
};

export const run = (call: CommandCall): Promise<ExitCode> => performVerb("queue", VERBS, call, "list");

async function entryOf(queue: RunQueue, id: string): Promise<QueueEntry> {
  const entry = await queue.find(id);
  if (!entry) throw new HoldfastError("HF1064", `run ${id} is not in the queue`);
  return entry;
}

function list(call: CommandCall): Promise<ExitCode> {
  const { output } = call;
  return withQueue(call, async (queue) => {
    const entries = await queue.list(call.flags.all ? {} : { states: ["waiting", "taken"] });
    if (output.json) output.data(entries);
    else if (entries.length === 0) output.line("nothing waits; --all shows what is over, too");
    else for (const line of table(entries.map((entry) => rowOf(entry, output)))) output.line(line);
    return 0;
  });
}

const rowOf = (entry: QueueEntry, { paint }: Output): string[] => [
  paint("bold", entry.run),
  entry.isCancelled && entry.state === "taken" ? "stopping" : entry.state,
  entry.repo,
  entry.group ?? "-",
  `priority ${entry.priority}`,
  entry.state === "taken" ? (entry.worker ?? "") : "",
  entry.reason,
];

function shown(entry: QueueEntry, { output }: CommandCall): ExitCode {
  if (output.json) output.data(entry);
  else {
    for (const line of table([rowOf(entry, output)])) output.line(line);
    output.line(
      `  added ${entry.addedAt}, taken ${entry.takes} times${entry.takenAt ? `, last ${entry.takenAt}` : ""}`,
    );
    if (entry.worker !== null) output.line(`  worker  ${entry.worker}`);
    if (entry.endedAt !== null) output.line(`  over since ${entry.endedAt}`);
    if (entry.state === "failed") output.line(`  holdfast queue retry ${entry.run} puts it in the queue again`);
  }
  return 0;
}

async function limit(queue: RunQueue, [kind, name, most]: readonly string[], call: CommandCall): Promise<ExitCode> {
  const { output, env, flags } = call;
  if (kind !== undefined) {
    assertNoAgentShell(env, `queue limit ${kind}`);
    const wanted = limitOf(kind, name, most);
    if (!flags["dry-run"]) await queue.limit(wanted.kind, wanted.name, wanted.most);
  }
  const limits = await queue.limits();
  const rows = limits.map((each) => [
    ...[each.kind, each.name, `at most ${each.most}`],
    each.taken === null ? "" : `${each.taken} now`,
  ]);
  if (output.json) output.data(limits);
  else if (limits.length === 0) output.line("no limits: workers take as many as they can");
  else for (const line of table(rows)) output.line(line);
  return 0;
}

function limitOf(kind: string, name: string | undefined, most: string | undefined) {
  const known = (["repository", "group"] as const).find((each): each is LimitKind => each === kind);
  const isNumber = most === "none" || /^\d{1,6}$/.test(most ?? "");
  if (!known || name === undefined || !isNumber)
    throw new HoldfastError("HF701", "which limit?", {
      hint: "holdfast queue limit repository shop 2, or group nightly none; '*' is for all that have none of their own",
    });
  const place = known === "repository" && name !== "*" ? bucketOf(name) : name;
  return { kind: known, name: place, most: most === "none" ? null : Number(most) };
}
