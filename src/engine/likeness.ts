/**
 * Whether a call is one that people refused, written differently. It leans towards yes: whoever is refused wrongly can ask
 * in other words, and a person decides; whoever slips through has gone around a person.
 */
import { isAbsolute, posix } from "node:path";
import type { AskedCall } from "../approvals/approval.ts";
import { canonicalJson, isJsonObject, type Json } from "../core/json.ts";
import type { Invocation } from "../shell/invocation.ts";
import { walkCommand } from "../shell/walk.ts";

export type LikeCall = Pick<AskedCall, "tool" | "kind" | "input" | "cwd">;

/** Whether `later` does what `refused` would have done. */
export function isLike(later: LikeCall, refused: LikeCall): boolean {
  if (later.kind !== refused.kind) return false;
  if (later.kind === "shell") return runsLike(runsOf(later), runsOf(refused));
  if (later.tool !== refused.tool) return false;
  return contains(plainInput(later.input, later.cwd), plainInput(refused.input, refused.cwd));
}

/** Said beside a call, not part of what it does. */
const REMARKS =
  /^(description|explanation|reason|comment|note|justification|purpose|title|timeout|timeout_ms|request_id|idempotency_key)$/i;

function plainInput(value: Json, cwd: string): Json {
  if (Array.isArray(value)) return value.map((item) => plainInput(item, cwd));
  if (isJsonObject(value))
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => !REMARKS.test(key))
        .map(([key, item]) => [key, plainInput(item, cwd)]),
    );
  if (typeof value !== "string") return value;
  const text = value.replace(/\s+/g, " ").trim();
  if (text !== "" && String(Number(text)) === text) return Number(text);
  return text.includes("/") && !text.includes(" ") && !text.includes("://") ? plainPath(text, cwd) : text;
}

/** All that was refused is there again; what is new beside it makes it no other call. */
function contains(later: Json, refused: Json): boolean {
  if (!isJsonObject(refused) || !isJsonObject(later)) return canonicalJson(later) === canonicalJson(refused);
  return Object.entries(refused).every(([key, value]) => {
    const found = later[key];
    return found !== undefined && contains(found, value);
  });
}

interface Run {
  readonly program: string;
  /** What is no option, in order, each with the option before it. */
  readonly operands: readonly { readonly text: string; readonly after: string | undefined }[];
  readonly options: ReadonlySet<string>;
}

/** Every program that was to be started is started again, with the same words. */
function runsLike(later: readonly Run[], refused: readonly Run[]): boolean {
  const essential = refused.filter(({ program }) => !PREPARES.has(program));
  const wanted = essential.length > 0 ? essential : refused;
  return wanted.length > 0 && wanted.every((one) => later.some((run) => runLike(run, one)));
}

/** Where one goes and what one says on the way is no part of what was refused. */
const PREPARES = new Set(["cd", "pushd", "echo", "printf", "true", ":", "set", "export", "sleep", "date", "pwd", "ls"]);

/** With one of these a program only tells what it would do. */
const REHEARSALS = /^(--?dry-?run\b.*|--help|--what-?if|--check|--no-op|--version)$/i;

function runLike(later: Run, refused: Run): boolean {
  if (later.program !== refused.program) return false;
  const rehearses = (options: ReadonlySet<string>) => [...options].some((option) => REHEARSALS.test(option));
  if (rehearses(later.options) && !rehearses(refused.options)) return false;
  // A word right behind an option that only one of them has may be that option's value.
  const words = ({ operands }: Run, other: Run) =>
    operands.filter(({ after }) => after === undefined || other.options.has(after)).map(({ text }) => text);
  return canonicalJson(words(later, refused)) === canonicalJson(words(refused, later));
}

/** What the command would start in the end, through whatever wrapper, variable or nested shell. */
function runsOf({ input, cwd }: LikeCall): Run[] {
  const named = Object.entries(input).filter(([key]) => COMMAND_KEYS.test(key));
  return (named.length > 0 ? named : Object.entries(input)).flatMap(([, value]) => {
    const { invocations } = walkCommand(commandIn(value), { cwd, homeDir: HOME });
    return invocations
      .filter((invocation) => !invocations.some((other) => isStartedBy(other, invocation)))
      .map((invocation) => runOf(invocation, cwd));
  });
}

const COMMAND_KEYS = /^(command|cmd|script|code|commands?_?line|args|argv)$/i;
/** Both commands are read alike, so it need not be the real one. */
const HOME = "/~";

/** A list of words is one command. */
function commandIn(value: Json): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value) || !value.every((word) => typeof word === "string")) return "";
  return value.map((word) => `'${String(word).replaceAll("'", `'\\''`)}'`).join(" ");
}

const isStartedBy = ({ via }: Invocation, { program, via: above }: Invocation) =>
  via.length > above.length &&
  above.every((name, at) => via[at] === name) &&
  via[above.length]?.split(" ")[0] === program;

function runOf({ program, args, cwd: place }: Invocation, cwd: string): Run {
  const options = new Set<string>();
  const operands: { text: string; after: string | undefined }[] = [];
  let after: string | undefined;
  for (const { text } of args) {
    if (text === "--") continue;
    if (text.startsWith("-") && text !== "-") {
      options.add(text.split("=")[0] ?? text);
      after = text.includes("=") ? undefined : text;
      continue;
    }
    operands.push({ text: plainPath(text, cwd, place ?? cwd), after });
    after = undefined;
  }
  return { program, operands, options };
}

/** What may be a path is one from `place`, written from `cwd`; what is none stays recognisable: both sides are treated alike. */
function plainPath(text: string, cwd: string, place = cwd): string {
  const path = isAbsolute(text) || /^\.{1,2}(\/|$)/.test(text) ? posix.resolve(place || "/", text) : text;
  return cwd !== "" && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}
