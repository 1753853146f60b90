import type { Pattern } from "../core/match.ts";

/** A glob on a tool's name: `*` any text, `?` one character, `{a,b}` either. No name can make it hang. */
export function namePattern(source: string): Pattern {
  const globs = alternatives(source).map((glob) => [...glob]);
  return { source, test: (name) => globs.some((glob) => matches(glob, [...name])) };
}

function alternatives(glob: string): readonly string[] {
  const [braces, inside] = /\{([^{}]*)\}/.exec(glob) ?? [];
  if (braces === undefined || inside === undefined) return [glob];
  return inside.split(",").flatMap((choice) => alternatives(glob.replace(braces, () => choice)));
}

/** Goes back to the last star only, so the work is at most glob times name. */
function matches(glob: readonly string[], name: readonly string[]): boolean {
  let part = 0;
  let at = 0;
  let star: { part: number; at: number } | undefined;
  while (at < name.length) {
    if (glob[part] === "*") {
      star = { part, at };
      part += 1;
    } else if (glob[part] === "?" || glob[part] === name[at]) {
      part += 1;
      at += 1;
    } else if (star) {
      star = { part: star.part, at: star.at + 1 };
      part = star.part + 1;
      at = star.at;
    } else return false;
  }
  return glob.slice(part).every((rest) => rest === "*");
}
