/** Files an agent may not write, or not even read: through file tools, patches and shell commands alike. */
import { type EventOf, hasTool } from "../../core/event.ts";
import { list, type ShapeOf, text } from "../../core/fields.ts";
import type { ToolKind } from "../../core/tool.ts";
import { NO_OPINION, type Verdict } from "../../core/verdict.ts";
import type { CommandEffect, Target } from "../../shell/effect.ts";
import { isInside } from "../../shell/places.ts";
import type { BuiltinHook, Machine } from "../builtin.ts";
import { globMatches } from "../path-glob.ts";
import { PROTECTIONS, type Protection } from "./protections.ts";

const OPTIONS = {
  write: list(text(), "globs of files that may not be written"),
  read: list(text(), "globs of files that may not be read or written"),
};

export const protectedPaths: BuiltinHook = {
  name: "protected-paths",
  doc: "keeps agents away from Holdfast's own files, host registrations, CI, secrets and the paths listed",
  on: ["pre_tool_use"],
  guards: true,
  onError: "block",
  priority: 0,
  options: OPTIONS,
  defaults: { write: [], read: [] },
  judge(event, { options }, machine) {
    if (event.name !== "pre_tool_use" || !hasTool(event)) return NO_OPINION;
    const protections = [...listed(options as unknown as ShapeOf<typeof OPTIONS>), ...PROTECTIONS];
    const touches = touchesOf(event, machine);
    const found = protections.flatMap((protection) => {
      const touch = touches.find((candidate) => hits(protection, candidate, machine));
      return touch ? [{ protection, touch }] : [];
    });
    const worst =
      found.find(({ protection }) => protection.severity === "block") ?? found[0] ?? ownDirectory(touches, machine);
    return worst ? verdictOf(worst) : NO_OPINION;
  },
};

const listed = ({ write, read }: ShapeOf<typeof OPTIONS>): Protection[] => [
  ...write.map((glob) => byConfig("write", glob)),
  ...read.map((glob) => byConfig("read", glob)),
];

const byConfig = (against: "read" | "write", glob: string): Protection => ({
  id: against,
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
  readonly writes: boolean;
  /** Everything below a directory: what is protected inside it goes with it. */
  readonly wholeTree: boolean;
}

const WRITES: readonly ToolKind[] = ["write", "edit"];
const READS: readonly ToolKind[] = ["read", "search"];

function touchesOf(event: EventOf<"pre_tool_use">, machine: Machine): Touch[] {
  const { tool, cwd } = event;
  if (tool.kind === "shell")
    return machine.analyse(tool.command, cwd).effects.flatMap(({ effect }) => shellTouches(effect));
  if (!WRITES.includes(tool.kind) && !READS.includes(tool.kind)) return [];
  const writes = WRITES.includes(tool.kind);
  return tool.paths.map((written) => ({ path: machine.realPath(written, cwd), written, writes, wholeTree: false }));
}

function shellTouches(effect: CommandEffect): Touch[] {
  const touch = (target: Target, writes: boolean, wholeTree = false): Touch[] =>
    target.path === undefined
      ? []
      : [{ path: target.path, written: target.written, writes, wholeTree: wholeTree || target.contents }];
  switch (effect.type) {
    case "delete":
      return touch(effect.path, true, effect.recursive);
    case "overwrite":
      return touch(effect.path, true);
    case "permissions":
      return touch(effect.path, true, effect.recursive);
    case "move":
      return [...touch(effect.from, true, true), ...touch(effect.to, true)];
    case "read":
      return touch(effect.path, false);
    default:
      return [];
  }
}

function hits(protection: Protection, touch: Touch, machine: Machine): boolean {
  if (!touch.writes && protection.against === "write") return false;
  const fold = (text: string) => (machine.ignoresCase ? text.toLowerCase() : text);
  const [rootDir, homeDir, path] = [fold(machine.rootDir), fold(machine.homeDir), fold(touch.path)];
  const matches = (glob: string) => globMatches(fold(glob).replace(/^~/, homeDir), path, rootDir);
  if (protection.except?.some(matches)) return false;
  return protection.globs.some(
    (glob) => matches(glob) || (touch.wholeTree && isInside(fixedPart(fold(glob), rootDir, homeDir), path)),
  );
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
    ({ path, writes, wholeTree }) =>
      writes &&
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
