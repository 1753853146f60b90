/** What git would do to work that is not committed, to history, and to what others share. A row per verb. */
import { type Arg, arg, isKnown, texts } from "../arg.ts";
import type { CommandEffect, GitDeed, Target } from "../effect.ts";
import type { Invocation } from "../invocation.ts";
import { type Options, readOptions } from "../options.ts";
import type { Program, ProgramContext, Programs } from "../programs.ts";

interface Call {
  readonly args: readonly Arg[];
  readonly repository: Target;
  readonly context: ProgramContext;
  /** `-c key=value` before the verb; keys in lower case. */
  readonly config: ReadonlyMap<string, string>;
}

type Verb = (call: Call) => readonly (CommandEffect | Deed)[];
interface Deed {
  readonly deed: GitDeed;
  readonly detail: string;
}

const did = (deed: GitDeed, detail = ""): Deed => ({ deed, detail });

/** Whether an option was given, by its letter or by any beginning of its long name that git would accept. */
const gives = (options: Options, letter: string, long: string, shortest = 3) =>
  (letter !== "" && options.given.has(letter)) ||
  [...options.given].some((name) => name.length >= shortest && name.length > 1 && long.startsWith(name));

const written = (args: readonly Arg[]) => texts(args).join(" ");

/** Contents of files that git writes over: guards of single paths look at these. */
const writtenOver = (paths: readonly Arg[], { context }: Call): CommandEffect[] =>
  paths.map((path) => ({ type: "overwrite", path: context.target(path), append: true }));

const push: Verb = ({ args }) => {
  const options = readOptions(args, { valued: ["repo", "o", "push-option", "receive-pack", "exec"] });
  if (gives(options, "n", "dry-run")) return [];
  const [, ...refspecs] = options.operands;
  const found: Deed[] = [];
  const force = options.given.has("f") || [...options.given].some((name) => FORCE.test(name));
  const deletes = gives(options, "d", "delete");
  if (gives(options, "", "mirror")) found.push(did("push-mirror"));
  if (gives(options, "", "prune", 4)) found.push(did("delete-remote-branch", "*"));
  if (force && refspecs.length === 0) found.push(did("force-push"));
  for (const refspec of refspecs) {
    const plus = refspec.text.startsWith("+");
    const [source = "", destination = source] = refspec.text.replace(/^\+/, "").split(":");
    const name = destination.replace(/^refs\/heads\//, "");
    const isTag = name.startsWith("refs/tags/") || /^v?\d+(\.\d+)+/.test(name);
    if (deletes || (source === "" && destination !== ""))
      found.push(
        isTag ? did("delete-remote-tag", name.replace(/^refs\/tags\//, "")) : did("delete-remote-branch", name),
      );
    else if (force || plus) {
      if (isTag || name === "tag") found.push(did("move-remote-tag", name.replace(/^refs\/tags\//, "")));
      else found.push(did("force-push", /^(HEAD|@|)$/.test(name) ? "" : name));
    }
  }
  if (gives(options, "", "no-verify", 6)) found.push(did("bypass-hooks", "push"));
  return found;
};

const FORCE = /^forc?e?$|^force-(w.*|i.*)$/;

const reset: Verb = ({ args }) => {
  const options = readOptions(args);
  return gives(options, "", "hard", 2) || gives(options, "", "merge", 2)
    ? [did("hard-reset", written(options.operands))]
    : [];
};

const checkout: Verb = (call) => {
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

/** `git checkout x` takes a branch or a file; these can hardly be branches. */
const looksLikePath = (text: string) =>
  /^(\.{1,2}|:\/|:\(.*)$|^\.{0,2}\/|\/$|^:[/!^(]/.test(text) ||
  (/\.[a-z][a-z0-9]{0,7}$/i.test(text) && FILE_ENDING.test(text));

const FILE_ENDING =
  /\.(c|cc|cpp|cs|css|csv|dart|env|ex|exs|go|gradle|h|hpp|html?|ini|ipynb|java|js|json|jsx|kt|less|lock|lua|m|md|mjs|cjs|mts|cts|php|pl|proto|py|r|rb|rs|rst|scala|scss|sh|sql|svelte|svg|swift|tf|toml|ts|tsx|txt|vue|xml|ya?ml|zig|png|jpe?g|pdf|bak|cfg|conf|log|gitignore)$/i;

const restore: Verb = (call) => {
  const options = readOptions(call.args, { valued: ["s", "source", "pathspec-from-file", "conflict"] });
  if (gives(options, "p", "patch") || gives(options, "", "ours") || gives(options, "", "theirs", 2)) return [];
  const worktree = gives(options, "W", "worktree") || !gives(options, "S", "staged", 2);
  const paths = options.operands;
  if (!worktree || (paths.length === 0 && !options.given.has("pathspec-from-file"))) return [];
  return [did("discard-changes", written(paths)), ...writtenOver(paths, call)];
};

const switchBranch: Verb = ({ args }) => {
  const options = readOptions(args, { valued: ["c", "C", "create", "force-create", "orphan", "conflict"] });
  const forced = options.values.get("C") ?? options.values.get("force-create");
  if (forced) return [did("reset-branch", forced.text)];
  return gives(options, "f", "force") || gives(options, "", "discard-changes")
    ? [did("discard-changes", written(options.operands))]
    : [];
};

const clean: Verb = ({ args, config }) => {
  const options = readOptions(args, { valued: ["e", "exclude"] });
  const forced = gives(options, "f", "force", 2) || config.get("clean.requireforce") === "false";
  if (!forced || gives(options, "n", "dry-run", 2) || gives(options, "i", "interactive", 2)) return [];
  return [did("clean", written(options.operands))];
};

const branch: Verb = ({ args }) => {
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

const tag: Verb = ({ args }) => {
  const options = readOptions(args, { valued: ["m", "message", "F", "file", "u", "local-user", "sort", "format"] });
  return gives(options, "d", "delete", 2) ? [did("delete-tag", written(options.operands))] : [];
};

const stash: Verb = ({ args }) => {
  const verb = args[0]?.text;
  return verb === "drop" || verb === "clear" ? [did("drop-stash", verb)] : [];
};

const reflog: Verb = ({ args }) => {
  const [verb, ...rest] = args;
  const options = readOptions(rest);
  const loses = verb?.text === "expire" || verb?.text === "delete" || verb?.text === "drop";
  return loses && !gives(options, "n", "dry-run") ? [did("expire-reflog", `reflog ${verb.text}`)] : [];
};

/** Two weeks of grace is git's own choice; anything sooner takes the way back. */
const gc: Verb = ({ args, config }) => {
  const { values } = readOptions(args);
  const when = values.get("prune")?.text ?? config.get("gc.pruneexpire") ?? "";
  return /^(now|all|0|today|tomorrow|(\d+|an?)[ .](seconds?|minutes?|hours?)\b)/.test(when)
    ? [did("expire-reflog", `gc --prune=${when}`)]
    : [];
};

const prune: Verb = ({ args }) => {
  const options = readOptions(args, { valued: ["expire"] });
  return gives(options, "n", "dry-run") ? [] : [did("expire-reflog", "prune")];
};

const filterHistory: Verb = ({ args }) => {
  const options = readOptions(args);
  return options.given.has("analyze") || options.given.has("dry-run") || args.length === 0
    ? []
    : [did("rewrite-history")];
};

const updateRef: Verb = ({ args, context }) => {
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

const symbolicRef: Verb = ({ args }) => {
  const options = readOptions(args, { valued: ["m"] });
  return gives(options, "d", "delete", 2) ? [did("delete-branch", written(options.operands))] : [];
};

const worktree: Verb = ({ args }) => {
  const [verb, ...rest] = args;
  const options = readOptions(rest, { valued: ["b", "B", "reason"] });
  if (verb?.text === "remove" && gives(options, "f", "force", 2))
    return [did("delete-worktree", written(options.operands))];
  return verb?.text === "add" && options.values.has("B")
    ? [did("reset-branch", options.values.get("B")?.text ?? "")]
    : [];
};

const submodule: Verb = ({ args }) => {
  const { operands, given } = readOptions(args, { valued: ["b", "branch", "reference", "depth", "name"] });
  const force = given.has("f") || given.has("force");
  const [verb, ...paths] = operands;
  return force && (verb?.text === "deinit" || verb?.text === "update") ? [did("discard-changes", written(paths))] : [];
};

/** Files go as with `rm`; committed ones can come back, so only the place counts. */
const remove: Verb = ({ args, context }) => {
  const options = readOptions(args, { valued: ["pathspec-from-file"] });
  if (gives(options, "", "cached") || gives(options, "n", "dry-run")) return [];
  return options.operands.map((path) => ({
    type: "delete",
    path: context.target(path),
    recursive: options.given.has("r"),
  }));
};

const commit: Verb = ({ args }) => {
  const options = readOptions(args, {
    valued: ["m", "message", "F", "file", "C", "c", "author", "date", "t", "template", "fixup", "squash", "trailer"],
  });
  return gives(options, "n", "no-verify", 4) ? [did("bypass-hooks", "commit")] : [];
};

const merge: Verb = ({ args }) => {
  const options = readOptions(args, { valued: ["m", "F", "s", "strategy", "X", "strategy-option", "S"] });
  return gives(options, "", "no-verify", 6) ? [did("bypass-hooks", "merge")] : [];
};

/** Hooks of the repository itself (`.husky`, `.githooks`) are set up this way every day; elsewhere is another matter. */
const setConfig: Verb = ({ args }) => {
  const { operands, given } = readOptions(args, { valued: ["f", "file", "blob", "type", "default", "comment"] });
  if ([...given].some((name) => /^(get|unset|list|l|remove-section|rename-section)/.test(name))) return [];
  const [key, value] = operands[0]?.text === "set" ? operands.slice(1) : operands;
  if (!key || !value || key.text.toLowerCase() !== "core.hookspath") return [];
  return leadsAway(value) ? [did("redirect-hooks", value.text)] : [];
};

const leadsAway = (path: Arg) => !isKnown(path) || path.text === "" || /^[/~]|(^|\/)\.\.(\/|$)/.test(path.text);

const readTree: Verb = ({ args }) => {
  const options = readOptions(args);
  return gives(options, "", "reset") && options.given.has("u") ? [did("hard-reset", written(options.operands))] : [];
};

const checkoutIndex: Verb = ({ args }) => {
  const options = readOptions(args, { valued: ["prefix", "stage"] });
  return gives(options, "f", "force", 2) && !options.given.has("prefix") ? [did("discard-changes", "the index")] : [];
};

const lfs: Verb = ({ args }) => {
  const [verb, what] = readOptions(args).operands;
  if (verb?.text === "prune")
    return readOptions(args).given.has("dry-run") || readOptions(args).given.has("d")
      ? []
      : [did("expire-reflog", "lfs prune")];
  return verb?.text === "migrate" && what?.text !== "info" ? [did("rewrite-history", "lfs migrate")] : [];
};

const fastImport: Verb = ({ args }) => (readOptions(args).given.has("force") ? [did("rewrite-history")] : []);

const VERBS: Readonly<Record<string, Verb | undefined>> = Object.assign(Object.create(null), {
  push,
  reset,
  checkout,
  co: checkout,
  restore,
  switch: switchBranch,
  clean,
  branch,
  br: branch,
  tag,
  stash,
  reflog,
  gc,
  prune,
  "filter-branch": () => [did("rewrite-history")],
  "filter-repo": filterHistory,
  "update-ref": updateRef,
  "symbolic-ref": symbolicRef,
  worktree,
  submodule,
  rm: remove,
  commit,
  ci: commit,
  merge,
  am: merge,
  config: setConfig,
  "read-tree": readTree,
  "checkout-index": checkoutIndex,
  lfs,
  "fast-import": fastImport,
});

/** Options before the verb that take the next word as their value. */
const GLOBAL_VALUES = ["C", "c", "git-dir", "work-tree", "namespace", "exec-path", "super-prefix", "config-env"];
const MAX_ALIASES = 8;

/** `GIT PUSH --FORCE`: where the shell finds git by that name, nobody means anything else by it. */
const git: Program = (invocation, context) => {
  const { program, args } = invocation;
  const loud = program !== program.toLowerCase() || args.some(({ text }) => /^(--)?[A-Z]{4,}$/.test(text));
  const quiet = args.map((word) => ({ ...word, text: word.text.toLowerCase() }));
  return [...judged(args, invocation, context), ...(loud ? judged(quiet, invocation, context) : [])];
};

function judged(given: readonly Arg[], { env }: Invocation, context: ProgramContext): readonly CommandEffect[] {
  let args = given;
  const config = new Map<string, string>();
  let where = ".";
  for (let aliases = 0; aliases < MAX_ALIASES; aliases++) {
    where = readGlobals(args, config, where);
    const [verb, ...rest] = readOptions(args, { valued: GLOBAL_VALUES, stopAtOperand: true }).operands;
    if (!verb) return [];
    const alias = config.get(`alias.${verb.text}`.toLowerCase());
    if (alias !== undefined && !alias.startsWith("!")) {
      args = [...alias.split(/\s+/).filter(Boolean).map(arg), ...rest];
      continue;
    }
    if (asksForHelp(rest)) return [];
    const repository = context.target(arg(where));
    const found = VERBS[verb.text]?.({ args: rest, repository, context, config }) ?? [];
    const hooks = config.get("core.hookspath");
    const skips =
      (hooks !== undefined && leadsAway(arg(hooks))) ||
      (env.get("HUSKY")?.text === "0" && HOOKED.has(verb.text)) ||
      env.get("SKIP_HOOKS")?.text === "1";
    return [...found, ...(skips ? [did("bypass-hooks", verb.text)] : [])].map((item) =>
      "type" in item ? item : { type: "git", ...item, repository },
    );
  }
  return [];
}

const HOOKED = new Set(["commit", "push", "merge", "rebase"]);

/** Remembers `-c key=value`; answers where `-C` leads. */
function readGlobals(args: readonly Arg[], config: Map<string, string>, from: string): string {
  let where = from;
  for (let i = 0; i < args.length; i++) {
    const { text } = args[i] as Arg;
    if (!text.startsWith("-")) break;
    const next = args[i + 1]?.text ?? "";
    if (text === "-C") where = /^[/~]/.test(next) || where === "." ? next : `${where}/${next}`;
    if (text === "-c") {
      const at = next.indexOf("=");
      config.set((at < 0 ? next : next.slice(0, at)).toLowerCase(), at < 0 ? "true" : next.slice(at + 1));
    }
    if (GLOBAL_VALUES.includes(text.replace(/^--?/, ""))) i++;
  }
  return where;
}

const asksForHelp = (args: readonly Arg[]) => {
  const dashes = args.findIndex(({ text }) => text === "--");
  return (dashes < 0 ? args : args.slice(0, dashes)).some(({ text }) => text === "--help" || text === "-h");
};

/** Mercurial, as far as it throws work away. */
const hg: Program = ({ args }, context) => {
  const options = readOptions(args, { valued: ["R", "repository", "r", "rev", "cwd"] });
  const [verb] = options.operands;
  const repository = context.target(arg("."));
  const found =
    /^(purge|clean|strip|rollback)$/.test(verb?.text ?? "") ||
    (/^(update|up|checkout|co)$/.test(verb?.text ?? "") && gives(options, "C", "clean")) ||
    (verb?.text === "revert" && (gives(options, "a", "all") || options.operands.length > 1));
  const rehearsed = gives(options, "n", "dry-run") || gives(options, "p", "print");
  return found && !rehearsed ? [{ type: "git", ...did("discard-changes", verb?.text), repository }] : [];
};

const alone =
  (verb: Verb): Program =>
  ({ args }, context) => {
    const repository = context.target(arg("."));
    return verb({ args, repository, context, config: new Map() }).map((item) =>
      "type" in item ? item : { type: "git", ...item, repository },
    );
  };

export const GIT: Programs = {
  git,
  hub: git,
  hg,
  "git-filter-repo": alone(filterHistory),
  bfg: alone(filterHistory),
  "git-lfs": alone(lfs),
};
