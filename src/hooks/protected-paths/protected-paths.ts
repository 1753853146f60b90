/** Files an agent may not write, or not even read: through file tools, MCP tools, patches and shell commands alike. */
import { type EventOf, hasTool } from "../../core/event.ts";
import { list, type ShapeOf, text } from "../../core/fields.ts";
import { NO_OPINION, type Verdict } from "../../core/verdict.ts";
import { UNKNOWN } from "../../shell/arg.ts";
import type { Landing } from "../../shell/effect.ts";
import { below, isInside } from "../../shell/places.ts";
import type { BuiltinHook, Machine } from "../builtin.ts";
import { commandsRun } from "../commands-run.ts";
import { coveredBy, foldOn, fromHome, globProblems } from "../covered-paths.ts";
import { globMatches, pathMatcher, type TextMatcher } from "../path-glob.ts";
import { mcpFiles } from "./mcp-files.ts";
import { fixedPart, placedGlobs, placedListed } from "./placed-glob.ts";
import { hostRegistration, PROTECTIONS, type Protection } from "./protections.ts";
import { type Touch, touchesOf, withNamesFound } from "./touches.ts";

const OPTIONS = {
  write: list(text(), "globs of files that may not be written"),
  read: list(text(), "globs of files that may not be read or written"),
};
type Options = ShapeOf<typeof OPTIONS>;

export const protectedPaths: BuiltinHook = {
  name: "protected-paths",
  doc: "keeps agents away from Holdfast's own files, host registrations, CI, secrets and the paths listed",
  on: ["pre_tool_use"],
  answers: ["block", "ask"],
  guards: true,
  onError: "block",
  priority: 0,
  options: OPTIONS,
  defaults: { write: [], read: [] },
  problems: (options) =>
    (["write", "read"] as const).flatMap((option) => globProblems(option, (options as unknown as Options)[option])),
  judge(event, { options }, machine) {
    if (event.name !== "pre_tool_use" || !hasTool(event)) return NO_OPINION;
    const touches = touchesOf(event, machine);
    if (touches.length === 0) return unseenVerdict(event, machine);
    const worst = worstOf(touches, options as unknown as Options, machine);
    if (!worst) return unseenVerdict(event, machine);
    // Only now is it worth looking which files a wildcard stands for.
    const found = withNamesFound(touches, event, machine);
    const real = found ? worstOf(found, options as unknown as Options, machine) : worst;
    return real ? verdictOf(real) : unseenVerdict(event, machine);
  },
};

function worstOf(touches: readonly Touch[], options: Options, machine: Machine): Found | undefined {
  const fences = listedFences(options, machine);
  // Most calls are that, and each question below costs.
  if (fences.length === 0 && areOnlyRead(touches, standingOf(machine).mayBeAgainstReading)) return undefined;
  const everything = touches.find((touch) => takesEverything(touch, machine));
  if (everything) return { protection: EVERYTHING, touch: everything };
  const byList = fences.length > 0 ? foundBy(fences, touches) : [];
  const standing = foundByStanding(touches, machine);
  const found = byList.length > 0 ? [...byList, ...standing] : standing;
  const blocked = found.find(({ protection }) => protection.severity === "block") ?? ownDirectory(touches, machine);
  if (blocked) return blocked;
  const unread = touches.find(({ path, isUnread }) => isUnread && isAround(path, machine.rootDir));
  return found[0] ?? (unread && { protection: UNREAD, touch: unread });
}

/** A protection made ready for one machine. */
interface Fence {
  readonly protection: Protection;
  readonly uses: readonly Touch["use"][];
  /** Whether a touch of such a use is one too many. */
  readonly hits: (touch: Touch) => boolean;
}

interface Found {
  readonly protection: Protection;
  readonly touch: Touch;
}

function foundBy(fences: readonly Fence[], touches: readonly Touch[]): readonly Found[] {
  const found: Found[] = [];
  for (const { protection, uses, hits } of fences) {
    for (const touch of touches) {
      if (!uses.includes(touch.use) || !hits(touch)) continue;
      found.push({ protection, touch });
      break;
    }
  }
  return found;
}

const fences = new WeakMap<Machine, WeakMap<Options, readonly Fence[]>>();

/** Machine and options stay the same from call to call: globs are compiled once. */
function listedFences(options: Options, machine: Machine): readonly Fence[] {
  const known = fences.get(machine)?.get(options);
  if (known) return known;
  const ready = listed(options).map((protection) => fence(protection, machine, true));
  const all = fences.get(machine) ?? new WeakMap<Options, readonly Fence[]>();
  fences.set(machine, all.set(options, ready));
  return ready;
}

/** Those that hold whatever is listed, and what they found last. */
interface Standing {
  readonly fences: readonly Fence[];
  /** Whether one of them may be against reading it. */
  readonly mayBeAgainstReading: TextMatcher;
  touches: readonly Touch[];
  found: readonly Found[];
}

const standing = new WeakMap<Machine, Standing>();

/** An agent may have this hook twice: what is the same for both is looked at once. */
function foundByStanding(touches: readonly Touch[], machine: Machine): readonly Found[] {
  const known = standingOf(machine);
  if (areOnlyRead(touches, known.mayBeAgainstReading)) return NOTHING;
  if (areSame(known.touches, touches)) return known.found;
  known.found = foundBy(known.fences, touches);
  known.touches = touches;
  return known.found;
}

const NOTHING: readonly Found[] = [];

/** Files that are read by their names, none of which anything that stands is against. */
function areOnlyRead(touches: readonly Touch[], mayBeAgainst: TextMatcher): boolean {
  for (const { use, path, wholeTree, into, isUnread, pattern } of touches) {
    if (use !== "read" || wholeTree || into !== undefined || isUnread || pattern !== undefined) return false;
    if (mayBeAgainst(path)) return false;
  }
  return true;
}

const standingOf = (machine: Machine): Standing => standing.get(machine) ?? makeStanding(machine);

function makeStanding(machine: Machine): Standing {
  const protections = [hostRegistration(machine.settingsGlobs), ...PROTECTIONS];
  const fences = protections.map((protection) => fence(protection, machine));
  const readGlobs = protections.flatMap(({ globs, against }) => (AGAINST[against].includes("read") ? globs : []));
  const mayBeAgainstReading = matcherFor(machine)(readGlobs);
  const made = { fences, mayBeAgainstReading, touches: [], found: [] };
  standing.set(machine, made);
  return made;
}

/** What is shipped is meant to the letter; what people list covers all that is below it. */
const fence = (protection: Protection, machine: Machine, isListed = false): Fence => ({
  protection,
  uses: AGAINST[protection.against],
  hits: hitsOf(protection, machine, isListed),
});

const areSame = (some: readonly Touch[], others: readonly Touch[]) =>
  some.length === others.length && some.every((touch, index) => isSame(touch, others[index] as Touch));

/** All of them: one that is forgotten lets through what the same words stood for before. */
const FIELDS = Object.keys({
  path: true,
  written: true,
  use: true,
  wholeTree: true,
  into: true,
  isUnread: true,
  pattern: true,
  named: true,
} satisfies Record<keyof Touch, true>) as readonly (keyof Touch)[];

const isSame = (one: Touch, other: Touch) => FIELDS.every((field) => one[field] === other[field]);

const listed = ({ write, read }: Options): Protection[] => [
  ...write.map((glob) => byConfig("write", glob)),
  ...read.map((glob) => byConfig("both", glob)),
];

const byConfig = (against: "write" | "both", glob: string): Protection => ({
  id: against === "both" ? "read" : "write",
  globs: [glob],
  against,
  severity: "block",
  why: `is protected by "${glob}"`,
  instead: "leave it as it is, go on with other files, or ask the person to make this change.",
});

/** Who takes the whole project or home takes more than what is protected in it; what exactly need not be listed. */
const takesEverything = ({ path, use, wholeTree }: Touch, { rootDir, homeDir }: Machine) =>
  use === "write" && wholeTree && [rootDir, homeDir].some((dir) => path === dir || isInside(dir, path));

const EVERYTHING: Protection = {
  id: "everything",
  globs: [],
  against: "write",
  severity: "block",
  why: "holds Holdfast's own files among others",
  instead: "name what you mean.",
};

const UNREAD: Protection = {
  id: "unread-patch",
  globs: [],
  against: "write",
  severity: "ask",
  why: "may be written over by a patch that nobody could read, Holdfast's own files included",
  instead: "save the patch to a file first and apply that file, so that it can be seen what it changes.",
};

/** Tightening the mode of a secret is no use of it; changing the mode of a rule is. */
const AGAINST: Readonly<Record<Protection["against"], readonly Touch["use"][]>> = {
  read: ["read"],
  write: ["write", "mode"],
  both: ["read", "write"],
};

/** Whether a path falls under any of the globs, as names are compared on this machine. */
const matcherFor =
  (machine: Machine) =>
  (globs: readonly string[]): TextMatcher => {
    const fold = foldOn(machine);
    const homeDir = fold(machine.homeDir);
    const matches = pathMatcher(
      globs.map((glob) => fromHome(fold(glob), homeDir)),
      fold(machine.rootDir),
    );
    return machine.ignoresCase ? (path) => matches(fold(path)) : matches;
  };

function hitsOf({ globs, except = [] }: Protection, machine: Machine, isListed: boolean): Fence["hits"] {
  const fold = foldOn(machine);
  const [rootDir, homeDir] = [fold(machine.rootDir), fold(machine.homeDir)];
  const matcherOf = matcherFor(machine);
  const [isProtected, isExcepted] = [isListed ? coveredBy(globs, machine) : matcherOf(globs), matcherOf(except)];
  const placesOf = isListed ? placedListed : placedGlobs;
  const placed = globs.flatMap((glob) => placesOf(fold(glob), rootDir, homeDir));
  const fixedParts = placed.map(fixedPart);
  const specimens = placed.map(({ place, glob }) => place + glob.replace(/\*+/g, UNKNOWN));
  const isAbove = (path: string) => fixedParts.some((part) => isInside(part, path));
  // Like the root, .github is full of files that are not ours: a few more in it say nothing.
  const mayLand = (path: string, into: Landing) =>
    isProtected(`${path}/${UNKNOWN}`) ||
    (!isAround(path, rootDir, homeDir) &&
      (into === "below"
        ? fixedParts.some((part) => holds(path, part))
        : path !== below(rootDir, ".github") && specimens.some((specimen) => parentOf(specimen) === path)));
  const wholeDirectories = placed.filter(({ glob }) => glob.endsWith("/**")).map(fixedPart);
  const isMeant = (pattern: string, isTree: boolean) => {
    const matches = pathMatcher(isTree ? [pattern, `${pattern}/**`] : [pattern], rootDir);
    return specimens.some(matches) || wholeDirectories.some((directory) => reachesInto(pattern, directory, rootDir));
  };
  return (touch) => {
    const path = fold(touch.path);
    const isHit =
      isProtected(touch.path) ||
      (touch.into !== undefined && mayLand(path, touch.into)) ||
      (touch.wholeTree && isAbove(path)) ||
      (touch.pattern !== undefined &&
        touch.use !== "read" &&
        isMeant(fold(touch.pattern), touch.wholeTree || touch.into === "below"));
    return isHit && !isExcepted(touch.path);
  };
}

/** `.git/h?oks/x`: the directory that its first parts may name is protected with all that is in it. */
function reachesInto(pattern: string, directory: string, rootDir: string): boolean {
  const parts = pattern.split("/");
  const above = parts.slice(0, directory.split("/").length);
  if (above.length === parts.length || above.includes("**")) return false;
  return globMatches(above.join("/"), directory, rootDir);
}

const holds = (directory: string, path: string) => path === directory || isInside(path, directory);
const isAround = (path: string, ...dirs: readonly string[]) => dirs.some((dir) => holds(path, dir));
const parentOf = (path: string) => path.slice(0, path.lastIndexOf("/"));

/** Holdfast's own directories outside the project, and whole trees that contain what is ours. */
function ownDirectory(touches: readonly Touch[], machine: Machine) {
  const { rootDir, homeDir } = machine;
  const touch = touches.find(
    ({ path, use, wholeTree, into, pattern }) =>
      use !== "read" &&
      machine.ownPaths.some(
        (own) =>
          path === own ||
          isInside(path, own) ||
          ((wholeTree || (into && !isAround(path, rootDir, homeDir))) && isInside(own, path)) ||
          (pattern !== undefined && globMatches(pattern, own, rootDir)),
      ),
  );
  const protection = PROTECTIONS.find(({ id }) => id === "own-files");
  return touch && protection ? { touch, protection } : undefined;
}

/** What could not be looked at to its end may name in the rest of it whatever is protected. */
function unseenVerdict(event: EventOf<"pre_tool_use">, machine: Machine): Verdict {
  if (!isUnseen(event, machine)) return NO_OPINION;
  const reason =
    "The call does more than can be looked at, and may change protected files, Holdfast's own included.\n" +
    "Do instead: do it in several smaller calls, or let the person decide.";
  return { opinion: { kind: "ask", rule: "protected-paths/unseen", reason } };
}

function isUnseen(event: EventOf<"pre_tool_use">, machine: Machine): boolean {
  const { tool, metadata } = event;
  if (tool.kind === "mcp" && mcpFiles(tool, metadata).isUnseen === true) return true;
  return commandsRun(event, machine).some(({ tool: { command }, cwd }) =>
    machine.analyse(command, cwd).effects.some(({ effect }) => effect.type === "unclear" && effect.unseen),
  );
}

const verdictOf = ({ protection, touch }: { protection: Protection; touch: Touch }): Verdict => ({
  opinion: {
    kind: protection.severity,
    rule: `protected-paths/${protection.id}`,
    reason: `${touch.written} ${protection.why}.\nDo instead: ${protection.instead}`,
  },
});
