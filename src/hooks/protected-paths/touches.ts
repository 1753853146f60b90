/** Which files a call would use, through file tools, MCP tools, patches and shell commands alike. */
import type { EventOf } from "../../core/event.ts";
import type { ToolKind } from "../../core/tool.ts";
import { UNKNOWN } from "../../shell/arg.ts";
import { mayMakeFiles } from "../../shell/bystanders.ts";
import type { FoundEffect, Landing, Target } from "../../shell/effect.ts";
import { below, isInside, normal } from "../../shell/places.ts";
import type { Machine } from "../builtin.ts";
import { commandsRun } from "../commands-run.ts";
import { wildcardMatcher } from "../path-glob.ts";
import { type McpFiles, mcpFiles } from "./mcp-files.ts";

/** One file a call would use. */
export interface Touch {
  readonly path: string;
  readonly written: string;
  /** `directory`: an empty one is made, which only matters where Holdfast keeps what is its own. */
  readonly use: "read" | "write" | "mode" | "directory";
  /** Everything below a directory: what is protected inside it goes with it. */
  readonly wholeTree: boolean;
  /** Files that nobody can name are written in the directory. In a project's root they are hardly ever what is ours. */
  readonly into?: Landing | undefined;
  /** What names them could not be read. */
  readonly isUnread?: boolean | undefined;
  /** The path has wildcards, or parts that nobody knows: a glob that it falls under. */
  readonly pattern?: string | undefined;
  /** The files whose names a wildcard stands for. */
  readonly named?: string | undefined;
}

const WRITES: readonly ToolKind[] = ["write", "edit"];
const READS: readonly ToolKind[] = ["read", "search"];

export function touchesOf(event: EventOf<"pre_tool_use">, machine: Machine): Touch[] {
  const { tool, cwd } = event;
  if (READS.includes(tool.kind)) return fileTouches({ paths: tool.paths, use: "read", wholeTree: false }, cwd, machine);
  if (WRITES.includes(tool.kind))
    return fileTouches({ paths: tool.paths, use: "write", wholeTree: false }, cwd, machine);
  const touches = commandsRun(event, machine).flatMap((run) =>
    machine.analyse(run.tool.command, run.cwd).effects.flatMap((found) => shellTouches(found, machine)),
  );
  return tool.kind === "mcp" ? [...fileTouches(mcpFiles(tool, event.metadata), cwd, machine), ...touches] : touches;
}

function fileTouches(files: McpFiles, cwd: string, machine: Machine): Touch[] {
  const touches: Touch[] = [];
  for (const written of files.paths) {
    addTouches(touches, written, files, cwd, machine);
    // Some tools take the blanks off that stand around a path.
    const trimmed = written.trim();
    if (trimmed !== written) addTouches(touches, trimmed, files, cwd, machine);
  }
  return touches;
}

function addTouches(
  touches: Touch[],
  written: string,
  { use, wholeTree }: McpFiles,
  cwd: string,
  machine: Machine,
): void {
  const path = machine.realPath(written, cwd);
  touches.push({ path, written, use, wholeTree });
  const link = use === "write" ? placeOfName(written, cwd, machine) : path;
  if (link !== path) touches.push({ path: link, written, use, wholeTree: false });
}

/** Where a name stands, wherever it leads. */
function placeOfName(written: string, cwd: string, machine: Machine): string {
  const slash = written.lastIndexOf("/");
  const last = written.slice(slash + 1);
  if (["", ".", "..", "~"].includes(last)) return machine.realPath(written, cwd);
  const directory = machine.realPath(slash < 0 ? "." : written.slice(0, slash + 1), cwd);
  return below(directory, last);
}

function shellTouches({ effect, elsewhere }: FoundEffect, machine: Machine): Touch[] {
  const { rootDir } = machine;
  const touch = (target: Target, use: Touch["use"], wholeTree = false): Touch[] => {
    const { written, contents, named } = target;
    const path = target.path ?? inUnknownDirectory(target, rootDir, elsewhere !== undefined);
    if (path === undefined) return [];
    const isKnown = target.path !== undefined || target.inRepository === true;
    const pattern = isKnown && use !== "read" ? patternOf(target, path, machine) : undefined;
    const found = { path, written, use, wholeTree: isKnown && (wholeTree || contents), pattern, named };
    return target.link === undefined || use === "read"
      ? [found]
      : [found, { path: target.link, written, use, wholeTree: false }];
  };
  switch (effect.type) {
    case "delete":
      // `find . -name x -delete` picks some files out of a tree, not the tree.
      return effect.recursive && isAnywhere(effect.path)
        ? []
        : touch(
            effect.path,
            "write",
            effect.recursive && (effect.path.contents || !effect.path.glob || hasWildcard(effect.path.written)),
          );
    case "overwrite":
      return touch(effect.path, "write").map((found) => ({ ...found, into: effect.lands, isUnread: effect.unread }));
    case "make":
      return effect.what === "file" && !namesMany(effect.path)
        ? touch(effect.path, "write")
        : touch(effect.path, "directory").map((found) => ({ ...found, wholeTree: false, pattern: undefined }));
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

/** Wildcards and what `find` gives stand for files that are there: made anew, they are as they were. */
const namesMany = ({ glob, contents, path }: Target) => glob || contents || path?.includes(UNKNOWN) === true;

/** `rm -rf "$DIR/.git"`: whoever judges deletions asks about it, and a clone in a scratch directory is not the project. */
const isAnywhere = ({ path, inRepository }: Target) => path === undefined && !inRepository;

/**
 * `"$DIR/holdfast.yaml"`, `cd "$DIR" && rm holdfast.yaml`: where nobody knows which directory is meant, it may be the
 * project's; on another machine it is not.
 */
function inUnknownDirectory(
  { written, contents, glob, inRepository }: Target,
  rootDir: string,
  isElsewhere: boolean,
): string | undefined {
  const isRelative = !written.includes("$\u2026") && !isElsewhere;
  const rest = isRelative ? written : /^.*\$\u2026\/(.+)$/s.exec(written)?.[1];
  if (rest === undefined || (glob && !inRepository) || (isRelative && /^[/~]/.test(rest))) return undefined;
  return normal(`${rootDir}/${contents ? rest.replace(/[^/]+$/, "") : rest}`);
}

const hasWildcard = (path: string) => /[*?[(]/.test(path);

/** A glob that names at least what the shell's wildcard names; what is unknown may be any name, but hardly one of ours. */
function patternOf({ glob, written }: Target, path: string, { rootDir, homeDir }: Machine): string | undefined {
  if (path.endsWith(`/${UNKNOWN}`)) {
    const directory = path.slice(0, -UNKNOWN.length - 1);
    if ([rootDir, homeDir].some((dir) => dir === directory || isInside(dir, directory))) return undefined;
    const unknown = written.indexOf("$\u2026");
    const rest = unknown < 0 ? "*" : written.slice(written.lastIndexOf("/", unknown) + 1).replaceAll("$\u2026", "*");
    return below(directory, rest);
  }
  if (!glob) return throughVariable(path, rootDir, homeDir);
  // What the project's own path is made of was not written as a wildcard.
  const place = [rootDir, homeDir].find((dir) => isInside(path, dir)) ?? "";
  return place + asGlob(path.slice(place.length));
}

/** `for f in .claude/*; do rm "$f"`: a wildcard in a name that is none came from a variable, and stands for files there. */
function throughVariable(path: string, ...around: readonly string[]): string | undefined {
  const wildcard = path.search(/[*?[]/);
  if (wildcard < 0) return undefined;
  const directory = path.slice(0, path.lastIndexOf("/", wildcard));
  return around.some((dir) => dir === directory || isInside(dir, directory)) ? undefined : asGlob(path);
}

/**
 * Brackets as any character, lists of choices as any text. A bracket that is closed twice may have had a quoted one in it:
 * `[s\]]` is then any text.
 */
const asGlob = (pattern: string) =>
  pattern
    .replace(/[@+!?*]\([^()]*\)/g, "*")
    .replace(/\[:\w+:\]/g, "x")
    .replace(/\[[!^]?\]?[^\]]*\]([^[\]/]*\])*/g, (_, again: string | undefined) => (again === undefined ? "?" : "*"));

/**
 * The same with the files that wildcards name, where they can be known: nothing else in the command line may put files
 * there, and every directory can be looked into. undefined: they cannot.
 */
export function withNamesFound(
  touches: readonly Touch[],
  { tool, cwd }: EventOf<"pre_tool_use">,
  machine: Machine,
): Touch[] | undefined {
  if (tool.kind !== "shell" || !touches.some(({ named }) => named !== undefined)) return undefined;
  if (machine.analyse(tool.command, cwd).invocations.filter(mayMakeFiles).length > 1) return undefined;
  const found: Touch[] = [];
  for (const touch of touches) {
    const names = touch.named === undefined ? undefined : namesFor(touch.named, machine);
    if (touch.named !== undefined && names === undefined) return undefined;
    if (names === undefined) found.push(touch);
    else for (const name of names) found.push(withName(touch, name, machine));
  }
  return found;
}

function namesFor(pattern: string, machine: Machine): string[] | undefined {
  const slash = pattern.lastIndexOf("/");
  const last = pattern.slice(slash + 1);
  const matches = wildcardMatcher(asGlob(last));
  // A name with a dot in front is only found by a wildcard that has one.
  return machine
    .namesIn(pattern.slice(0, slash) || "/")
    ?.filter((name) => (last.startsWith(".") || !name.startsWith(".")) && matches(name));
}

function withName({ path, use, wholeTree, into, pattern, named }: Touch, name: string, machine: Machine): Touch {
  const isDirectory = (into !== undefined && pattern === undefined) || (named && parentOf(named) === path);
  const directory = isDirectory ? path : parentOf(path);
  const written = below(directory, name);
  return { path: machine.realPath(written, "/"), written, use, wholeTree, into };
}

const parentOf = (path: string) => path.slice(0, path.lastIndexOf("/"));
