/** What git would do to work that is not committed, to history, and to what others share. A row per verb. */
import { type Arg, arg } from "../arg.ts";
import type { CommandEffect } from "../effect.ts";
import { GLOBAL_VALUES, givenSettings, settingsFiles } from "../git-settings.ts";
import type { Invocation } from "../invocation.ts";
import { readOptions } from "../options.ts";
import type { Program, ProgramContext, Programs } from "../programs.ts";
import { gitAm, gitApply } from "./diffs.ts";
import { type Call, type Deed, did, gives, type Verb } from "./git-call.ts";
import { bundle, move, outputs } from "./git-files.ts";
import {
  branch,
  fastImport,
  filterHistory,
  gc,
  lfs,
  prune,
  reflog,
  symbolicRef,
  tag,
  updateRef,
} from "./git-history.ts";
import { commit, leadsAway, merge, setConfig } from "./git-hooks.ts";
import { push } from "./git-push.ts";
import {
  checkout,
  checkoutIndex,
  clean,
  readTree,
  remove,
  reset,
  restore,
  stash,
  submodule,
  switchBranch,
  worktree,
} from "./git-working-tree.ts";

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
  mv: ({ args, context }: Call) => move(args, context),
  bundle: ({ args, context }: Call) => bundle(args, context),
  config: setConfig,
  "read-tree": readTree,
  "checkout-index": checkoutIndex,
  lfs,
  "fast-import": fastImport,
});

const MAX_ALIASES = 8;

/** `GIT PUSH --FORCE`: where the shell finds git by that name, nobody means anything else by it. */
const git: Program = (invocation, context) => {
  const { program, args } = invocation;
  const loud = program !== program.toLowerCase() || args.some(({ text }) => /^(--)?[A-Z]{4,}$/.test(text));
  const found = judged(args, invocation, context);
  if (!loud) return found;
  const quiet = args.map((word) => ({ ...word, text: word.text.toLowerCase() }));
  return [...found, ...judged(quiet, invocation, context)];
};

function judged(given: readonly Arg[], invocation: Invocation, context: ProgramContext): readonly CommandEffect[] {
  const { env } = invocation;
  let args = given;
  const settingsGiven = givenSettings(invocation);
  const config = new Map(settingsGiven.map(({ key, value }) => [key, value]));
  const settings = settingsFiles(invocation, settingsGiven).map(
    (file): CommandEffect => ({ type: "run-script", path: context.target(file), interpreter: "git-config" }),
  );
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
    const there = standingIn(where, context);
    const deeds = VERBS[verb.text]?.({ args: rest, repository, context: there, config }) ?? [];
    const applied = APPLIES[verb.text]?.(rest, where, invocation, context) ?? [];
    const found = [
      ...applied,
      ...settings,
      ...deeds,
      ...outputs(verb.text, rest, there),
      ...template(verb.text, rest, env, config),
    ];
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

/** With `-C x` paths begin there. Those that begin with a colon begin at the top. */
function standingIn(where: string, context: ProgramContext): ProgramContext {
  if (where === ".") return context;
  const placed = (word: Arg) => (/^[/~:]/.test(word.text) ? word : { ...word, text: `${where}/${word.text}` });
  return { ...context, target: (word) => context.target(placed(word)) };
}

/** A new repository gets the hooks that lie in its template. */
function template(verb: string, args: readonly Arg[], env: Invocation["env"], config: Call["config"]): Deed[] {
  if (verb !== "init" && verb !== "clone") return [];
  const given = readOptions(args, { valued: ["template"] }).values.get("template") ?? env.get("GIT_TEMPLATE_DIR");
  const from = given?.text ?? config.get("init.templatedir") ?? "";
  return from !== "" && leadsAway(arg(from)) ? [did("redirect-hooks", from)] : [];
}

const APPLIES: Readonly<Record<string, typeof gitApply | undefined>> = Object.assign(Object.create(null), {
  apply: gitApply,
  am: gitAm,
});

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
