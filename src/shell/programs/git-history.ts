/** Verbs that take commits, or the way back to them. */
import { readOptions } from "../options.ts";
import { did, gives, type Verb, written } from "./git-call.ts";

export const branch: Verb = ({ args }) => {
  const options = readOptions(args, { valued: ["u", "set-upstream-to", "sort", "format", "points-at"] });
  const names = options.operands;
  const force = gives(options, "f", "force", 4);
  if (options.given.has("D") || (force && gives(options, "d", "delete", 2)))
    return [did("delete-branch", written(names))];
  const renames = gives(options, "m", "move", 2) || gives(options, "c", "copy", 3);
  const overwrites = options.given.has("M") || options.given.has("C") || (renames && force);
  // `git branch -M main` names the current branch, as every new repository does.
  if (overwrites) return names.length > 1 ? [did("reset-branch", names.at(-1)?.text)] : [];
  return force && names.length > 0 && !renames ? [did("reset-branch", names[0]?.text)] : [];
};

export const tag: Verb = ({ args }) => {
  const options = readOptions(args, { valued: ["m", "message", "F", "file", "u", "local-user", "sort", "format"] });
  return gives(options, "d", "delete", 2) ? [did("delete-tag", written(options.operands))] : [];
};

export const reflog: Verb = ({ args }) => {
  const [verb, ...rest] = args;
  const options = readOptions(rest);
  const loses = verb?.text === "expire" || verb?.text === "delete" || verb?.text === "drop";
  return loses && !gives(options, "n", "dry-run") ? [did("expire-reflog", `reflog ${verb.text}`)] : [];
};

/** Two weeks of grace is git's own choice; anything sooner takes the way back. */
export const gc: Verb = ({ args, config }) => {
  const { values } = readOptions(args);
  const when = values.get("prune")?.text ?? config.get("gc.pruneexpire") ?? "";
  return /^(now|all|0|today|tomorrow|(\d+|an?)[ .](seconds?|minutes?|hours?)\b)/.test(when)
    ? [did("expire-reflog", `gc --prune=${when}`)]
    : [];
};

export const prune: Verb = ({ args }) => {
  const options = readOptions(args, { valued: ["expire"] });
  return gives(options, "n", "dry-run") ? [] : [did("expire-reflog", "prune")];
};

export const filterHistory: Verb = ({ args }) => {
  const options = readOptions(args);
  return options.given.has("analyze") || options.given.has("dry-run") || args.length === 0
    ? []
    : [did("rewrite-history")];
};

export const updateRef: Verb = ({ args, context }) => {
  const options = readOptions(args, { valued: ["m"] });
  if (options.given.has("d") || options.given.has("delete"))
    return [did("delete-branch", options.operands[0]?.text ?? "")];
  if (gives(options, "", "stdin"))
    return context.input === undefined || /^\s*(delete|update)\b/m.test(context.input)
      ? [did("reset-branch", "refs")]
      : [];
  const [name, to] = options.operands;
  return name && to && /^refs\/heads\/|^HEAD$/.test(name.text) ? [did("reset-branch", name.text)] : [];
};

export const symbolicRef: Verb = ({ args }) => {
  const options = readOptions(args, { valued: ["m"] });
  return gives(options, "d", "delete", 2) ? [did("delete-branch", written(options.operands))] : [];
};

export const lfs: Verb = ({ args }) => {
  const [verb, what] = readOptions(args).operands;
  if (verb?.text === "prune")
    return readOptions(args).given.has("dry-run") || readOptions(args).given.has("d")
      ? []
      : [did("expire-reflog", "lfs prune")];
  return verb?.text === "migrate" && what?.text !== "info" ? [did("rewrite-history", "lfs migrate")] : [];
};

export const fastImport: Verb = ({ args }) => (readOptions(args).given.has("force") ? [did("rewrite-history")] : []);
