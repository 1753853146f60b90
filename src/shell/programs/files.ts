/** Programs that delete, overwrite, move and copy files, and change who may use them. */
import { type Arg, arg, UNKNOWN } from "../arg.ts";
import type { CommandEffect } from "../effect.ts";
import { filesWanted, isNarrowed } from "../find-tests.ts";
import { has, readOptions } from "../options.ts";
import type { Program, ProgramContext, Programs } from "../programs.ts";
import { readSedCall } from "../sed-call.ts";
import { isDevice } from "./redirects.ts";

const remove: Program = ({ args }, { target }) => {
  const options = readOptions(args, { valued: ["interactive"] });
  const recursive = has(options, "r", "R") || [...options.given].some(meansRecursive);
  return options.operands.map((operand) => ({ type: "delete", path: target(asMeant(operand, recursive)), recursive }));
};

/** `for f in *; do rm -rf "$f"`: no file has that name, it stands for each of them. */
const asMeant = (operand: Arg, recursive: boolean): Arg =>
  recursive && /(?:^|\/)\*\/?$/.test(operand.text)
    ? { ...operand, text: operand.text.replace(/\/$/, ""), glob: true }
    : operand;

/** GNU takes any beginning of a long name. */
const meansRecursive = (name: string) => name.length > 1 && "recursive".startsWith(name);

const rmdir: Program = ({ args }, { target }) =>
  readOptions(args).operands.map((operand) => ({ type: "delete", path: target(operand), recursive: false }));

const shred: Program = ({ args }, { target }) => {
  const options = readOptions(args, { valued: ["n", "s", "iterations", "size", "random-source"] });
  return options.operands.map((operand): CommandEffect => {
    const path = target(operand);
    return isDevice(path.path)
      ? { type: "device", path, deed: "write" }
      : { type: "delete", path, recursive: has(options, "r", "R"), irrecoverable: true };
  });
};

const truncate: Program = ({ args }, { target }) => {
  const { operands, values } = readOptions(args, { valued: ["s", "size", "r", "reference", "o"] });
  const size = values.get("s") ?? values.get("size");
  if (size && /^\+/.test(size.text)) return [];
  return operands.map((operand) => ({ type: "overwrite", path: target(operand), append: false }));
};

const tee: Program = ({ args }, { target }) => {
  const options = readOptions(args);
  const append = has(options, "a", "append");
  return options.operands.map((operand): CommandEffect => {
    const path = target(operand);
    return isDevice(path.path) ? { type: "device", path, deed: "write" } : { type: "overwrite", path, append };
  });
};

const makes =
  (what: "file" | "directory", valued: readonly string[], most = Number.POSITIVE_INFINITY): Program =>
  ({ args }, { target }) =>
    readOptions(args, { valued })
      .operands.slice(0, most)
      .map((operand) => ({ type: "make", what, path: target(operand) }));

const destination = (args: readonly Arg[]) => {
  const options = readOptions(args, {
    valued: ["t", "target-directory", "S", "suffix", "m", "mode", "o", "owner", "g", "group", "strip-program"],
  });
  const into = options.values.get("t") ?? options.values.get("target-directory");
  const sources = into ? options.operands : options.operands.slice(0, -1);
  return { options, to: into ?? options.operands.at(-1), sources };
};

const copy: Program = ({ args }, { target }) => {
  const { options, to, sources } = destination(args);
  if (!to || sources.length === 0) return [];
  const path = target(to);
  const isTree = has(options, "r", "R", "a", "recursive", "archive");
  return [
    ...sources.map((source): CommandEffect => ({ type: "read", path: target(source), kept: true })),
    isDevice(path.path) ? { type: "device", path, deed: "write" } : { type: "overwrite", path, append: false },
    ...writtenInto(to, sources, target, isTree),
  ];
};

/** `install -d`: directories, nothing is copied. */
const install: Program = (call, context) => {
  const { options } = destination(call.args);
  if (!has(options, "d", "directory")) return copy(call, context);
  return options.operands.map((operand) => ({ type: "make", what: "directory", path: context.target(operand) }));
};

/** Where the destination is a directory, files of the sources' names are written in it; of `dir/.` and `dir/*`, any. */
const writtenInto = (
  to: Arg,
  sources: readonly Arg[],
  target: ProgramContext["target"],
  isTree = false,
): CommandEffect[] =>
  sources.map((source) => {
    const name = /([^/]+)\/*$/.exec(source.text)?.[1] ?? "";
    const isDirectory = /^\.{0,2}$/.test(name);
    const { contents, named } = target(source);
    const names = named ? { named } : {};
    if (isDirectory || name.includes(UNKNOWN) || contents) {
      const lands = isTree || isDirectory ? "below" : "in";
      return { type: "overwrite", path: { ...target(to), ...names }, append: true, lands };
    }
    const path = target({ text: `${to.text.replace(/\/+$/, "")}/${name}`, glob: to.glob || source.glob });
    return {
      type: "overwrite",
      path: { ...path, ...names },
      append: true,
      ...(isTree ? { lands: "below" as const } : {}),
    };
  });

const move: Program = ({ args }, { target }) => {
  const { to, sources } = destination(args);
  return to ? moved(sources, to, target) : [];
};

export const moved = (sources: readonly Arg[], to: Arg, target: ProgramContext["target"]): CommandEffect[] => [
  ...sources.map((source): CommandEffect => ({ type: "move", from: target(source), to: target(to) })),
  // `mv dir/* there` takes directories along; a name that nobody knows is most often a file's.
  ...(to.text === "/dev/null"
    ? []
    : sources.flatMap((source) => writtenInto(to, [source], target, !source.text.includes(UNKNOWN)))),
];

const link: Program = ({ args }, { target }) => {
  const { options, to, sources } = destination(args);
  if (!to) return [];
  // `ln target`: by its name, here.
  if (sources.length === 0) return writtenInto(arg("."), [to], target);
  // What is there already stays, unless it is forced; what is not there yet is a file all the same.
  const forced = has(options, "f", "force");
  const written: CommandEffect = { type: "overwrite", path: target(to), append: !forced };
  // A directory may stand behind the link, with whatever is in it.
  return [to.text.endsWith("/") ? written : { ...written, lands: "below" }, ...writtenInto(to, sources, target)];
};

const permissions: Program = ({ args }, { target }) => {
  const options = readOptions(args, { valued: ["reference", "from"] });
  const [mode, ...paths] = options.operands;
  // `chmod -x file`: the mode looks like an option.
  const removing = args.find(({ text }) => /^-[rwxXst]+$/.test(text) && !/^-R+$/.test(text));
  const files = removing && !/^[0-7ugoa+=]/.test(mode?.text ?? "") ? options.operands : paths;
  return files.map((file) => ({
    type: "permissions",
    path: target(file),
    recursive: has(options, "R", "recursive"),
    mode: mode?.text ?? "",
  }));
};

const TEMPORARY = /^\/(private\/)?(tmp|var\/tmp)\/?$/;

/** `find / -delete`: everything below each starting point that the tests let through. */
const find: Program = (call, context) => [...removed(call, context), ...listed(call, context)];

/** `find -fprint file`: what was found, written down. */
const listed: Program = ({ args }, { target }) =>
  args.flatMap(({ text }, index): CommandEffect[] => {
    const file = /^-(fprint|fprint0|fprintf|fls)$/.test(text) ? args[index + 1] : undefined;
    return file ? [{ type: "overwrite", path: target(file), append: false }] : [];
  });

const removed: Program = ({ args }, { target }) => {
  if (!args.some(({ text }) => text === "-delete")) return [];
  const firstOption = args.findIndex(({ text }) => /^[-(!]/.test(text));
  const roots = args.slice(0, firstOption < 0 ? args.length : firstOption);
  const narrowed = isNarrowed(args);
  return (roots.length > 0 ? roots : [arg(".")]).flatMap((root): CommandEffect[] => [
    {
      type: "delete",
      path: {
        ...target(narrowed && TEMPORARY.test(root.text) ? arg(`${root.text}/${UNKNOWN}`) : root),
        contents: false,
        glob: narrowed,
      },
      recursive: true,
    },
    ...filesWanted(args, root.text).map(
      (text): CommandEffect => ({ type: "overwrite", path: target({ text, glob: true }), append: true }),
    ),
  ]);
};

const rsync: Program = ({ args }, { target }) => {
  const options = readOptions(args, {
    valued: [
      "e",
      "rsh",
      "exclude",
      "include",
      "filter",
      "f",
      "exclude-from",
      "include-from",
      "files-from",
      "log-file",
      "bwlimit",
      "timeout",
      "chmod",
      "chown",
      "T",
      "temp-dir",
      "backup-dir",
    ],
  });
  const to = options.operands.at(-1);
  const deletes =
    [...options.given].some((name) => name.startsWith("delete") || name === "del") && !has(options, "n", "dry-run");
  if (!to || options.operands.length < 2 || has(options, "n", "dry-run")) return [];
  const sources = options.operands.slice(0, -1);
  const taken: CommandEffect[] = has(options, "remove-source-files")
    ? sources.map((source) => ({ type: "delete", path: target(source), recursive: true }))
    : [];
  if (to.text.includes(":")) return taken;
  return [
    ...taken,
    ...writtenTo(to, sources, target, has(options, "r", "a", "recursive", "archive")),
    ...(deletes ? [{ type: "delete" as const, path: { ...target(to), contents: true }, recursive: true }] : []),
  ];
};

/** `dir/` is what lies in it. */
const writtenTo = (
  to: Arg,
  sources: readonly Arg[],
  target: ProgramContext["target"],
  isTree: boolean,
): CommandEffect[] => [
  { type: "overwrite", path: target(to), append: true },
  ...writtenInto(
    to,
    sources.map((source) => (source.text.endsWith("/") ? { ...source, text: `${source.text}.` } : source)),
    target,
    isTree,
  ),
];

/** `scp host:file here`. */
const fetched: Program = ({ args }, { target }) => {
  const options = readOptions(args, { valued: ["P", "i", "F", "o", "c", "l", "S", "J", "b", "B", "D"] });
  const to = options.operands.at(-1);
  return to && options.operands.length > 1 && !to.text.includes(":")
    ? writtenTo(to, options.operands.slice(0, -1), target, has(options, "r"))
    : [];
};

/** In-place editors write the files they are given. */
const sed: Program = ({ args }, { target }) => {
  const { files, inPlace } = readSedCall(args);
  return files.map((file) =>
    inPlace ? { type: "overwrite", path: target(file), append: true } : { type: "read", path: target(file) },
  );
};

const readsFiles: Program = ({ args }, { target }) =>
  readOptions(args, { valued: ["n", "c", "A", "B", "C", "m"] }).operands.map((file) => ({
    type: "read",
    path: target(file),
  }));

/** The pattern comes first, unless an option gives it. */
const searches: Program = ({ program, args }, { target }) => {
  const options = readOptions(args, {
    valued: [
      "e",
      "regexp",
      "f",
      "file",
      "m",
      "A",
      "B",
      "C",
      "g",
      "glob",
      "t",
      "type",
      "include",
      "exclude",
      "max-count",
      "color",
    ],
  });
  const quiet = has(options, "c", "count", "q", "quiet", "l", "files-with-matches", "L");
  const files = has(options, "e", "regexp", "f", "file") ? options.operands : options.operands.slice(1);
  return quiet ? [] : files.map((file) => ({ type: "read", path: target(file), kept: program === "jq" }));
};

export const FILES: Programs = {
  rm: remove,
  grm: remove,
  rimraf: ({ args }, { target }) =>
    readOptions(args).operands.map((operand) => ({ type: "delete", path: target(operand), recursive: true })),
  unlink: rmdir,
  rmdir,
  shred,
  srm: shred,
  wipe: shred,
  truncate,
  tee,
  touch: makes("file", ["d", "date", "r", "reference", "t", "time"]),
  mkfifo: makes("file", ["m", "mode"]),
  mknod: makes("file", ["m", "mode"], 1),
  mkdir: makes("directory", ["m", "mode"]),
  sponge: tee,
  cp: copy,
  install,
  mv: move,
  ln: link,
  chmod: permissions,
  chown: permissions,
  chgrp: permissions,
  setfacl: permissions,
  chattr: permissions,
  find,
  rsync,
  scp: fetched,
  sftp: fetched,
  sed,
  gsed: sed,
  grep: searches,
  egrep: searches,
  fgrep: searches,
  rg: searches,
  ag: searches,
  cat: readsFiles,
  tac: readsFiles,
  od: readsFiles,
  pbcopy: readsFiles,
  head: readsFiles,
  tail: readsFiles,
  less: readsFiles,
  more: readsFiles,
  bat: readsFiles,
  nl: readsFiles,
  xxd: readsFiles,
  hexdump: readsFiles,
  strings: readsFiles,
  base64: readsFiles,
};
