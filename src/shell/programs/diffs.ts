/** patch, git apply, git am: they write the files that a patch names, where the patch can be read. */
import { type Arg, arg } from "../arg.ts";
import type { CommandEffect, Target } from "../effect.ts";
import type { Invocation } from "../invocation.ts";
import { has, type Options, readOptions } from "../options.ts";
import { showsOwnHistory } from "../own-history.ts";
import type { Program, ProgramContext, Programs } from "../programs.ts";
import { namesInDiff } from "../unified-diff.ts";
import { gives } from "./git-call.ts";

interface Applied {
  /** Where the names start. */
  readonly directory: string;
  /** How many leading parts of a name are left out; undefined: all but the last, or the first. */
  readonly strip: number | undefined;
  /** undefined: nobody could read it. */
  readonly texts: readonly (string | undefined)[];
  /** The names start at the repository's root, wherever the program stands. */
  readonly fromRoot?: boolean;
}

function writtenBy({ directory, strip, texts, fromRoot }: Applied, context: ProgramContext): CommandEffect[] {
  const start = directory.replace(/\/+$/, "");
  return texts.flatMap((text): CommandEffect[] => {
    if (text === undefined)
      return [{ type: "overwrite", path: context.target(arg(start)), append: true, lands: "below", unread: true }];
    const names = [...new Set(namesInDiff(text).flatMap((name) => stripped(name, strip)))];
    return names.flatMap((name): CommandEffect[] => [
      changed(context.target(arg(name.startsWith("/") ? name : `${start}/${name}`))),
      ...(fromRoot ? [changed(fromRepositoryRoot(name))] : []),
    ]);
  });
}

const changed = (path: Target): CommandEffect => ({ type: "overwrite", path, append: true });

const fromRepositoryRoot = (name: string): Target => ({
  written: name,
  path: undefined,
  contents: false,
  glob: false,
  inRepository: true,
});

function stripped(name: string, strip: number | undefined): string[] {
  const parts = name.split("/");
  if (strip !== undefined) return [parts.slice(strip).join("/")].filter(Boolean);
  return [parts.slice(1).join("/"), parts.at(-1) ?? ""].filter(Boolean);
}

/** The patches in files, or the one that comes on stdin; what only shows the repository's own history is no news to it. */
function textsOf(
  files: readonly Arg[],
  base: string,
  invocation: Invocation,
  context: ProgramContext,
): (string | undefined)[] {
  const { stdin } = invocation;
  const named = files.filter(({ text }) => text !== "-");
  const read = (all: readonly Arg[]) =>
    all.filter((file) => !context.isMissing(file) && !context.isOwnHistory(file)).map(context.textOf);
  if (named.length > 0) return read(named.map((file) => below(base, file)));
  if (context.input !== undefined) return [context.input];
  if (stdin.type === "file") return read([stdin.path]);
  if (stdin.type !== "pipe") return [];
  const last = stdin.producers.at(-1);
  if (last?.program === "cat" && last.args.length > 0) return read(last.args);
  return last && showsOwnHistory(last) ? [] : [undefined];
}

const below = (base: string, file: Arg): Arg =>
  base === "." || /^[/~]/.test(file.text) ? file : { ...file, text: `${base}/${file.text}` };

const stripOf = ({ values }: Options, otherwise: number | undefined) => {
  const given = values.get("p") ?? values.get("strip");
  return given && /^\d+$/.test(given.text) ? Number(given.text) : otherwise;
};

const APPLY_VALUES = ["p", "C", "directory", "exclude", "include", "whitespace", "build-fake-ancestor"];

/** `where`: what `git -C` says. */
export function gitApply(args: readonly Arg[], where: string, invocation: Invocation, context: ProgramContext) {
  const options = readOptions(args, { valued: APPLY_VALUES });
  const onlyShows = ["check", "stat", "numstat", "summary", "cached"].some((name) => gives(options, "", name, 3));
  const takenBack = [...options.given].some((name) => /^no-[csn]/.test(name));
  if (onlyShows && !takenBack && !has(options, "apply")) return [];
  const directory = [where, options.values.get("directory")?.text].filter(Boolean).join("/");
  const texts = textsOf(options.operands, where, invocation, context);
  return writtenBy({ directory, strip: stripOf(options, 1), texts }, context);
}

export function gitAm(args: readonly Arg[], where: string, invocation: Invocation, context: ProgramContext) {
  const options = readOptions(args, { valued: [...APPLY_VALUES, "patch-format"] });
  const goesOn = /^(abort|continue|resolved|skip|quit|retry|r|show-current-patch|allow-empty)$/;
  if ([...options.given].some((name) => goesOn.test(name))) return [];
  const texts = textsOf(options.operands, where, invocation, context);
  const directory = [where, options.values.get("directory")?.text].filter(Boolean).join("/");
  return writtenBy({ directory, strip: stripOf(options, 1), texts, fromRoot: true }, context);
}

const PATCH_LONG_VALUES =
  "strip input output directory reject-file prefix suffix basename-prefix fuzz ifdef get debug version-control quoting-style read-only reject-format".split(
    " ",
  );
const PATCH_VALUES = [..."piodrBzYFDgxV", ...PATCH_LONG_VALUES];
const PATCH_LONG = [
  ...PATCH_LONG_VALUES,
  ..."dry-run check context backup batch binary ed force forward follow-symlinks ignore-whitespace merge normal posix quiet silent reverse remove-empty-files set-time set-utc unified verbose".split(
    " ",
  ),
];

/** GNU takes any beginning of a long name that only one has. */
function withWholeName(word: Arg): Arg {
  const [, name, value = ""] = /^--([\w-]+)(=.*)?$/s.exec(word.text) ?? [];
  if (name === undefined || PATCH_LONG.includes(name)) return word;
  const [whole, ...others] = PATCH_LONG.filter((long) => long.startsWith(name));
  return whole === undefined || others.length > 0 ? word : { ...word, text: `--${whole}${value}` };
}

/** `patch file patchfile`, and the files that a patch names. */
const patch: Program = (invocation, context) => {
  const options = readOptions(invocation.args.map(withWholeName), { valued: PATCH_VALUES });
  if (has(options, "dry-run", "C", "check")) return [];
  const value = (...names: readonly string[]) => names.map((name) => options.values.get(name)).find(Boolean);
  const directory = value("d", "directory")?.text ?? ".";
  const inDirectory = (file: Arg) =>
    file.text.startsWith("/") ? file : { ...file, text: `${directory}/${file.text}` };
  const [file, second] = options.operands;
  const output = value("o", "output");
  const input = value("i", "input") ?? second;
  if (output)
    return output.text === "-" ? [] : [{ type: "overwrite", path: context.target(inDirectory(output)), append: false }];
  const texts = textsOf(input ? [input] : [], directory, invocation, context);
  const strip = stripOf(options, undefined);
  if (!file) return writtenBy({ directory, strip, texts }, context);
  // Who names the file says which one is written; what looks like one may be the value of an option nobody knows here.
  const known = input ? [] : texts.filter((text) => text !== undefined);
  return [changed(context.target(inDirectory(file))), ...writtenBy({ directory, strip, texts: known }, context)];
};

export const DIFFS: Programs = { patch, gpatch: patch };
