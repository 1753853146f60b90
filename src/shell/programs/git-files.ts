/** What git does to single files: those it moves, and those it writes a result into. */
import type { Arg } from "../arg.ts";
import type { CommandEffect } from "../effect.ts";
import { has, readOptions } from "../options.ts";
import type { ProgramContext } from "../programs.ts";
import { moved } from "./files.ts";

export const move = (args: readonly Arg[], { target }: ProgramContext): CommandEffect[] => {
  const options = readOptions(args);
  const to = options.operands.at(-1);
  if (!to || has(options, "n", "dry-run")) return [];
  return moved(options.operands.slice(0, -1), to, target);
};

export const bundle = ([verb, file]: readonly Arg[], { target }: ProgramContext): CommandEffect[] =>
  verb?.text === "create" && file ? [{ type: "overwrite", path: target(file), append: false }] : [];

/** `git diff --output=file`, `git archive -o file`, `git format-patch -o directory`. */
export function outputs(verb: string, args: readonly Arg[], { target }: ProgramContext): CommandEffect[] {
  if (!/^(archive|format-patch|diff|log|show)$/.test(verb)) return [];
  const short = verb === "archive" || verb === "format-patch" ? ["o"] : [];
  const { values } = readOptions(args, { valued: ["output", "output-directory", ...short] });
  const named = values.get("output") ?? values.get("output-directory") ?? values.get("o");
  if (!named) return [];
  const path = target(named);
  return verb === "format-patch"
    ? [{ type: "overwrite", path, append: true, lands: "in" }]
    : [{ type: "overwrite", path, append: false }];
}

/** `git checkout x` takes a branch or a file; these can hardly be branches. */
export const looksLikePath = (text: string) =>
  /^(\.{1,2}|:\/|:\(.*)$|^\.{0,2}\/|\/$|^:[/!^(]/.test(text) ||
  (/\.[a-z][a-z0-9]{0,7}$/i.test(text) && FILE_ENDING.test(text));

const FILE_ENDING =
  /\.(c|cc|cpp|cs|css|csv|dart|env|ex|exs|go|gradle|h|hpp|html?|ini|ipynb|java|js|json|jsx|kt|less|lock|lua|m|md|mjs|cjs|mts|cts|php|pl|proto|py|r|rb|rs|rst|scala|scss|sh|sql|svelte|svg|swift|tf|toml|ts|tsx|txt|vue|xml|ya?ml|zig|png|jpe?g|pdf|bak|cfg|conf|log|gitignore)$/i;
