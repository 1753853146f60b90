/** Links and mounts that a command line makes itself: what it then does to their names is done to what they lead to. */
import { type Arg, arg } from "./arg.ts";
import type { Invocation } from "./invocation.ts";
import { isContainerTool, mountsIn } from "./mounts.ts";
import { has, readOptions } from "./options.ts";
import { below, normal, type Surroundings, targetOf } from "./places.ts";

export interface LinksMade {
  makes(invocation: Invocation): boolean;
  /** The same machine, with the links on it. */
  readonly surroundings: Surroundings;
}

export function linksMade(invocations: readonly Invocation[], surroundings: Surroundings): LinksMade | undefined {
  const makers = new Set(invocations.filter(mayLink));
  if (makers.size === 0) return undefined;
  const links = new Map<string, string>();
  for (const maker of makers) for (const [name, to] of linksOf(maker, surroundings)) links.set(name, to);
  const realPath = (path: string) => surroundings.realPath(through(path, links));
  return { makes: (invocation) => makers.has(invocation), surroundings: { ...surroundings, realPath } };
}

const mayLink = ({ program, args }: Invocation) =>
  program === "ln" ||
  isContainerTool(program) ||
  (program === "cp" && has(readOptions(args), "l", "s", "link", "symbolic-link"));

function linksOf({ program, args, cwd }: Invocation, surroundings: Surroundings): (readonly [string, string])[] {
  if (isContainerTool(program))
    return mountsIn(args).flatMap(({ from, to }) => {
      const { path } = targetOf(from, cwd, surroundings);
      return path === undefined ? [] : [[normal(to), path] as const];
    });
  const options = readOptions(args, { valued: ["t", "target-directory", "S", "suffix"] });
  const into = options.values.get("t") ?? options.values.get("target-directory");
  const given = options.operands;
  const [to, sources] = into
    ? [into, given]
    : given.length === 1
      ? [arg("."), given]
      : [given.at(-1), given.slice(0, -1)];
  if (!to) return [];
  const pathOf = (word: Arg, from: string | undefined) => targetOf(word, from, surroundings).path;
  const place = pathOf(to, cwd);
  if (place === undefined) return [];
  const isByName = has(options, "s", "symbolic", "symbolic-link") && program === "ln";
  return sources.flatMap((source) => {
    const base = source.text.replace(/\/+$/, "");
    const inside = below(place, base.slice(base.lastIndexOf("/") + 1));
    // A directory takes the link into itself; nobody knows whether it is one.
    return [place, inside].flatMap((name) => {
      const path = pathOf(source, isByName ? name.slice(0, name.lastIndexOf("/")) || "/" : cwd);
      return path === undefined || path === name ? [] : [[name, path] as const];
    });
  });
}

/** As many as a system follows before it calls them a circle. */
const MOST_FOLLOWED = 40;

function through(path: string, links: ReadonlyMap<string, string>): string {
  let place = path;
  for (let followed = 0; followed < MOST_FOLLOWED; followed++) {
    const name = nameAbove(place, links);
    if (name === undefined) break;
    place = normal(`${links.get(name)}/${place.slice(name.length)}`);
  }
  return place;
}

/** The path itself or a directory above it. */
function nameAbove(path: string, links: ReadonlyMap<string, string>): string | undefined {
  for (let name = path; name !== ""; name = name.slice(0, name.lastIndexOf("/"))) if (links.has(name)) return name;
  return undefined;
}
