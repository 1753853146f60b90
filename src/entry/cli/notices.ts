/** `holdfast notices`: what a person should know about hooks. */
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { localTime, oneLine } from "./log.ts";
import { showRecords } from "./show-records.ts";

export function run(call: CommandCall): Promise<ExitCode> {
  const session = textFlag(call, "session");
  return showRecords(call, "notices", {
    filter: (record) =>
      (!call.flags.errors || record.is_error === true) && (session === undefined || record.session === session),
    line: (record, output) => {
      const level = record.is_error ? output.paint("red", "error ") : output.paint("yellow", "notice");
      return `${localTime(record.timestamp)}  ${level}  ${record.event_name}  ${oneLine(record.message)}`;
    },
  });
}
