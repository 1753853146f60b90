/** Programs that unpack files into a directory, or replace a file by a packed one. */
import { type Arg, arg } from "../arg.ts";
import type { CommandEffect } from "../effect.ts";
import { has, readOptions } from "../options.ts";
import type { Program, ProgramContext, Programs } from "../programs.ts";

/** Which files lie in an archive nobody knows: whatever is in the directory may be written over, unless some are named. */
function into(directory: Arg = arg("."), members: readonly Arg[], { target }: ProgramContext): CommandEffect[] {
  const named = members.map(({ text }) => ({
    text: `${directory.text.replace(/\/+$/, "")}/${text}`,
    glob: /[*?[]/.test(text),
  }));
  return (named.length > 0 ? named : [directory]).map((path) => ({
    type: "overwrite",
    path: { ...target(path), contents: false },
    append: true,
    lands: "below",
  }));
}

const TAR_VALUES =
  "f file C directory T files-from X exclude-from exclude strip-components transform xform s b I use-compress-program".split(
    " ",
  );

const tar: Program = ({ args: given }, context) => {
  // `tar xf a.tar`: the first word is options without a dash.
  const args = given.map((word, index) =>
    index === 0 && /^[a-zA-Z]+$/.test(word.text) ? { ...word, text: `-${word.text}` } : word,
  );
  const options = readOptions(args, { valued: TAR_VALUES });
  if (has(options, "x", "extract", "get")) {
    if (has(options, "O", "to-stdout")) return [];
    const isRenamed = has(options, "strip-components", "transform", "xform", "s");
    const directory = options.values.get("C") ?? options.values.get("directory");
    return into(directory, isRenamed ? [] : options.operands, context);
  }
  if (!has(options, "c", "create", "r", "append", "u", "update")) return [];
  const archive = options.values.get("f") ?? options.values.get("file");
  const { target } = context;
  return [
    ...(archive && archive.text !== "-"
      ? [{ type: "overwrite" as const, path: target(archive), append: !has(options, "c", "create") }]
      : []),
    ...options.operands.flatMap((file): CommandEffect[] => [
      { type: "read", path: target(file), kept: true },
      ...(has(options, "remove-files") ? [{ type: "delete" as const, path: target(file), recursive: true }] : []),
    ]),
  ];
};

const withoutDirectory = (member: Arg): Arg => ({ ...member, text: member.text.replace(/^.*\//, "") });

const unzip: Program = ({ args }, context) => {
  const options = readOptions(args, { valued: ["d", "P", "x"] });
  const [archive, ...members] = options.operands;
  if (!archive || has(options, "l", "t", "v", "Z", "p", "c")) return [];
  // After -x come those that are left out.
  const named = has(options, "x") ? [] : members;
  return into(options.values.get("d"), has(options, "j") ? named.map(withoutDirectory) : named, context);
};

const sevenZip: Program = ({ args }, context) => {
  if (!/^[xe]$/.test(args[0]?.text ?? "") || args.some(({ text }) => text === "-so")) return [];
  const directory = args.find(({ text }) => /^-o./.test(text));
  const [, , ...members] = args.filter(({ text }) => !text.startsWith("-"));
  return into(directory && arg(directory.text.slice(2)), members, context);
};

const cpio: Program = ({ args }, context) => {
  const options = readOptions(args, { valued: ["D", "directory", "F", "file", "E", "H"] });
  if (!has(options, "i", "extract") || has(options, "t", "list", "to-stdout")) return [];
  return into(options.values.get("D") ?? options.values.get("directory"), options.operands, context);
};

const zip: Program = ({ args }, { target }) => {
  const options = readOptions(args, { valued: ["x", "i", "P", "t", "n", "TT", "unzip-command"] });
  const [, ...files] = options.operands;
  return has(options, "m", "move")
    ? files.map((file) => ({ type: "delete", path: target(file), recursive: has(options, "r") }))
    : [];
};

/** `gzip file` leaves file.gz and no file; `gunzip file.gz` the other way round. */
const packs =
  (keeps: boolean, unpacks = false): Program =>
  ({ args }, { target }) => {
    const options = readOptions(args, { valued: ["S", "suffix", "T", "o"] });
    if (has(options, "c", "stdout", "to-stdout", "l", "list", "t", "test")) return [];
    const reverses = unpacks || has(options, "d", "decompress", "uncompress");
    return options.operands.flatMap((file): CommandEffect[] => {
      const plain = { ...file, text: file.text.replace(/\.(gz|bz2|xz|lzma|zst|Z)$/, "") };
      if (reverses) return [{ type: "overwrite", path: target(plain), append: false }];
      const kept = keeps ? !has(options, "rm") : has(options, "k", "keep");
      return kept ? [] : [{ type: "overwrite", path: target(file), append: false }];
    });
  };

export const ARCHIVES: Programs = {
  tar,
  gtar: tar,
  bsdtar: tar,
  unzip,
  "7z": sevenZip,
  "7za": sevenZip,
  "7zz": sevenZip,
  cpio,
  zip,
  gzip: packs(false),
  bzip2: packs(false),
  xz: packs(false),
  lzma: packs(false),
  compress: packs(false),
  zstd: packs(true),
  gunzip: packs(false, true),
  bunzip2: packs(false, true),
  unxz: packs(false, true),
};
