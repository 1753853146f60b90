/** `holdfast log`: the ledger or the audit, filtered; `log verify` proves that nothing in the records was changed. */
import { JOURNAL_NAMES, journalOf } from "../../engine/journals.ts";
import { readyEngine } from "../../engine/ready.ts";
import { verifyJournal } from "../../records/verify.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { deliveredWords } from "./delivered.ts";
import { logFilter } from "./log-filter.ts";
import { observedInRecord, observedWords } from "./observed.ts";
import { DECISION_COLOURS } from "./outcome.ts";
import type { Output } from "./output.ts";
import { showRecords } from "./show-records.ts";
import { unknownWord } from "./unknown-word.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const [verb] = call.words;
  if (verb === "verify") return verify(call);
  if (verb !== undefined) throw unknownWord("log", verb, ["verify"], "holdfast log verify");
  const { audit, passes } = logFilter(call);
  return showRecords(call, audit ? "audit" : "ledger", {
    filter: passes,
    line: (record, output) => (audit ? auditLine(record, output) : ledgerLine(record, output)),
  });
}

async function verify({ output, env, cwd, distDir }: CommandCall): Promise<ExitCode> {
  const { plan, places, close } = await readyEngine(cwd, env, distDir);
  await close();
  const results = [];
  for (const name of JOURNAL_NAMES) {
    if (process.stderr.isTTY) output.note(`checking ${name} …`);
    results.push({ journal: name, ...(await verifyJournal(journalOf(name, plan, places))) });
  }
  const broken = results.filter(({ ok }) => !ok);
  if (output.json) output.data({ ok: broken.length === 0, journals: results });
  else {
    for (const { journal, lines, ok, problem, isHeadKnown } of results) {
      output.line(
        ok
          ? `${output.paint("green", "intact")}   ${journal}: ${lines} lines${isHeadKnown || lines === 0 ? "" : UNKNOWN_END}`
          : `${output.paint("red", "changed")}  ${journal}: ${problem?.sentence}`,
      );
    }
    if (broken.length > 0) output.note("error HF601  the record was changed; restore it from a backup if you have one");
  }
  return broken.length > 0 ? 1 : 0;
}

const UNKNOWN_END =
  ", but the state directory does not remember the last one: whether some were cut off, nobody can tell";

type Entry = Readonly<Record<string, unknown>>;

function ledgerLine(record: Entry, output: Output): string {
  const result = resultOf(record, output);
  const agent = record.agent ? ` ${output.paint("dim", `agent ${record.agent}`)}` : "";
  const took = typeof record.duration_ms === "number" ? output.paint("dim", `  ${record.duration_ms} ms`) : "";
  return `${localTime(record.timestamp)}  ${result}  ${String(record.tool_name).padEnd(8)} ${oneLine(record.input_summary)}${took}${agent}`;
}

function resultOf({ success, outcome_unknown: unknown }: Entry, output: Output): string {
  if (unknown === true) return output.paint("dim", "?     ");
  return success === false ? output.paint("red", "failed") : output.paint("green", "ok    ");
}

function auditLine(record: Entry, output: Output): string {
  const decision = String(record.decision);
  const reasons = Array.isArray(record.reasons)
    ? (record.reasons as { text?: string; rule?: string; hook?: string }[])
    : [];
  const observed = observedInRecord(record);
  const delivered = typeof record.delivered === "string" ? deliveredWords(record.delivered) : undefined;
  const words = [delivered, observedWords(observed)].filter(Boolean).join("; ");
  const why = reasons[0]
    ? `${oneLine(reasons[0].text)}  ${output.paint("dim", reasons[0].rule ?? reasons[0].hook ?? "")}`
    : oneLine(observed[0]?.reason);
  const decided = output.paint(DECISION_COLOURS[decision] ?? "dim", decision.padEnd(words ? 0 : 8));
  const would = words ? ` ${output.paint("yellow", `(${words})`)}` : "";
  return `${localTime(record.timestamp)}  ${decided}${would}  ${String(record.event)} ${record.tool ?? ""}  ${why}`.trimEnd();
}

export const oneLine = (text: unknown) => String(text ?? "").replaceAll("\n", " ");

export function localTime(timestamp: unknown): string {
  const date = new Date(String(timestamp));
  return Number.isNaN(date.getTime()) ? String(timestamp) : date.toLocaleString("sv-SE");
}
