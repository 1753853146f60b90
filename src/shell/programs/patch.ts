/** apply_patch, which Codex answers itself, also where it stands in a shell command: a patch as its argument or its input. */
import { type FilePatch, parsePatch } from "../../core/patch.ts";
import { arg, UNKNOWN } from "../arg.ts";
import type { CommandEffect } from "../effect.ts";
import type { Program, ProgramContext, Programs } from "../programs.ts";

const applyPatch: Program = ({ args }, context) => {
  const text = args[0]?.text ?? context.input;
  const files = text === undefined ? [] : parsePatch(text);
  // A patch that only exists when the command runs may be about any file.
  if (text === undefined || text.includes(UNKNOWN)) return [...effectsOf(files, context), anyFile(context)];
  return effectsOf(files, context);
};

export const PATCH: Programs = { apply_patch: applyPatch, applypatch: applyPatch };

const effectsOf = (files: readonly FilePatch[], context: ProgramContext) =>
  files.flatMap((file) => EFFECTS[file.change](file, context));

const EFFECTS: Readonly<Record<FilePatch["change"], (file: FilePatch, context: ProgramContext) => CommandEffect[]>> = {
  add: ({ path }, { target }) => [{ type: "overwrite", path: target(arg(path)), append: false }],
  delete: ({ path }, { target }) => [{ type: "delete", path: target(arg(path)), recursive: false }],
  // Most of the file stays, as with `sed -i`.
  update: ({ path, movedTo }, { target }) => [
    { type: "overwrite", path: target(arg(path)), append: true },
    ...(movedTo === undefined ? [] : [{ type: "move" as const, from: target(arg(path)), to: target(arg(movedTo)) }]),
  ],
};

const anyFile = ({ target }: ProgramContext): CommandEffect => ({
  type: "overwrite",
  path: target(arg(UNKNOWN)),
  append: true,
});
