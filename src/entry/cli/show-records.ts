import { HoldfastError } from "../../core/errors.ts";
import { type JournalName, journalOf } from "../../engine/journals.ts";
import { readyEngine } from "../../engine/ready.ts";
import { followRecords } from "../../records/follow.ts";
import { readRecords } from "../../records/read.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import type { Output } from "./output.ts";

type Entry = Readonly<Record<string, unknown>>;

export interface RecordView {
  filter(record: Entry): boolean;
  line(record: Entry, output: Output): string;
}

const DEFAULT_LAST = 50;

/** The newest records of a journal that pass the filter, then, with --follow, new ones as they come. */
export async function showRecords(call: CommandCall, name: JournalName, view: RecordView): Promise<ExitCode> {
  const { output, env, cwd, distDir } = call;
  const last = lastOf(call);
  const { plan, places, close } = await readyEngine(cwd, env, distDir);
  await close();
  const journal = journalOf(name, plan, places);
  const show = (record: Entry) =>
    output.json ? output.line(JSON.stringify(record)) : output.line(view.line(record, output));
  // Both look at the file at their own moment: what came in between is seen by both, and shown once.
  const following = call.flags.follow ? followRecords(journal, new AbortController().signal) : undefined;
  let seenSeq = 0;
  const filter = (record: Entry) => {
    seenSeq = Math.max(seenSeq, Number(record.seq) || 0);
    return view.filter(record);
  };
  let shown = 0;
  for await (const record of readRecords(journal, { filter, ...(last > 0 ? { last } : {}) })) {
    show(record);
    shown += 1;
  }
  if (shown === 0 && !output.json) output.note(`no ${name} records ${emptyBecause(seenSeq)} in ${plan.root}`);
  if (following)
    for await (const record of following) if (Number(record.seq) > seenSeq && view.filter(record)) show(record);
  return 0;
}

const emptyBecause = (seenSeq: number) => (seenSeq > 0 ? "pass the filter" : "yet");

function lastOf(call: CommandCall): number {
  const text = textFlag(call, "last");
  if (text === undefined) return DEFAULT_LAST;
  if (!/^\d+$/.test(text)) throw new HoldfastError("HF701", `--last takes a whole number, not "${text}"`);
  return Number(text);
}
