/** `holdfast audit`: a run's whole event log, hooks and task edits among it, from a cursor on. */
import { HoldfastError } from "../../core/errors.ts";
import { redactJson } from "../../core/redact.ts";
import type { RunEvent } from "../../runs/store.ts";
import { runFor } from "../run/access.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { withRuns } from "./open-runs.ts";

const REFUSALS = ["block", "rejected", "error", "timeout"];

export const run = (call: CommandCall): Promise<ExitCode> =>
  withRuns(call, async (runs) => {
    const { output, words, flags } = call;
    const { id } = await runFor(runs, words[0], "read");
    const from = cursorOf(call);
    const events: RunEvent[] = [];
    for await (const event of runs.store.events(id, from)) {
      if (flags.hooks && event.type !== "run.hook_recorded") continue;
      events.push(redactJson(event));
    }
    if (output.json) output.data(events);
    else for (const event of events) output.line(lineOf(event, call));
    return 0;
  });

function cursorOf(call: CommandCall): number {
  const text = textFlag(call, "from") ?? "1";
  if (/^\d+$/.test(text)) return Number(text);
  throw new HoldfastError("HF701", `--from ${text} is no cursor`, { hint: "a cursor is a whole number, from 1" });
}

function lineOf({ cursor, at, type, data }: RunEvent, { output }: CommandCall): string {
  const head = `${String(cursor).padStart(4)}  ${at}  ${type}`;
  if (type !== "run.hook_recorded") return `${head}  ${output.paint("dim", wordsOf(data))}`;
  const outcome = String(data.outcome);
  const colour = REFUSALS.includes(outcome) ? "red" : "green";
  const summary = String(data.summary ?? "");
  return `${head}  ${data.hook}  ${output.paint(colour, outcome)}${summary === "" ? "" : `  ${summary}`}`;
}

const wordsOf = (data: RunEvent["data"]) =>
  Object.entries(data)
    .filter(([, value]) => value !== null && value !== "")
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
