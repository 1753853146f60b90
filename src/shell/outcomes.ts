/** Whether a command may fail, and where the shell stands if it does. */
import { type Arg, UNKNOWN } from "./arg.ts";
import { mayMakeDirectories } from "./bystanders.ts";
import type { Invocation } from "./invocation.ts";
import { has, readOptions } from "./options.ts";
import { joined, type Scope } from "./scope.ts";
import { type Failed, NEVER, type Places, placesOf } from "./whereabouts.ts";

export type IsDirectory = (path: string) => boolean;

interface Run {
  readonly program: string;
  readonly args: readonly Arg[];
  readonly redirects: Invocation["redirects"];
}

/** undefined: it may fail, and stays where it is. */
export function failureOf(
  { program, args, redirects }: Run,
  from: Places,
  scope: Scope,
  earlier: readonly Invocation[],
  isDirectory: IsDirectory | undefined,
): Failed | undefined {
  if (MOVES.has(program)) {
    const isThere = placesOf(scope).map((place) => isKnownDirectory(place, isDirectory));
    if (isThere.includes(false) && !earlier.some(mayMakeDirectories)) return { likely: from, unlikely: [] };
    return isThere.every((there) => there === true) ? NEVER : { likely: [], unlikely: from };
  }
  if (redirects.length > 0) return undefined;
  if (program === "mkdir") return makesDirectory(args, scope, isDirectory) ? NEVER : undefined;
  return HARDLY_FAIL.has(program) ? NEVER : undefined;
}

const MOVES = new Set(["cd", "pushd", "popd"]);
const HARDLY_FAIL = new Set("true : echo printf export set declare local alias shopt umask pwd date".split(" "));

const isKnownDirectory = (place: string | undefined, isDirectory: IsDirectory | undefined) =>
  place === undefined || place.includes(UNKNOWN) ? undefined : isDirectory?.(place);

/** Without `-p` it fails where there is one. */
function makesDirectory(args: readonly Arg[], { cwd }: Scope, isDirectory: IsDirectory | undefined): boolean {
  const options = readOptions(args, { valued: ["m", "mode"] });
  return (
    has(options, "p", "parents") ||
    options.operands.every((operand) => isKnownDirectory(joined(cwd, operand), isDirectory) !== true)
  );
}

/** `X=1` does not fail, `X=$(program)` does as the program does. */
export const failureOfAssignments = (values: Iterable<Arg>): Failed | undefined =>
  [...values].every(({ from = [] }) => from.every(({ program }) => HARDLY_FAIL.has(program) || program === "mktemp"))
    ? NEVER
    : undefined;

/** `cd -` of a shell that may not have left: nobody knows where it was before. */
export const backInDoubt = (from: Places, args: readonly Arg[]): Places =>
  from.length > 1 && args.some(({ text }) => text === "-") ? [undefined] : [];

/** `CDPATH=a:b cd x`: x in whichever of them has one. */
export function throughSearchPath(from: Places, searched: string | undefined, args: readonly Arg[]): Places {
  const target = args.find(({ text }) => !text.startsWith("-"));
  if (!searched || !target || /^(?:\/|\.\.?(?:\/|$))/.test(target.text)) return [];
  if (searched.includes(UNKNOWN)) return [undefined];
  return searched
    .split(":")
    .flatMap((directory) =>
      from.map((place) => joined(joined(place, { text: directory || ".", glob: false }), target)),
    );
}
