/** How wrappers start what they wrap: one function per way of doing it. */
import { type Arg, arg, isKnown, quoted, texts, UNKNOWN } from "./arg.ts";
import { shellOptions } from "./executed.ts";
import { filesWanted, isNarrowed } from "./find-tests.ts";
import type { Invocation, WrittenFile } from "./invocation.ts";
import { has, type OptionShape, readOptions } from "./options.ts";
import { printedNames } from "./printed-names.ts";
import { inputText, printedText } from "./printed-text.ts";
import { leadingAssignments } from "./run-variables.ts";
import type { Unwrap, Unwrapped } from "./unwrapped.ts";

/** Options, then the inner command. `skip`: operands before it. */
export const prefix =
  (shape: OptionShape = {}, skip = 0): Unwrap =>
  ({ program, args }) => {
    const { operands } = readOptions(args, { ...shape, stopAtOperand: true });
    return withAssignments(operands.slice(skip), { via: program });
  };

/** `NAME=value … command`. */
function withAssignments(operands: readonly Arg[], rest: Pick<Unwrapped, "via" | "cwd">): Unwrapped[] {
  const words = withoutAssignments(operands);
  const env = leadingAssignments(operands);
  return words.length > 0 ? [{ words, ...rest, ...(env.size > 0 ? { env } : {}) }] : [];
}

const withoutAssignments = (words: readonly Arg[]) => {
  const first = words.findIndex(({ text }) => !/^\w+=/.test(text));
  return first < 0 ? [] : words.slice(first);
};

export const joinedText = (words: readonly Arg[]) => texts(words).join(" ");

/** `sh -c text`, `sh file`, `… | sh`. */
export const shell: Unwrap = (invocation) => {
  const { program, args, script } = invocation;
  const options = shellOptions(args);
  const [first, ...rest] = options.operands;
  const startup = options.values.get("rcfile") ?? options.values.get("init-file");
  const begun = startup ? fileScript(program, startup, undefined, []) : [];
  if (has(options, "c"))
    return first
      ? [
          ...begun,
          { script: withPositionals(first.text, rest[0], rest.slice(1)), via: `${program} -c`, inheritsStdin: true },
        ]
      : begun;
  if (first && !has(options, "s") && !isStdin(first)) return fileScript(program, first, script, rest);
  return [...begun, ...scriptOnInput(invocation)];
};

/** A shell that is given nothing runs what it reads. */
function scriptOnInput({ program, stdin }: Invocation): Unwrapped[] {
  const text = inputText(stdin);
  return text === undefined ? [] : [{ script: text, via: stdin.type === "pipe" ? `a pipe into ${program}` : program }];
}

/** A file whose text is known: this command line wrote it, or it is `<(…)`. */
function fileScript(program: string, file: Arg, written: WrittenFile | undefined, rest: readonly Arg[]): Unwrapped[] {
  const text = written?.text ?? (file.from ? printedText(file.from) : undefined);
  return text === undefined
    ? []
    : [
        {
          script: withPositionals(text, undefined, rest),
          via: `${program} ${file.text === UNKNOWN ? "<(…)" : file.text}`,
        },
      ];
}

export const source: Unwrap = ({ program, args, stdin, script }) => {
  const [file, ...rest] = args;
  if (!file) return [];
  return isStdin(file) ? onInput(stdin, program, (text) => text) : fileScript(program, file, script, rest);
};

export const isStdin = ({ text }: Arg) => text === "-" || text === "/dev/stdin" || text === "/dev/fd/0";

/** `$0`, `$1`, `$@`: the words after a script stand in it, each as it is quoted there. */
const withPositionals = (script: string, name: Arg | undefined, values: readonly Arg[]) =>
  script.replace(
    /(")?\$(?:\{([0-9@*])\}|([0-9@*]))(\1)/g,
    (whole, quote: string | undefined, braced: string, bare: string) => {
      const which = braced ?? bare;
      if (which === "@" || which === "*")
        return values.length > 0 ? values.map((value) => asWord(value, quote)).join(" ") : whole;
      const value = which === "0" ? name : values[Number(which) - 1];
      return value ? asWord(value, quote) : whole;
    },
  );

/** What may name many files must not be quoted, or it would name one. */
const asWord = ({ text, glob }: Arg, quote: string | undefined) => (quote && !glob ? quoted(text) : text);

export const env: Unwrap = ({ args }) => {
  const options = readOptions(args, { valued: ["u", "unset", "C", "chdir", "S", "split-string"], stopAtOperand: true });
  const split = options.values.get("S") ?? options.values.get("split-string");
  const cwd = options.values.get("C") ?? options.values.get("chdir");
  const rest = { via: "env", ...(cwd ? { cwd } : {}) };
  if (split) return [{ script: `${split.text} ${joinedText(options.operands)}`, ...rest }];
  return withAssignments(options.operands, rest);
};

export const sudo: Unwrap = (invocation) => {
  const { program, args } = invocation;
  const options = readOptions(args, {
    valued: ["u", "g", "h", "p", "C", "r", "t", "T", "U", "D", "R", "user", "group", "chdir", "chroot"],
    stopAtOperand: true,
  });
  const cwd = options.values.get("D") ?? options.values.get("chdir");
  if (has(options, "e", "edit")) return [{ words: [arg("sudoedit"), ...options.operands], via: program }];
  if (options.operands.length === 0 && has(options, "s", "i", "shell", "login")) return scriptOnInput(invocation);
  return withAssignments(options.operands, { via: program, ...(cwd ? { cwd } : {}) });
};

/** xargs: what comes on stdin is appended; where it is known, it is known here too. */
export function* xargs({ args, stdin }: Invocation): Iterable<Unwrapped> {
  const options = readOptions(args, {
    valued: [
      "I",
      "J",
      "L",
      "n",
      "P",
      "s",
      "d",
      "E",
      "a",
      "R",
      "S",
      "replace",
      "max-args",
      "max-procs",
      "delimiter",
      "arg-file",
      "max-lines",
    ],
    stopAtOperand: true,
  });
  const replace = options.values.get("I") ?? options.values.get("J") ?? options.values.get("replace");
  const words = options.operands;
  if (words.length === 0) return;
  const whole = has(options, "0", "null", "d", "delimiter") ? inputText(stdin) : undefined;
  const items =
    whole === undefined
      ? stdinItems(stdin)
      : whole
          .split(/[\0\n]/)
          .filter(Boolean)
          .map(arg);
  if (!replace) yield { words: [...words, ...items], via: "xargs" };
  else
    for (const item of items) {
      const each = words.map((word) =>
        word.text.includes(replace.text)
          ? { ...word, text: word.text.replaceAll(replace.text, item.text), glob: word.glob || item.glob }
          : word,
      );
      yield { words: each, via: "xargs" };
    }
}

function stdinItems(stdin: Invocation["stdin"]): Arg[] {
  if (stdin.type === "text") return stdin.text.split(/\s+/).filter(Boolean).map(arg);
  const last = stdin.type === "pipe" ? stdin.producers.at(-1) : undefined;
  if (last && (last.program === "echo" || last.program === "printf")) {
    const shown = last.args.filter(({ text }) => !/^-[neE]+$/.test(text));
    return shown.flatMap(({ text }) => text.split(/\s|\\n/).filter(Boolean)).map(arg);
  }
  const names = stdin.type === "pipe" ? printedNames(stdin.producers) : undefined;
  if (names) return names;
  return [stdin.type === "pipe" ? { ...arg(UNKNOWN), from: stdin.producers } : arg(UNKNOWN)];
}

/** `find … -exec cmd {} ;` : the files found stand as their starting directory and something under it. */
export function* find({ args }: Invocation): Iterable<Unwrapped> {
  const firstOption = args.findIndex(({ text }) => text.startsWith("-") || text === "(" || text === "!");
  const roots = args.slice(0, firstOption < 0 ? args.length : firstOption);
  const anyFile = isNarrowed(args) ? UNKNOWN : "*";
  for (let i = 0; i < args.length; i++) {
    const name = (args[i] as Arg).text;
    if (!/^-(exec|execdir|ok|okdir)$/.test(name)) continue;
    const end = args.findIndex(({ text }, at) => at > i && (text === ";" || text === "+" || text === "\\;"));
    const words = args.slice(i + 1, end < 0 ? args.length : end);
    // What stands among the words of the one is no other, unless a word that nobody knows ends it.
    if (words.every(isKnown)) i += words.length;
    for (const root of roots.length > 0 ? roots : [arg(".")]) {
      const below = root.text.replace(/\/$/, "");
      const files = [`${below}/${anyFile}`, ...filesWanted(args, below)];
      for (const file of files) {
        const each = words.map((word) =>
          word.text.includes("{}") ? { text: word.text.replaceAll("{}", file), glob: true } : word,
        );
        yield { words: each, via: `find ${name}` };
      }
    }
  }
}

export const ssh: Unwrap = ({ program, args, stdin }) => {
  const shape = {
    valued: ["b", "c", "D", "E", "e", "F", "I", "i", "J", "L", "l", "m", "O", "o", "p", "Q", "R", "S", "W", "w"],
    stopAtOperand: true,
  };
  const [host, ...rest] = readOptions(args, shape).operands;
  const here = startedBySshOptions(program, args);
  const command = readOptions(rest, { stopAtOperand: true }).operands;
  if (!host) return here;
  if (command.length === 0) {
    const text = inputText(stdin);
    return text === undefined ? here : [...here, { script: text, via: program, elsewhere: host.text }];
  }
  return [...here, { script: joinedText(command), via: program, elsewhere: host.text, inheritsStdin: true }];
};

/** `scp` and `sftp` take ssh's options, and with `-S` a program in its place. */
export const sshCopy: Unwrap = ({ program, args }) => [
  ...startedBySshOptions(program, args),
  ...scriptOption("S")({ program, args } as Invocation),
];

/** Commands of this machine, though the rest is done on another. */
function startedBySshOptions(program: string, args: readonly Arg[]): Unwrapped[] {
  return args.flatMap(({ text }) => {
    const [, option, command] = /^(?:-o)?(ProxyCommand|LocalCommand|KnownHostsCommand)[= ](.+)$/is.exec(text) ?? [];
    return command && command !== "none" ? [{ script: command, via: `${program} ${option}` }] : [];
  });
}

export const su: Unwrap = (invocation) => {
  const { program } = invocation;
  // What stands behind `--` is for the shell, which takes `-c` as well.
  const args = program === "su" ? invocation.args.filter(({ text }) => text !== "--") : invocation.args;
  const { values, operands } = readOptions(args, { valued: ["c", "command", "s", "shell", "g", "G", "u", "user"] });
  const script = values.get("c") ?? values.get("command");
  if (script) return [{ script: script.text, via: `${program} -c` }];
  if (program === "runuser" && values.has("u")) return operands.length > 0 ? [{ words: operands, via: program }] : [];
  return scriptOnInput(invocation);
};

export const scriptOption =
  (...names: string[]): Unwrap =>
  ({ program, args }) => {
    const { values } = readOptions(args, { valued: names });
    return names.flatMap((name) => {
      const script = values.get(name);
      return script ? [{ script: script.text, via: program }] : [];
    });
  };

export const joinedScript =
  (shape: OptionShape = {}): Unwrap =>
  ({ program, args }) => {
    const { operands } = readOptions(args, { ...shape, stopAtOperand: true });
    return operands.length > 0 ? [{ script: joinedText(operands), via: program }] : [];
  };

export const flock: Unwrap = ({ args }) => {
  const { values, operands } = readOptions(args, {
    valued: ["c", "command", "w", "E", "timeout"],
    stopAtOperand: true,
  });
  const script = values.get("c") ?? values.get("command") ?? (operands[1]?.text === "-c" ? operands[2] : undefined);
  if (script) return [{ script: script.text, via: "flock -c" }];
  return operands.length > 1 ? [{ words: operands.slice(1), via: "flock" }] : [];
};

export function* parallel({ args }: Invocation): Iterable<Unwrapped> {
  const { operands } = readOptions(args, {
    valued: ["j", "jobs", "n", "N", "a", "delay", "timeout", "colsep", "joblog", "S"],
    stopAtOperand: true,
  });
  const at = operands.findIndex(({ text }) => text.startsWith(":::"));
  const template = at < 0 ? operands : operands.slice(0, at);
  const values = at < 0 ? [arg(UNKNOWN)] : operands.slice(at + 1);
  const hasPlace = template.some(({ text }) => text.includes("{}"));
  const command = joinedText(template);
  for (const { text } of values)
    if (template.length === 0) yield { script: text, via: "parallel" };
    else yield { script: hasPlace ? command.replaceAll("{}", text) : `${command} ${text}`, via: "parallel" };
}

export const onInput = (stdin: Invocation["stdin"], via: string, change: (text: string) => string): Unwrapped[] => {
  const text = inputText(stdin);
  return text === undefined ? [] : [{ script: change(text), via }];
};

/** `* * * * * cmd`, `@daily cmd`. */
export const withoutSchedule = (text: string) =>
  text
    .split("\n")
    .map((line) => line.replace(/^\s*(@\w+|(\S+\s+){5})\s*/, ""))
    .join("\n");

export const afterWord =
  (word: RegExp): Unwrap =>
  ({ program, args }) => {
    const at = args.findIndex(({ text }) => word.test(text));
    const words = at < 0 ? [] : args.slice(at + 1).filter(({ text }) => text !== "--");
    return words.length > 0 ? [{ words, via: program }] : [];
  };

export const asScript = (inner: Unwrapped): Unwrapped =>
  "words" in inner ? { script: joinedText(inner.words), via: inner.via } : inner;

/** `script -c text`, and on macOS `script file command`. */
export const script: Unwrap = (invocation) => {
  const inner = scriptOption("c", "command")(invocation);
  return inner.length > 0 ? inner : prefix({ valued: ["t", "T", "B", "I", "O", "E", "o", "m"] }, 1)(invocation);
};

/** `screen -dm command`. */
export const screen: Unwrap = ({ program, args }) => {
  const options = readOptions(args, { valued: ["S", "c", "e", "h", "p", "s", "t", "T", "X"], stopAtOperand: true });
  const words = has(options, "r", "x", "R", "X") ? [] : options.operands;
  return words.length > 0 ? [{ words, via: program }] : [];
};

/** `setarch x86_64 -R command`: the architecture stands before the options, or is left out. */
export const setarch: Unwrap = (invocation) => {
  const { args } = invocation;
  return prefix()(args[0]?.text.startsWith("-") ? invocation : { ...invocation, args: args.slice(1) });
};

/** `runcon context command`; with any part of a context as an option, there is no other. */
export const runcon: Unwrap = (invocation) => {
  const parts = ["t", "type", "u", "user", "r", "role", "l", "range"];
  const shape = { valued: parts, stopAtOperand: true };
  const isGiven = has(readOptions(invocation.args, shape), ...parts, "c", "compute");
  return prefix(shape, isGiven ? 0 : 1)(invocation);
};

const HYPERFINE_VALUES =
  "w warmup r runs m min-runs M max-runs p prepare c cleanup s setup C conclude n command-name u time-unit S shell export-json export-markdown export-csv".split(
    " ",
  );

/** What is measured, and what runs before and after it; each option may be given for every command. */
export const hyperfine: Unwrap = ({ program, args }) => {
  const around = args.flatMap(({ text }, index) => {
    const value = /^(?:--(?:prepare|cleanup|setup|conclude)(?:=|$)|-[iN]*[pcsC])(.*)$/s.exec(text)?.[1];
    return value === undefined ? [] : [value || (args[index + 1]?.text ?? "")];
  });
  const measured = readOptions(args, { valued: HYPERFINE_VALUES }).operands.map(({ text }) => text);
  return [...around, ...measured].map((text) => ({ script: text, via: program }));
};

export const trap: Unwrap = ({ args }) => {
  const [command, signal] = args[0]?.text === "--" ? args.slice(1) : args;
  return command && signal && command.text !== "-" ? [{ script: command.text, via: "trap" }] : [];
};

/** `systemd-run --working-directory=/ command`. */
export const systemdRun: Unwrap = (invocation) => {
  const { values } = readOptions(invocation.args, { valued: SYSTEMD_RUN_VALUES, stopAtOperand: true });
  const cwd = values.get("working-directory");
  return prefix({ valued: SYSTEMD_RUN_VALUES })(invocation).map((inner) => (cwd ? { ...inner, cwd } : inner));
};

const SYSTEMD_RUN_VALUES =
  "u unit p property slice description M machine H host C capsule E setenv uid gid nice service-type on-active on-boot on-startup on-unit-active on-unit-inactive on-calendar timer-property path-property socket-property working-directory background job-mode".split(
    " ",
  );

export function execOf(args: readonly Arg[], program: string): Unwrapped[] {
  const at = args.findIndex(({ text }) => /^(-x|-X|--exec|--exec-batch)$/.test(text));
  if (at < 0) return [];
  const words = args.slice(at + 1).map((word) => ({ ...word, text: word.text.replace(/\{[./]*\}/g, UNKNOWN) }));
  const hasPlace = args.slice(at + 1).some(({ text }) => /\{[./]*\}/.test(text));
  return words.length > 0 ? [{ words: hasPlace ? words : [...words, arg(UNKNOWN)], via: `${program} --exec` }] : [];
}
