/** Verbs that take work which is not committed. */
import { readOptions } from "../options.ts";
import { did, gives, type Verb, written, writtenOver } from "./git-call.ts";
import { looksLikePath } from "./git-files.ts";

export const reset: Verb = ({ args }) => {
  const options = readOptions(args);
  return gives(options, "", "hard", 2) || gives(options, "", "merge", 2)
    ? [did("hard-reset", written(options.operands))]
    : [];
};

export const checkout: Verb = (call) => {
  const { args } = call;
  const options = readOptions(args, { valued: ["b", "B", "orphan", "conflict", "pathspec-from-file"] });
  if (gives(options, "p", "patch")) return [];
  if (gives(options, "f", "force")) return [did("discard-changes", written(options.operands))];
  const forced = options.values.get("B");
  if (forced) return [did("reset-branch", forced.text)];
  if (options.given.has("pathspec-from-file")) return [did("discard-changes", "the listed files")];
  if (options.given.has("b") || gives(options, "", "orphan")) return [];
  // Taking one side of a conflict is how a merge is finished.
  if (gives(options, "", "ours") || gives(options, "", "theirs", 2)) return [];
  const dashes = args.findIndex(({ text }) => text === "--");
  if (dashes >= 0) {
    const paths = args.slice(dashes + 1);
    return paths.length > 0 ? [did("discard-changes", written(paths)), ...writtenOver(paths, call)] : [];
  }
  if (gives(options, "t", "track") || gives(options, "d", "detach", 4)) return [];
  const [first, ...rest] = options.operands;
  if (rest.length > 0) return [did("discard-changes", written(rest)), ...writtenOver(rest, call)];
  return first && (first.glob || looksLikePath(first.text))
    ? [did("discard-changes", first.text), ...writtenOver([first], call)]
    : [];
};

export const restore: Verb = (call) => {
  const options = readOptions(call.args, { valued: ["s", "source", "pathspec-from-file", "conflict"] });
  if (gives(options, "p", "patch") || gives(options, "", "ours") || gives(options, "", "theirs", 2)) return [];
  const worktree = gives(options, "W", "worktree") || !gives(options, "S", "staged", 2);
  const paths = options.operands;
  if (!worktree || (paths.length === 0 && !options.given.has("pathspec-from-file"))) return [];
  return [did("discard-changes", written(paths)), ...writtenOver(paths, call)];
};

export const switchBranch: Verb = ({ args }) => {
  const options = readOptions(args, { valued: ["c", "C", "create", "force-create", "orphan", "conflict"] });
  const forced = options.values.get("C") ?? options.values.get("force-create");
  if (forced) return [did("reset-branch", forced.text)];
  return gives(options, "f", "force") || gives(options, "", "discard-changes")
    ? [did("discard-changes", written(options.operands))]
    : [];
};

export const clean: Verb = ({ args, config }) => {
  const options = readOptions(args, { valued: ["e", "exclude"] });
  const forced = gives(options, "f", "force", 2) || config.get("clean.requireforce") === "false";
  if (!forced || gives(options, "n", "dry-run", 2) || gives(options, "i", "interactive", 2)) return [];
  return [did("clean", written(options.operands))];
};

export const stash: Verb = (call) => {
  const [first, ...rest] = call.args;
  const verb = first?.text ?? "";
  // Without a verb it pushes; the words after `save` are a message.
  const pushed = verb === "push" ? rest : verb.startsWith("-") ? call.args : [];
  if (pushed.length > 0)
    return writtenOver(readOptions(pushed, { valued: ["m", "message", "pathspec-from-file"] }).operands, call);
  return verb === "drop" || verb === "clear" ? [did("drop-stash", verb)] : [];
};

export const worktree: Verb = ({ args }) => {
  const [verb, ...rest] = args;
  const options = readOptions(rest, { valued: ["b", "B", "reason"] });
  if (verb?.text === "remove" && gives(options, "f", "force", 2))
    return [did("delete-worktree", written(options.operands))];
  return verb?.text === "add" && options.values.has("B")
    ? [did("reset-branch", options.values.get("B")?.text ?? "")]
    : [];
};

export const submodule: Verb = ({ args }) => {
  const { operands, given } = readOptions(args, { valued: ["b", "branch", "reference", "depth", "name"] });
  const force = given.has("f") || given.has("force");
  const [verb, ...paths] = operands;
  return force && (verb?.text === "deinit" || verb?.text === "update") ? [did("discard-changes", written(paths))] : [];
};

/** Files go as with `rm`; committed ones can come back, so only the place counts. */
export const remove: Verb = ({ args, context }) => {
  const options = readOptions(args, { valued: ["pathspec-from-file"] });
  if (gives(options, "", "cached") || gives(options, "n", "dry-run")) return [];
  return options.operands.map((path) => ({
    type: "delete",
    path: context.target(path),
    recursive: options.given.has("r"),
  }));
};

export const readTree: Verb = ({ args }) => {
  const options = readOptions(args);
  return gives(options, "", "reset") && options.given.has("u") ? [did("hard-reset", written(options.operands))] : [];
};

export const checkoutIndex: Verb = ({ args }) => {
  const options = readOptions(args, { valued: ["prefix", "stage"] });
  return gives(options, "f", "force", 2) && !options.given.has("prefix") ? [did("discard-changes", "the index")] : [];
};
