/**
 * Path globs as people write them in rules. What a glob names it covers with all that is below it, as .gitignore does:
 * `infra`, `infra/` and `infra/**`. `./x` is x at the project's root; `{a,b}` is either.
 */
export interface CoveringGlobs {
  /** No slash but perhaps a last one: the name, wherever it stands. */
  readonly names: readonly string[];
  /** From the project's root, with `/` from the machine's, with `~/` from home; each ends in `/**`. */
  readonly paths: readonly string[];
}

/** Throws where `globProblem` finds one. */
export function coveringGlobs(written: string): CoveringGlobs {
  const problem = globProblem(written);
  if (problem) throw new Error(problem);
  const names: string[] = [];
  const paths: string[] = [];
  for (const glob of eitherOf(written)) {
    const parts = glob.split("/").filter((part) => part !== "" && part !== ".");
    const [first = "", second] = parts;
    const isName = second === undefined && !/^\.?\//.test(glob) && !["", "~", ".."].includes(first);
    if (isName) names.push(first);
    else paths.push(withAllBelow(parts, glob.startsWith("/")));
  }
  return { names, paths };
}

function withAllBelow(parts: readonly string[], isAbsolute: boolean): string {
  if (isAbsolute) return `/${endingInAny(parts).join("/")}`;
  // Alone, `**` would be a name.
  return parts.length === 0
    ? "**/**"
    : endingInAny(parts)
        .join("/")
        .replace(/^\*\*$/, "**/**");
}

const endingInAny = (parts: readonly string[]) => (parts.at(-1) === "**" ? parts : [...parts, "**"]);

/** Why a glob cannot be used, and what to write. */
export function globProblem(written: string): string | undefined {
  if (written.trim() === "") return 'an empty glob covers nothing; name a path, such as "infra/**", or remove it';
  if (written.startsWith("!"))
    return `"${written}" covers nothing: there are no exceptions among path globs; list what is meant without it, such as "infra/{dev,test}/**" (a name that begins with ! is "./${written}")`;
  return eitherOf(written).length > MOST_CHOICES
    ? `"${written}" stands for more than ${MOST_CHOICES} paths`
    : undefined;
}

const MOST_CHOICES = 256;

/** Braces with a comma are choices; others are characters like any, as in a shell. */
function eitherOf(glob: string): readonly string[] {
  for (let open = glob.indexOf("{"); open >= 0; open = glob.indexOf("{", open + 1)) {
    const choices = choicesAt(glob, open);
    if (!choices) continue;
    const all: string[] = [];
    for (const choice of choices.texts) {
      if (all.length > MOST_CHOICES) break;
      all.push(...eitherOf(glob.slice(0, open) + choice + glob.slice(choices.end)));
    }
    return all;
  }
  return [glob];
}

function choicesAt(glob: string, open: number): { texts: readonly string[]; end: number } | undefined {
  const texts: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < glob.length; at++) {
    const character = glob[at];
    if (character === "{") depth += 1;
    else if (character === "," && depth === 1) {
      texts.push(glob.slice(start, at));
      start = at + 1;
    } else if (character === "}") {
      depth -= 1;
      if (depth > 0) continue;
      return texts.length === 0 ? undefined : { texts: [...texts, glob.slice(start, at)], end: at + 1 };
    }
  }
  return undefined;
}
