/** `holdfast <command>`. */
import { parseArgs } from "node:util";
import { HoldfastError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { VERSION } from "../../engine/version.ts";
import { exitCodeOf } from "../../runs/exit-code.ts";
import type { CommandCall, CommandRow, ExitCode } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { printCommandHelp, printHelp } from "./help.ts";
import { createOutput, describeError, type Output, printError, type Streams } from "./output.ts";

export async function main(argv: readonly string[], distDir: string): Promise<void> {
  process.once("SIGINT", () => process.exit(130));
  for (const stream of [process.stdout, process.stderr]) stream.on("error", endOnClosedPipe);
  process.exitCode = await runCommandLine(argv, { env: process.env, cwd: standingIn(), distDir }, process);
}

/** undefined: the directory is gone, and Node has no name for it any more. */
function standingIn(): string | undefined {
  try {
    return process.cwd();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export type Setting = Pick<CommandCall, "env" | "cwd" | "distDir">;

/** The whole CLI but for what belongs to the process. */
export async function runCommandLine(
  argv: readonly string[],
  { cwd, ...setting }: Omit<Setting, "cwd"> & { readonly cwd: string | undefined },
  streams: Streams,
): Promise<ExitCode> {
  const output = createOutput(argv.includes("--json"), setting.env, streams);
  const standing = { ...setting, cwd: cwd ?? "/" };
  try {
    if (cwd === undefined) throw NOWHERE;
    return await runCommand(argv, standing, output);
  } catch (error) {
    return reportFailure(error, output, standing);
  }
}

const NOWHERE = new HoldfastError("HF701", "the directory you are in does not exist any more", {
  hint: "cd to one that does, and run it again",
});

/** `holdfast log | head` closes the pipe early: that is no error. */
function endOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
}

function reportFailure(error: unknown, output: Output, { env, cwd }: Setting): ExitCode {
  if (error instanceof HoldfastError) {
    if (output.json) output.data({ error: describeError(error, cwd) });
    else printError(error, output, cwd);
    return error.code === "HF501" ? 2 : (exitCodeOf(error) as ExitCode);
  }
  // A disk that says no, or a bug of ours: no stack for a person who cannot use one.
  const message = error instanceof Error ? error.message : String(error);
  if (output.json) output.data({ error: { message } });
  else output.note(`${output.paint("red", "error")}  holdfast could not finish: ${message}`);
  if (env.HOLDFAST_DEBUG && error instanceof Error) output.note(String(error.stack));
  return 1;
}

async function runCommand(argv: readonly string[], setting: Setting, output: Output): Promise<ExitCode> {
  const [name, ...rest] = argv[0] === "help" && argv[1] !== undefined ? [argv[1], "--help"] : argv;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    printHelp(output);
    return name === undefined ? 3 : 0;
  }
  if (name === "--version" || name === "-v") {
    output.line(VERSION);
    return 0;
  }
  const row = rowNamed(name);
  const own = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest;
  if (own.includes("--help") || own.includes("-h")) {
    printCommandHelp(row, output);
    return 0;
  }
  const { values, positionals } = parse(row, rest);
  const { run } = await row.load();
  return run({ words: positionals, flags: values, output, ...setting });
}

function rowNamed(name: string): CommandRow {
  const row = COMMANDS.find((command) => command.name === name);
  if (row) return row;
  const meant = nearest(name, [...COMMANDS.map((command) => command.name), "--help", "--version"]);
  throw new HoldfastError("HF701", `unknown command "${name}"`, {
    hint: meant ? `did you mean holdfast ${meant}?` : "holdfast --help lists the commands",
  });
}

function parse(row: CommandRow, args: string[]) {
  const usage = `usage: holdfast ${row.usage}`;
  const options = Object.fromEntries(
    Object.entries(row.flags).map(([name, { type, multiple = false }]) => [name, { type, multiple }]),
  );
  try {
    const parsed = parseArgs({ args, options, allowPositionals: true, strict: true });
    const [min, max] = row.words ?? [0, 0];
    const count = parsed.positionals.length;
    if (count < min || count > max)
      throw new Error(count > max ? `unexpected argument "${parsed.positionals[max]}"` : "an argument is missing");
    return parsed;
  } catch (error) {
    const message = plainly((error as Error).message);
    const meant = nearestFlag(message, row);
    throw new HoldfastError("HF701", message, { hint: meant ? `did you mean ${meant}?   ${usage}` : usage });
  }
}

/** What Node says of arguments, in one line. */
function plainly(message: string): string {
  const [, flag] = /^Option '(--[\w-]+)' argument is ambiguous/.exec(message) ?? [];
  return flag
    ? `${flag} needs a value; one that begins with a dash is written ${flag}=-…`
    : (message.split(". ")[0] ?? "bad arguments");
}

function nearestFlag(message: string, row: CommandRow): string | undefined {
  const [, unknown] = /^Unknown option '--?([\w-]+)/.exec(message) ?? [];
  const meant = unknown && nearest(unknown, [...Object.keys(row.flags), "help"]);
  return meant && `--${meant}`;
}
