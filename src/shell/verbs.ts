/** Tools whose command line is `tool [noun] verb …`: rows of what which verb does. */
import { type Arg, texts, UNKNOWN } from "./arg.ts";
import { type OptionShape, type Options, readOptions } from "./options.ts";

/** `words` is matched against the operands, joined by single blanks. */
export interface VerbRow<D extends string> {
  readonly words: RegExp;
  readonly deed: D;
  /** Only with these options; any of them will do. */
  readonly given?: readonly string[];
  /** Where the options alone do not say it. */
  readonly when?: (options: Options, all: string) => boolean;
}

export interface Tool<D extends string> extends OptionShape {
  /** Options that make the tool only tell what it would do. */
  readonly rehearsals?: readonly string[];
  readonly rows: readonly VerbRow<D>[];
}

export interface FoundVerb<D extends string> {
  readonly deed: D;
  /** The words that say so, with the tool's name. */
  readonly detail: string;
}

const REHEARSALS = ["dry-run", "dryrun", "help", "h"];
const MAX_DETAIL = 60;

/** The first row that fits. Rehearsals and questions for help do nothing. */
export function findVerb<D extends string>(
  program: string,
  args: readonly Arg[],
  tool: Tool<D>,
): FoundVerb<D> | undefined {
  const options = readOptions(args, tool);
  if (rehearses(options, [...REHEARSALS, ...(tool.rehearsals ?? [])])) return undefined;
  const words = texts(options.operands).join(" ");
  if (/(^| )help$|^help /.test(words)) return undefined;
  const all = texts(args).join(" ");
  for (const { words: pattern, deed, given, when } of tool.rows) {
    const match = pattern.exec(words);
    if (!match || (given && !given.some((name) => options.given.has(name))) || (when && !when(options, all))) continue;
    return { deed, detail: `${program} ${match[0].trim()}`.replaceAll(UNKNOWN, "$…").slice(0, MAX_DETAIL).trim() };
  }
  return undefined;
}

/** `--dry-run`, `--dry-run=client`; but `--dry-run=none` is no rehearsal. */
export const rehearses = ({ given, values }: Options, names: readonly string[]) =>
  names.some((name) => given.has(name) && !/^(none|false|0|no)$/.test(values.get(name)?.text ?? ""));
