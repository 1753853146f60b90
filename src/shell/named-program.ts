import type { Arg } from "./arg.ts";
import { gitEnvironment } from "./git-settings.ts";
import type { Invocation } from "./invocation.ts";
import { inKnownCase } from "./known-case.ts";
import { searchedDirectories } from "./searched-directories.ts";

/** The program that a word names, with all that the shell gives it. */
export function namedProgram(
  name: Arg,
  args: readonly Arg[],
  { redirects, stdin, env: given, source }: Pick<Invocation, "redirects" | "stdin" | "env" | "source">,
  variable: (name: string) => string | undefined,
): Omit<Invocation, "cwd" | "via"> {
  const [program, known] = inKnownCase(name.text.slice(name.text.lastIndexOf("/") + 1), args);
  const env = program === "git" ? gitEnvironment({ args: known, env: given }, variable) : given;
  const plain: Omit<Invocation, "cwd" | "via"> = { program, args: known, redirects, stdin, env, source };
  const placed = name.text.includes("/") ? { ...plain, path: name } : plain;
  const searched = searchedDirectories(plain, variable);
  const found = searched.length > 0 ? { ...placed, searched } : placed;
  return name.from ? { ...found, from: name.from } : found;
}
