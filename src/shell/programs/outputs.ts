/** Programs that write a file which an option names, or that change or read the files they are given. A row per program. */
import { type Arg, arg, UNKNOWN } from "../arg.ts";
import type { CommandEffect } from "../effect.ts";
import { downloadedFiles } from "../executed.ts";
import { has, type Options, readOptions } from "../options.ts";
import type { Program, ProgramContext, Programs } from "../programs.ts";

interface Row {
  /** Options whose value is a file that is written. */
  readonly output?: readonly string[];
  /** Other options that take a value. */
  readonly valued?: readonly string[];
  /** Options with which the operands are changed; true: without any. */
  readonly changes?: readonly string[] | true;
  /** Options with which nothing is changed after all. */
  readonly unless?: readonly string[];
  readonly reads?: true;
  /** Operands before the files. */
  readonly skip?: number;
  readonly singleDash?: true;
  /** Lays files out anew and keeps what they mean: `prettier --write *` does no more than `prettier --write .`. */
  readonly formats?: true;
}

const row =
  ({ output = [], valued = [], changes = [], unless = [], reads, skip = 0, singleDash, formats }: Row): Program =>
  ({ args }, context) => {
    const options = readOptions(args, { valued: [...output, ...valued], ...(singleDash ? { singleDash } : {}) });
    const files = options.operands.slice(skip);
    const isChange = (changes === true || has(options, ...changes)) && !has(options, ...unless);
    return [
      ...written(output, options, context),
      ...(isChange ? files.map((file) => (formats ? formatted : changed)(file, context)) : []),
      ...(reads ? files.map((file): CommandEffect => ({ type: "read", path: context.target(file) })) : []),
    ];
  };

const written = (names: readonly string[], { values }: Options, { target }: ProgramContext): CommandEffect[] =>
  names.flatMap((name) => {
    const file = values.get(name);
    return file && file.text !== "-" ? [{ type: "overwrite", path: target(file), append: false }] : [];
  });

/** Most of the file stays, as with `sed -i`. */
const changed = (file: Arg, { target }: ProgramContext): CommandEffect => ({
  type: "overwrite",
  path: target(file),
  append: true,
});

const formatted = (file: Arg, { target }: ProgramContext): CommandEffect => ({
  type: "overwrite",
  path: { ...target(file), contents: false },
  append: true,
});

/** By an option whose name says it, whatever the program. */
export const namedOutputs: Program = ({ args }, context) =>
  written(NAMED_OUTPUTS, readOptions(args, { valued: NAMED_OUTPUTS }), context);

const NAMED_OUTPUTS = ["output", "output-file", "outfile", "out-file", "out"];

/** `ffmpeg -i in out`. */
const lastWord: Program = ({ args }, { target }) => {
  const to = args.at(-1);
  return to && !to.text.startsWith("-") ? [{ type: "overwrite", path: target(to), append: false }] : [];
};

/** `xxd -r in out`, `objcopy in out`. */
const lastOperand =
  (least: number, valued: readonly string[] = []): Program =>
  ({ args }, { target }) => {
    const { operands } = readOptions(args, { valued });
    const to = operands.length >= least ? operands.at(-1) : undefined;
    return to ? [{ type: "overwrite", path: target(to), append: false }] : [];
  };

/** `uniq in out`. */
const uniq: Program = ({ args }, { target }) => {
  const [from, to] = readOptions(args, { valued: ["f", "s", "w"] }).operands;
  return [
    ...(from ? [{ type: "read" as const, path: target(from) }] : []),
    ...(to ? [{ type: "overwrite" as const, path: target(to), append: false }] : []),
  ];
};

/** `split in prefix`, `csplit -f prefix in`: files whose names begin with it. */
const split: Program = ({ program, args }, { target }) => {
  const options = readOptions(args, { valued: ["b", "l", "n", "a", "C", "f", "prefix", "t", "bytes", "lines"] });
  const prefix = program === "split" ? options.operands[1] : (options.values.get("f") ?? options.values.get("prefix"));
  return prefix ? [{ type: "overwrite", path: target(arg(`${prefix.text}${UNKNOWN}`)), append: false }] : [];
};

const rename: Program = ({ args }, { target }) =>
  readOptions(args)
    .operands.slice(1)
    .map((file) => ({ type: "move", from: target(file), to: target(arg(UNKNOWN)) }));

/** What a download is left in, and what was said on the way. */
const download: Program = (invocation, context) => [
  ...downloadedFiles(invocation).map(
    (file): CommandEffect => ({ type: "overwrite", path: context.target(file), append: false }),
  ),
  ...(invocation.program === "curl"
    ? written(["D", "dump-header", "c", "cookie-jar"], readOptions(invocation.args, { valued: CURL_VALUES }), context)
    : []),
];

const CURL_VALUES = "o output H header d data X request u user A e x m D dump-header c cookie-jar b F T w".split(" ");

const SORTS: Row = {
  output: ["o", "output"],
  valued: ["k", "key", "t", "field-separator", "S", "T"],
  reads: true,
};
const READS: Row = { reads: true, valued: ["d", "f", "c", "b", "w", "t", "s", "n", "U", "W", "I", "x"] };
const EDITOR: Row = { changes: true, reads: true };
const FORMATTER: Row = { formats: true, changes: true, unless: ["check", "diff", "c", "check-only"] };

export const OUTPUTS: Programs = {
  sort: row(SORTS),
  shuf: row({ output: ["o", "output"], valued: ["n", "i", "e"], reads: true }),
  uniq,
  split,
  csplit: split,
  iconv: row({ output: ["o", "output"], valued: ["f", "t", "from-code", "to-code"], reads: true }),
  ...Object.fromEntries(
    ["cc", "gcc", "g++", "c++", "clang", "clang++", "ld", "rustc", "strip"].map((name) => [
      name,
      row({ output: ["o"], valued: ["I", "L", "l", "D", "x", "f", "m", "W", "O", "std"] }),
    ]),
  ),
  xxd: lastOperand(2, ["c", "g", "l", "o", "s", "n"]),
  objcopy: lastOperand(1, ["I", "O", "B", "j", "R", "N", "K", "L", "G", "W"]),
  ffmpeg: lastWord,
  convert: lastOperand(2),
  magick: lastOperand(2),
  jaq: row({ changes: ["i", "in-place"], skip: 1 }),
  dasel: row({ output: ["o", "out"], valued: ["t", "v", "r", "w", "s"] }),
  openssl: row({ output: ["out"], singleDash: true }),
  gpg: row({ output: ["o", "output"], valued: ["r", "recipient", "u", "d"] }),
  pandoc: row({ output: ["o", "output"], valued: ["f", "t"] }),
  xmllint: row({ output: ["output", "o"] }),
  yq: row({ changes: ["i", "inplace", "in-place"] }),
  xmlstarlet: row({ changes: ["L", "inplace"] }),
  sd: row({ changes: true, unless: ["p", "preview"], skip: 2 }),
  prettier: row({ formats: true, changes: ["w", "write"] }),
  biome: row({ formats: true, changes: ["write", "fix", "apply"] }),
  eslint: row({ formats: true, changes: ["fix"] }),
  gofmt: row({ formats: true, changes: ["w"] }),
  shfmt: row({ formats: true, changes: ["w", "write"] }),
  "clang-format": row({ formats: true, changes: ["i"] }),
  autopep8: row({ formats: true, changes: ["i", "in-place"] }),
  black: row(FORMATTER),
  isort: row(FORMATTER),
  rustfmt: row(FORMATTER),
  dos2unix: row({ changes: true }),
  unix2dos: row({ changes: true }),
  fallocate: row({ changes: true, valued: ["l", "o", "length", "offset"] }),
  crudini: row({ changes: ["set", "del", "merge"] }),
  ...Object.fromEntries(
    ["vim", "nvim", "vi", "ex", "gvim", "ed", "nano", "pico", "micro", "emacs"].map((name) => [
      name,
      row({ ...EDITOR, valued: ["c", "cmd", "S", "u", "i", "t", "T", "w", "W", "eval", "f", "l", "funcall"] }),
    ]),
  ),
  sudoedit: row(EDITOR),
  ...Object.fromEntries(
    ["cut", "paste", "diff", "comm", "fold", "column", "rev", "expand", "fmt", "pr", "sdiff", "colordiff"].map(
      (name) => [name, row(READS)],
    ),
  ),
  rename,
  prename: rename,
  "perl-rename": rename,
  curl: download,
  wget: download,
  wget2: download,
  aria2c: download,
};
