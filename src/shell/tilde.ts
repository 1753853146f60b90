/** `~`, `~+` and `~-` at the beginning of a word. */
import { UNKNOWN } from "./arg.ts";
import type { Scope } from "./scope.ts";

/** Of `~1` and its kin, nobody keeps count. */
export function withoutTilde(text: string, homeDir: string, { cwd, alsoIn, variables }: Scope): string {
  return text.replace(/^~([+-]?\d*)(?=\/|$)/, (_, which: string) => {
    if (which === "") return homeDir;
    if (which === "+") return alsoIn.length === 0 ? (cwd ?? ".") : ".";
    return which === "-" ? (variables.get("OLDPWD") ?? UNKNOWN) : UNKNOWN;
  });
}
