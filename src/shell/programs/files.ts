/** Programs that delete, overwrite, move and copy files, and change who may use them. */
import { type Arg, arg, UNKNOWN } from "../arg.ts";
import type { CommandEffect } from "../effect.ts";
import { isNarrowed } from "../find-tests.ts";
import { has, readOptions } from "../options.ts";
import type { Program, Programs } from "../programs.ts";
import { isDevice } from "./redirects.ts";

const remove: Program = ({ args }, { target }) => {
  const options = readOptions(args, { valued: ["interactive"] });
  const recursive = has(options, "r", "R", "recursive");
  return options.operands.map((operand) => ({ type: "delete", path: target(operand), recursive }));
};

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

const destination = (args: readonly Arg[]) => {
  const options = readOptions(args, {
    valued: ["t", "target-directory", "S", "suffix", "m", "mode", "o", "owner", "g", "group"],
  });
  const into = options.values.get("t") ?? options.values.get("target-directory");
  const sources = into ? options.operands : options.operands.slice(0, -1);
  return { options, to: into ?? options.operands.at(-1), sources };
};

const copy: Program = ({ args }, { target }) => {
  const { to, sources } = destination(args);
  if (!to || sources.length === 0) return [];
  const path = target(to);
  const written: CommandEffect = isDevice(path.path)
    ? { type: "device", path, deed: "write" }
    : { type: "overwrite", path, append: false };
  return [...sources.map((source): CommandEffect => ({ type: "read", path: target(source), kept: true })), written];
};

const move: Program = ({ args }, { target }) => {
  const { to, sources } = destination(args);
  return to ? sources.map((source) => ({ type: "move", from: target(source), to: target(to) })) : [];
};

const link: Program = ({ args }, { target }) => {
  const { options, to, sources } = destination(args);
  return to && sources.length > 0 && has(options, "f", "force")
    ? [{ type: "overwrite", path: target(to), append: false }]
    : [];
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
const find: Program = ({ args }, { target }) => {
  if (!args.some(({ text }) => text === "-delete")) return [];
  const firstOption = args.findIndex(({ text }) => /^[-(!]/.test(text));
  const roots = args.slice(0, firstOption < 0 ? args.length : firstOption);
  const narrowed = isNarrowed(args);
  return (roots.length > 0 ? roots : [arg(".")]).map((root) => ({
    type: "delete",
    path: {
      ...target(narrowed && TEMPORARY.test(root.text) ? arg(`${root.text}/${UNKNOWN}`) : root),
      contents: false,
      glob: narrowed,
    },
    recursive: true,
  }));
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
  if (!to || options.operands.length < 2 || to.text.includes(":") || !deletes) return [];
  return [{ type: "delete", path: { ...target(to), contents: true }, recursive: true }];
};

/** In-place editors write the files they are given. */
const sed: Program = ({ args }, { target }) => {
  const options = readOptions(args, { valued: ["e", "f", "expression", "file", "l"] });
  const inPlace = [...options.given].some((name) => name === "i" || name.startsWith("in-place"));
  if (!inPlace) return options.operands.slice(1).map((file) => ({ type: "read", path: target(file) }));
  const files = has(options, "e", "f", "expression", "file") ? options.operands : options.operands.slice(1);
  return files.map((file) => ({ type: "overwrite", path: target(file), append: true }));
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
  sponge: tee,
  cp: copy,
  install: copy,
  mv: move,
  ln: link,
  chmod: permissions,
  chown: permissions,
  chgrp: permissions,
  setfacl: permissions,
  find,
  rsync,
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
