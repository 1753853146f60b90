/** Variables whose value some program runs: as a command line, as a file, or as options of its own. */
import { type Arg, arg, texts, UNKNOWN } from "./arg.ts";
import { isShell } from "./executed.ts";
import type { Invocation } from "./invocation.ts";
import type { Unwrap, Unwrapped } from "./unwrapped.ts";

type Reading = (text: string, program: string) => readonly (string | readonly string[])[];

const commandLine: Reading = (text) => [text.replace(/^\|/, "")];
/** Expanded as a word, then read. */
const startupFile: Reading = (text) => [`. ${text}`];
const prompt: Reading = (text) => (/\$\(|`/.test(text) ? [`: "${text.replaceAll('"', '\\"')}"`] : []);
/** Code that is loaded into every program. */
const libraries: Reading = (text) =>
  text
    .split(/[:\s]+/)
    .filter((file) => file.includes("/"))
    .map((file) => [file]);
const loadedBy =
  (interpreter: string, option: RegExp): Reading =>
  (text) =>
    [...text.matchAll(option)].flatMap(([, file]) => (file?.includes("/") ? [[interpreter, file]] : []));

const makeOptions: Reading = (text) => {
  const evaluated = /(?:^|\s)(?:--eval[=\s]|-E)(.*)$/s.exec(text)?.[1];
  return evaluated === undefined ? [] : [["make", "--eval", evaluated]];
};

const READINGS: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  ...(
    "GIT_SSH_COMMAND GIT_SSH GIT_PROXY_COMMAND GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF GIT_ASKPASS " +
    "PAGER MANPAGER EDITOR VISUAL LESSOPEN LESSCLOSE PROMPT_COMMAND BROWSER FCEDIT SUDO_ASKPASS SSH_ASKPASS RSYNC_RSH " +
    "SUDO_EDITOR SYSTEMD_EDITOR SYSTEMD_PAGER KUBE_EDITOR"
  )
    .split(" ")
    .map((name) => [name, commandLine] as const),
  ["BASH_ENV", startupFile],
  // To anything but a shell it is a word like others: ENV=production.
  ["ENV", (text, program) => (isShell(program) ? startupFile(text, program) : [])],
  ...["PS0", "PS1", "PS2", "PS4"].map((name) => [name, prompt] as const),
  ...["LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"].map((name) => [name, libraries] as const),
  ["PYTHONSTARTUP", (text) => [["python3", text]]],
  ["NODE_OPTIONS", loadedBy("node", /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader)[=\s]\s*(\S+)/g)],
  ["RUBYOPT", loadedBy("ruby", /(?:^|\s)-r\s*(\S+)/g)],
  ["PERL5DB", (text) => [["perl", "-e", text]]],
  ["PERL5OPT", (text) => [["perl", ...text.split(/\s+/).filter(Boolean), "-e", "1"]]],
  ...["MAKEFLAGS", "GNUMAKEFLAGS"].map((name) => [name, makeOptions] as const),
  ["TAR_OPTIONS", (text) => [`tar ${text}`]],
]);

export const startedByVariables = ({ program, env }: Pick<Invocation, "program" | "env">): Unwrapped[] =>
  [...env].flatMap(([name, { text }]) => {
    if (text === "" || text === UNKNOWN) return [];
    const found = READINGS.get(name)?.(text, program) ?? [];
    return found.map(
      (run): Unwrapped => (typeof run === "string" ? { script: run, via: name } : { words: run.map(arg), via: name }),
    );
  });

export const isRun = (name: string) => READINGS.has(name);

/** `export PAGER=…`: what comes later has it. */
export const exported: Unwrap = ({ program, args }) => startedByVariables({ program, env: assignmentsIn(args) });

/** `NAME=value` words, as `env`, `sudo` and `export` take them. */
export function assignmentsIn(words: readonly Arg[]): ReadonlyMap<string, Arg> {
  const found = new Map<string, Arg>();
  for (const word of words) {
    const at = /^\w+=/.test(word.text) ? word.text.indexOf("=") : -1;
    if (at > 0) found.set(word.text.slice(0, at), { ...word, text: word.text.slice(at + 1) });
  }
  return found;
}

export const leadingAssignments = (words: readonly Arg[]) => {
  const first = texts(words).findIndex((text) => !/^\w+=/.test(text));
  return assignmentsIn(first < 0 ? words : words.slice(0, first));
};
