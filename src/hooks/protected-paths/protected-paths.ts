/** Files an agent may not write, or not even read: through file tools, patches and shell commands alike. */
import { type EventOf, hasTool } from "../../core/event.ts";
import { list, type ShapeOf, text } from "../../core/fields.ts";
import type { ToolKind } from "../../core/tool.ts";
import { NO_OPINION, type Verdict } from "../../core/verdict.ts";
import type { CommandEffect, Target } from "../../shell/effect.ts";
import { isInside } from "../../shell/places.ts";
import type { BuiltinHook, Machine } from "../builtin.ts";
import { pathMatcher } from "../path-glob.ts";
import { hostRegistration, PROTECTIONS, type Protection } from "./protections.ts";

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
  judge(event, { options }, machine) {
    if (event.name !== "pre_tool_use" || !hasTool(event)) return NO_OPINION;
    const touches = touchesOf(event, machine);
    const everything = touches.find((touch) => takesEverything(touch, machine));
    if (everything) return verdictOf({ protection: EVERYTHING, touch: everything });
    if (touches.length === 0) return NO_OPINION;
    const found = fencesOf(options as unknown as Options, machine).flatMap(({ protection, hits }) => {
      const touch = touches.find(hits);
      return touch ? [{ protection, touch }] : [];
    });
    const worst =
      found.find(({ protection }) => protection.severity === "block") ?? found[0] ?? ownDirectory(touches, machine);
    return worst ? verdictOf(worst) : NO_OPINION;
  },
};

/** A protection made ready for one machine. */
interface Fence {
  readonly protection: Protection;
  readonly hits: (touch: Touch) => boolean;
}

const fences = new WeakMap<Machine, WeakMap<Options, readonly Fence[]>>();

/** Machine and options stay the same from call to call: globs are compiled once. */
function fencesOf(options: Options, machine: Machine): readonly Fence[] {
  const known = fences.get(machine) ?? new WeakMap<Options, readonly Fence[]>();
  fences.set(machine, known);
  const ready = known.get(options) ?? madeReady(options, machine);
  known.set(options, ready);
  return ready;
}

const madeReady = (options: Options, machine: Machine): readonly Fence[] =>
  [...listed(options), hostRegistration(machine.settingsGlobs), ...PROTECTIONS].map((protection) => ({
    protection,
    hits: hitsOf(protection, machine),
  }));

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

/** One file a call would use. */
interface Touch {
  readonly path: string;
  readonly written: string;
  readonly use: "read" | "write" | "mode";
  /** Everything below a directory: what is protected inside it goes with it. */
  readonly wholeTree: boolean;
}

const WRITES: readonly ToolKind[] = ["write", "edit"];
const READS: readonly ToolKind[] = ["read", "search"];

function touchesOf(event: EventOf<"pre_tool_use">, machine: Machine): Touch[] {
  const { tool, cwd } = event;
  if (tool.kind === "shell") {
    return machine.analyse(tool.command, cwd).effects.flatMap(({ effect }) => shellTouches(effect));
  }
  if (!WRITES.includes(tool.kind) && !READS.includes(tool.kind)) return [];
  const use = WRITES.includes(tool.kind) ? "write" : "read";
  return tool.paths.map((written) => ({ path: machine.realPath(written, cwd), written, use, wholeTree: false }));
}

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

function shellTouches(effect: CommandEffect): Touch[] {
  const touch = (target: Target, use: Touch["use"], wholeTree = false): Touch[] =>
    target.path === undefined
      ? []
      : [{ path: target.path, written: target.written, use, wholeTree: wholeTree || target.contents }];
  switch (effect.type) {
    case "delete":
      // `find . -name x -delete` picks some files out of a tree, not the tree.
      return touch(effect.path, "write", effect.recursive && (effect.path.contents || !effect.path.glob));
    case "overwrite":
      return touch(effect.path, "write");
    case "permissions":
      return touch(effect.path, "mode");
    case "move":
      return [...touch(effect.from, "write", true), ...touch(effect.to, "write")];
    case "read":
      return touch(effect.path, "read");
    default:
      return [];
  }
}

/** Tightening the mode of a secret is no use of it; changing the mode of a rule is. */
const AGAINST: Readonly<Record<Protection["against"], readonly Touch["use"][]>> = {
  read: ["read"],
  write: ["write", "mode"],
  both: ["read", "write"],
};

function hitsOf({ globs, except = [], against }: Protection, machine: Machine): Fence["hits"] {
  const fold = (text: string) => (machine.ignoresCase ? text.toLowerCase() : text);
  const [rootDir, homeDir] = [fold(machine.rootDir), fold(machine.homeDir)];
  const matcherOf = (all: readonly string[]) =>
    pathMatcher(
      all.map((glob) => fold(glob).replace(/^~/, homeDir)),
      rootDir,
    );
  const [isProtected, isExcepted] = [matcherOf(globs), matcherOf(except)];
  const fixedParts = globs.map((glob) => fixedPart(fold(glob), rootDir, homeDir));
  return (touch) => {
    if (!AGAINST[against].includes(touch.use)) return false;
    const path = fold(touch.path);
    if (isExcepted(path)) return false;
    return isProtected(path) || (touch.wholeTree && fixedParts.some((part) => isInside(part, path)));
  };
}

/** The part of a glob before its first wildcard: what lies there goes with the tree around it. */
function fixedPart(glob: string, rootDir: string, homeDir: string): string {
  if (!glob.includes("/") && !glob.startsWith("~")) return NOWHERE;
  const absolute = glob.startsWith("/")
    ? glob
    : glob.startsWith("~")
      ? glob.replace("~", homeDir)
      : `${rootDir}/${glob}`;
  const parts = absolute.split("/");
  const wild = parts.findIndex((part) => /[*?]/.test(part));
  return wild < 0 ? absolute : parts.slice(0, wild).join("/");
}

/** A name alone may be anywhere: no tree is known to hold it. */
const NOWHERE = "";

/** Holdfast's own directories outside the project, and whole trees that contain what is ours. */
function ownDirectory(touches: readonly Touch[], machine: Machine) {
  const touch = touches.find(
    ({ path, use, wholeTree }) =>
      use !== "read" &&
      machine.ownPaths.some((own) => path === own || isInside(path, own) || (wholeTree && isInside(own, path))),
  );
  const protection = PROTECTIONS.find(({ id }) => id === "own-files");
  return touch && protection ? { touch, protection } : undefined;
}

const verdictOf = ({ protection, touch }: { protection: Protection; touch: Touch }): Verdict => ({
  opinion: {
    kind: protection.severity,
    rule: `protected-paths/${protection.id}`,
    reason: `${touch.written} ${protection.why}.\nDo instead: ${protection.instead}`,
  },
});
