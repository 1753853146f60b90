/** Programs that run a command in an environment of some kind: a virtual one, a sandbox, another machine, on every change. */
import { texts } from "./arg.ts";
import { has, readOptions } from "./options.ts";
import { container, verbThenCommand } from "./tool-commands.ts";
import type { Unwrap, UnwrapEach, Unwrapped } from "./unwrapped.ts";
import { afterWord, asScript, joinedText, prefix, scriptOption } from "./wrappers.ts";

const behindDashes = afterWord(/^--$/);

/** `limactl shell name command`, `machinectl shell name command`: a verb, a name, then the command. */
const verbNameCommand =
  (...verbs: string[]): Unwrap =>
  (invocation) =>
    verbThenCommand(...verbs)(invocation).flatMap((inner) => {
      const words = "words" in inner ? inner.words.slice(1).filter(({ text }) => text !== "--") : [];
      return words.length > 0 ? [{ words, via: inner.via, elsewhere: "another machine" }] : [];
    });

/** `watchexec -e ts -- command`; without dashes the first word begins it. */
const watchexec: Unwrap = (invocation) => {
  const { program, args } = invocation;
  const { operands } = readOptions(args, {
    valued: ["e", "exts", "w", "watch", "i", "ignore", "f", "filter", "s", "d"],
    stopAtOperand: true,
  });
  return operands.length > 0 ? [{ script: joinedText(operands), via: program }] : [];
};

/** `entr -s 'script'`. */
const entr: Unwrap = (invocation) =>
  has(readOptions(invocation.args, { stopAtOperand: true }), "s")
    ? prefix()(invocation).map(asScript)
    : prefix()(invocation);

const TWO_VALUES =
  /^--(bind|ro-bind|dev-bind|bind-try|ro-bind-try|dev-bind-try|symlink|setenv|file|bind-data|ro-bind-data|chmod)$/;
const ONE_VALUE =
  /^--(dev|proc|tmpfs|mqueue|dir|chdir|unsetenv|uid|gid|hostname|lock-file|sync-fd|args|seccomp|argv0|perms|size|remount-ro|cap-add|cap-drop|exec-label|file-label)$/;

/** bubblewrap: its options take none, one or two words. */
const bwrap: Unwrap = ({ program, args }) => {
  let at = 0;
  for (const words = texts(args); words[at]?.startsWith("--"); at++) {
    if (words[at] === "--") {
      at++;
      break;
    }
    at += TWO_VALUES.test(words[at] ?? "") ? 2 : ONE_VALUE.test(words[at] ?? "") ? 1 : 0;
  }
  return at < args.length ? [{ words: args.slice(at), via: program }] : [];
};

/** `concurrently 'one' 'two'`. */
const concurrently: Unwrap = ({ program, args }) =>
  readOptions(args, {
    valued: ["n", "names", "c", "prefix-colors", "p", "prefix", "s", "success", "m", "max-processes"],
  }).operands.map(({ text }) => ({ script: text, via: program }));

/** One word is a program, or a whole command line; several are its words. */
const readings = (inner: Unwrapped) =>
  "words" in inner && inner.words.length === 1 ? [inner, asScript(inner)] : [inner];

const onlyFor =
  (verb: RegExp, unwrap: Unwrap): Unwrap =>
  (invocation) =>
    verb.test(joinedText(invocation.args)) ? unwrap(invocation) : [];

const rows = (names: string, unwrap: UnwrapEach) => names.split(" ").map((name) => [name, unwrap] as const);

export const ENVIRONMENT_RUNNERS: readonly (readonly [string, UnwrapEach])[] = [
  ...rows("conda mamba micromamba pixi hatch pdm toolbox devbox", verbThenCommand("run")),
  ...rows("asdf", verbThenCommand("exec")),
  ...rows("lerna distrobox guix", behindDashes),
  ...rows("limactl machinectl", verbNameCommand("shell")),
  ...rows("multipass", verbNameCommand("exec")),
  ...rows("incus", container),
  ...rows("lima shx flatpak-spawn", prefix()),
  ...rows("proot", prefix({ valued: ["r", "R", "b", "w", "q", "k", "S", "rootfs", "bind", "cwd"] })),
  ...rows(
    "ld.so ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-musl-x86_64.so.1",
    prefix({ valued: ["library-path", "preload", "audit", "argv0"] }),
  ),
  ...rows("qemu-x86_64 qemu-aarch64 qemu-arm", prefix({ valued: ["L", "E", "U", "cpu", "s", "g"] })),
  ...rows("bwrap", bwrap),
  ...rows("watchexec", watchexec),
  ...rows("entr", entr),
  ...rows("nodemon", scriptOption("x", "exec")),
  ...rows("concurrently", concurrently),
  ...rows("cargo", onlyFor(/^watch\b/, scriptOption("s", "shell"))),
  ...rows("gcloud", onlyFor(/\bssh\b/, scriptOption("command"))),
  ...rows("heroku", (invocation) => verbThenCommand("run")(invocation).flatMap(readings)),
  ...rows("just", afterWord(/^(-c|--command)$/)),
  ...rows("nix", (invocation) => afterWord(/^(-c|--command)$/)(invocation).flatMap(readings)),
];
