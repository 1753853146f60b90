/** The path globs of rules, the same wherever one takes some: files a glob names, and all that is below them. */
import type { PathsPattern } from "../core/match.ts";
import type { OptionProblem } from "../core/tunable.ts";
import { coveringGlobs, globProblem } from "../core/written-glob.ts";
import { below } from "../shell/places.ts";
import type { Machine } from "./builtin.ts";
import { partMatcher, partsOf, pathMatcher, type TextMatcher } from "./path-glob.ts";
import { touchedPaths } from "./touched-paths.ts";

type Ground = Pick<Machine, "rootDir" | "homeDir" | "ignoresCase">;

const made = new WeakMap<Ground, Map<string, TextMatcher>>();

/** Whether a real path is covered by one of the globs, as names are compared on this machine; compiled once. */
export function coveredBy(globs: readonly string[], ground: Ground): TextMatcher {
  const known = made.get(ground) ?? new Map<string, TextMatcher>();
  made.set(ground, known);
  const key = globs.length === 1 ? (globs[0] as string) : globs.join("\n");
  const matcher = known.get(key) ?? compiled(globs, ground);
  known.set(key, matcher);
  return matcher;
}

/** `paths` of a hook's `when`. */
export function pathsPattern(glob: string, machine: Machine): PathsPattern {
  const isCovered = coveredBy([glob], machine);
  return { source: glob, test: (event) => touchedPaths(event, machine).some(isCovered) };
}

function compiled(globs: readonly string[], ground: Ground): TextMatcher {
  const fold = foldOn(ground);
  const [rootDir, homeDir] = [fold(ground.rootDir), fold(ground.homeDir)];
  const covering = globs.map((glob) => coveringGlobs(fold(glob)));
  const isPath = pathMatcher(
    covering.flatMap(({ paths }) => paths.map((glob) => fromHome(glob, homeDir))),
    rootDir,
  );
  const names = covering.flatMap((one) => one.names);
  const isNamed = names.length > 0 ? anyPart(names, rootDir) : undefined;
  return (written) => {
    const path = fold(written);
    return isPath(path) || isNamed?.(path) === true;
  };
}

/** One of a path's parts is named so. Those on the way to the project are not asked: it may stand in a `/data`. */
function anyPart(names: readonly string[], rootDir: string): TextMatcher {
  const matches = partMatcher(names);
  const above = partsOf(rootDir);
  const inside = below(rootDir, "");
  return (path) => {
    if (path.startsWith(inside)) return matches(path.slice(inside.length - 1));
    const parts = partsOf(path);
    let at = 0;
    while (at < parts.length - 1 && parts[at] === above[at]) at += 1;
    return matches(`/${parts.slice(at).join("/")}`);
  };
}

/** What is wrong with the globs of an option. */
export const globProblems = (option: string, globs: readonly (string | undefined)[]): OptionProblem[] =>
  globs.flatMap((glob) => {
    const message = glob === undefined ? undefined : globProblem(glob);
    return message === undefined ? [] : [{ option, message }];
  });

export const foldOn =
  ({ ignoresCase }: Pick<Machine, "ignoresCase">) =>
  (text: string) =>
    ignoresCase ? text.toLowerCase() : text;

export const fromHome = (glob: string, homeDir: string) => glob.replace(/^~(?=\/|$)/, homeDir === "/" ? "" : homeDir);
