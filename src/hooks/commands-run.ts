/**
 * Commands that a call runs: a shell's own, and those that other tools are handed. What a server does with its arguments
 * nobody knows but by their names: what is called a command is judged as one.
 */
import type { EventOf } from "../core/event.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { ShellCall, ToolCall } from "../core/tool.ts";
import { quoted } from "../shell/arg.ts";
import type { Machine } from "./builtin.ts";
import { saysAny, words, wordsOf } from "./said-words.ts";

export type ShellEvent = EventOf<"pre_tool_use"> & { readonly tool: ShellCall };

/** The same call as a shell would make it, once for each command. */
export function commandsRun(event: EventOf<"pre_tool_use">, machine: Pick<Machine, "realPath">): readonly ShellEvent[] {
  const { tool } = event;
  if (tool.kind === "shell") return [event as ShellEvent];
  if (!isOfUnknownUse(tool)) return NO_COMMANDS;
  const commands = commandsIn(tool);
  if (commands.length === 0) return NO_COMMANDS;
  const place = Object.entries(tool.input).find(([key, value]) => typeof value === "string" && isDirectory(key))?.[1];
  const cwd = typeof place === "string" && place !== "" ? machine.realPath(place, event.cwd) : event.cwd;
  const { name, input, paths } = tool;
  return commands.map((command) => ({ ...event, cwd, tool: { kind: "shell", name, input, paths, command } }));
}

const NO_COMMANDS: readonly ShellEvent[] = [];
const NO_STATEMENTS: readonly string[] = [];

/** All other kinds of tools say what they do. */
const isOfUnknownUse = ({ kind }: ToolCall) => kind === "mcp" || kind === "other";

/** SQL that a call hands to a database. */
export function statementsRun(tool: ToolCall): readonly string[] {
  if (!isOfUnknownUse(tool)) return NO_STATEMENTS;
  const isDatabase = saysAny(saidBy(tool), DATABASES);
  return Object.entries(tool.input).flatMap(([key, value]) => {
    const said = lastWord(key);
    return said === "sql" || (isDatabase && STATEMENTS.has(said)) ? textsOf(value) : [];
  });
}

function commandsIn(tool: ToolCall): string[] {
  const { input } = tool;
  const said = saidBy(tool);
  const isRunner = saysAny(said, RUNS);
  const isTerminal = saysAny(said, TERMINALS);
  const interpreter = INTERPRETERS.find(([names]) => saysAny([...said, ...languageOf(input)], names))?.[1];
  return Object.entries(input).flatMap(([key, value]) => {
    const what = lastWord(key);
    if (what === "command" || what === "cmd" || what === "commandline") return oneCommand(value, input);
    if (what === "commands" || what === "cmds" || (isTerminal && what === "input")) return textsOf(value);
    if (what !== "code" && what !== "script") return [];
    if (interpreter) return textsOf(value).map((code) => `${interpreter} ${quoted(code)}`);
    return what === "script" && isRunner ? textsOf(value) : [];
  });
}

/** `"rm -rf x"`, `["rm", "-rf", "x"]`, or `"rm"` with its arguments beside it. */
function oneCommand(value: Json, { args, arguments: others }: JsonObject): string[] {
  if (Array.isArray(value)) return value.length > 0 ? [textsOf(value).map(quoted).join(" ")] : [];
  if (typeof value !== "string" || value.trim() === "") return [];
  const given = args ?? others;
  if (typeof given === "string") return [`${value} ${given}`];
  return [Array.isArray(given) ? [value, ...textsOf(given).map(quoted)].join(" ") : value];
}

const textsOf = (value: Json | undefined): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === "string" && item !== "");

const saidBy = (tool: ToolCall) =>
  tool.kind === "mcp" ? [...wordsOf(tool.server), ...wordsOf(tool.method)] : wordsOf(tool.name);

const languageOf = ({ language, lang }: JsonObject) => textsOf([language ?? null, lang ?? null]).flatMap(wordsOf);
const lastWord = (key: string) => wordsOf(key).at(-1) ?? "";
const isDirectory = (key: string) => /^(cwd|work(ing)?_?dir(ectory)?|directory|dir)$/i.test(key);

const RUNS = words("run exec execute shell bash zsh sh terminal console process command commands spawn ssh cli script");
const TERMINALS = words("shell bash zsh terminal console process tty");
const INTERPRETERS: readonly (readonly [ReadonlySet<string>, string])[] = [
  [words("python python3 py ipython jupyter"), "python3 -c"],
  [words("node nodejs"), "node -e"],
  [words("ruby"), "ruby -e"],
  [words("perl"), "perl -e"],
];
const DATABASES = words(
  "sql postgres postgresql pg mysql mariadb sqlite mssql oracle database databases db duckdb clickhouse snowflake bigquery redshift supabase neon turso cockroach",
);
const STATEMENTS = words("query queries statement statements");
