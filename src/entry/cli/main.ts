/** `holdfast <command>`. */
import { parseArgs } from "node:util";
import { HoldfastError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { VERSION } from "../version.ts";
import type { CommandRow, ExitCode } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { printCommandHelp, printHelp } from "./help.ts";
import { createOutput, describeError, printError } from "./output.ts";

export async function main(argv: readonly string[], distDir: string): Promise<void> {
  const output = createOutput(argv.includes("--json"), process.env);
  process.once("SIGINT", () => process.exit(130));
  try {
    process.exitCode = await runCommand(argv, distDir, output);
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    if (output.json) output.data({ error: describeError(error, process.cwd()) });
    else printError(error, output, process.cwd());
    process.exitCode = error.code === "HF501" ? 2 : 3;
  }
}

async function runCommand(
  argv: readonly string[],
  distDir: string,
  output: ReturnType<typeof createOutput>,
): Promise<ExitCode> {
  const [name, ...rest] = argv;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    printHelp(output);
    return name === undefined ? 3 : 0;
  }
  if (name === "--version" || name === "-v") {
    output.line(VERSION);
    return 0;
  }
  const row = COMMANDS.find((command) => command.name === name);
  if (!row) {
    const meant = nearest(
      name,
      COMMANDS.map((command) => command.name),
    );
    throw new HoldfastError("HF701", `unknown command "${name}"`, {
      hint: meant ? `did you mean holdfast ${meant}?` : "holdfast --help lists the commands",
    });
  }
  if (rest.includes("--help") || rest.includes("-h")) {
    printCommandHelp(row, output);
    return 0;
  }
  const { values, positionals } = parse(row, rest);
  const { run } = await row.load();
  return run({ words: positionals, flags: values, output, env: process.env, cwd: process.cwd(), distDir });
}

function parse(row: CommandRow, args: string[]) {
  const hint = `usage: holdfast ${row.usage}`;
  const options = Object.fromEntries(Object.entries(row.flags).map(([name, { type }]) => [name, { type }]));
  try {
    const parsed = parseArgs({ args, options, allowPositionals: true, strict: true });
    const [min, max] = row.words ?? [0, 0];
    const count = parsed.positionals.length;
    if (count < min || count > max)
      throw new Error(count > max ? `unexpected argument "${parsed.positionals[max]}"` : "an argument is missing");
    return parsed;
  } catch (error) {
    throw new HoldfastError("HF701", (error as Error).message.split(". ")[0] ?? "bad arguments", { hint });
  }
}
