import { VERSION } from "../../engine/version.ts";
import type { CommandRow } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { type Output, table } from "./output.ts";

export function printHelp(output: Output): void {
  output.line(`${output.paint("bold", "holdfast")} ${VERSION} — hooks that hold: rules your agents cannot argue with`);
  output.line();
  output.line("usage: holdfast <command> [options]");
  for (const group of new Set(COMMANDS.map((row) => row.group))) {
    output.line();
    output.line(output.paint("bold", group));
    const rows = COMMANDS.filter((row) => row.group === group).map((row) => [`  ${row.name}`, row.summary]);
    for (const line of table(rows)) output.line(line);
  }
  output.line();
  output.line("holdfast <command> --help shows its options and an example.");
  output.line(
    "exit codes: 0 done · 1 findings · 2 blocked · 3 bad input or config · 4 a program we ran failed · 130 interrupted",
  );
}

export function printCommandHelp(row: CommandRow, output: Output): void {
  output.line(`holdfast ${row.name} — ${row.summary}`);
  output.line();
  output.line(`usage: holdfast ${row.usage}`);
  output.line();
  const flags = Object.entries(row.flags).map(([name, { value, doc }]) => [
    `  --${name}${value ? ` <${value}>` : ""}`,
    doc,
  ]);
  for (const line of table([...flags, ["  --help", "this text"]])) output.line(line);
  output.line();
  output.line(row.examples.length === 1 ? "example" : "examples");
  for (const example of row.examples) output.line(`  ${example}`);
}
