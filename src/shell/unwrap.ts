import { codeDeeds, mayHoldCode } from "./code.ts";
import { ENVIRONMENT_RUNNERS } from "./environment-runners.ts";
import { git } from "./git-commands.ts";
import type { Invocation } from "./invocation.ts";
import { make } from "./makefile.ts";
import { exported, startedByVariables } from "./run-variables.ts";
import {
  ansible,
  container,
  localBinary,
  npmCall,
  packageRunner,
  secretsRunner,
  tmux,
  verbThenCommand,
} from "./tool-commands.ts";
import type { Unwrap, UnwrapEach, Unwrapped } from "./unwrapped.ts";
import {
  afterWord,
  asScript,
  env,
  execOf,
  find,
  flock,
  hyperfine,
  joinedScript,
  joinedText,
  onInput,
  parallel,
  prefix,
  runcon,
  screen,
  script,
  scriptOption,
  setarch,
  shell,
  source,
  ssh,
  sshCopy,
  su,
  sudo,
  systemdRun,
  trap,
  withoutSchedule,
  xargs,
} from "./wrappers.ts";

export function* unwrap(invocation: Invocation): Iterable<Unwrapped> {
  if (invocation.env.size > 0) yield* startedByVariables(invocation);
  const row = ROWS.get(invocation.program);
  if (row)
    yield* IN_THIS_SHELL.has(invocation.program) && !invocation.path ? inThisShell(row(invocation)) : row(invocation);
  if (mayHoldCode(invocation.program)) yield* startedByCode(invocation);
}

/** What they start changes the shell that starts it; a file of the same name is a program like others. */
const IN_THIS_SHELL = new Set(["eval", "source", ".", "builtin", "command"]);

function* inThisShell(started: Iterable<Unwrapped>): Iterable<Unwrapped> {
  for (const each of started) yield { ...each, inThisShell: true };
}

/** Programs that a one-liner starts. */
const startedByCode: Unwrap = (invocation) =>
  codeDeeds(invocation).flatMap((deed): Unwrapped[] => {
    if (deed.type === "script") return [{ script: deed.text, via: `${invocation.program}: ${deed.via}` }];
    return deed.type === "words" ? [{ words: deed.words, via: `${invocation.program}: ${deed.via}` }] : [];
  });

const SETPRIV_VALUES =
  "ruid euid reuid rgid egid regid groups inh-caps ambient-caps bounding-set securebits pdeathsig ptracer selinux-label apparmor-profile landlock-access landlock-rule seccomp-filter".split(
    " ",
  );
const NUMACTL_VALUES =
  "i interleave w weighted-interleave p preferred P preferred-many c cpubind N cpunodebind C physcpubind m membind S shm f file o offset L length M shmmode I shmid".split(
    " ",
  );

export const isWrapper = (program: string) => ROWS.has(program);

const ROWS: ReadonlyMap<string, UnwrapEach> = new Map<string, UnwrapEach>([
  ...["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh"].map(
    (name) => [name, shell] as const,
  ),
  ...["sudo", "doas", "pkexec", "run0"].map((name) => [name, sudo] as const),
  ...["gosu", "su-exec", "setuidgid"].map((name) => [name, prefix({}, 1)] as const),
  ["env", env],
  ["su", su],
  ["runuser", su],
  ["eval", ({ args }) => [{ script: joinedText(args), via: "eval" }]],
  ["trap", trap],
  ...["export", "declare", "typeset", "readonly"].map((name) => [name, exported] as const),
  ["source", source],
  [".", source],
  ...[
    "nohup",
    "setsid",
    "unbuffer",
    "fakeroot",
    "catchsegv",
    "torsocks",
    "tsocks",
    "proxychains",
    "proxychains4",
    "caffeinate",
    "tini",
    "dumb-init",
    "faketime",
    "rlwrap",
    "firejail",
    "nocache",
    "chronic",
    "ts",
    "busybox",
    "toybox",
    "builtin",
    "winpty",
    "dotenv",
    "cross-env",
    "npm-run-all",
    "corepack",
    "linux32",
    "linux64",
    "i386",
    "x86_64",
    "eatmydata",
    "systemd-inhibit",
    "dbus-run-session",
    "dbus-launch",
    "prlimit",
  ].map((name) => [name, prefix()] as const),
  [
    "command",
    ({ args }) =>
      args.some(({ text }) => /^-\w*[vV]/.test(text)) ? [] : prefix()({ program: "command", args } as Invocation),
  ],
  ["exec", prefix({ valued: ["a"] })],
  ["time", prefix({ valued: ["f", "o", "format", "output"] })],
  ["nice", prefix({ valued: ["n", "adjustment"] })],
  ["ionice", prefix({ valued: ["c", "n", "p", "class", "classdata"] })],
  ["timeout", prefix({ valued: ["s", "k", "signal", "kill-after"] }, 1)],
  ["gtimeout", prefix({ valued: ["s", "k", "signal", "kill-after"] }, 1)],
  ["chrt", prefix({}, 1)],
  ["setpriv", prefix({ valued: SETPRIV_VALUES })],
  ["numactl", prefix({ valued: NUMACTL_VALUES })],
  ["setarch", setarch],
  ["runcon", runcon],
  ["cpulimit", prefix({ valued: ["l", "p", "e", "P"] })],
  ["cgexec", prefix({ valued: ["g"] })],
  ["choom", prefix({ valued: ["n", "p"] })],
  ["hyperfine", hyperfine],
  ["taskset", prefix({}, 1)],
  ["stdbuf", prefix({ valued: ["i", "o", "e"] })],
  ["strace", prefix({ valued: ["e", "o", "p", "s", "u", "E", "a", "P"] })],
  ["ltrace", prefix({ valued: ["e", "o", "p", "s", "u"] })],
  ["valgrind", prefix()],
  ["systemd-run", systemdRun],
  ["unshare", prefix()],
  ["nsenter", prefix({ valued: ["t", "target"] })],
  ["xvfb-run", prefix({ valued: ["s", "n", "e", "f", "w"] })],
  [
    "chroot",
    ({ args }) =>
      prefix({}, 1)({ program: "chroot", args } as Invocation).map((inner) => ({ ...inner, elsewhere: "a chroot" })),
  ],
  ["xargs", xargs],
  ["find", find],
  ["fd", ({ args }) => execOf(args, "fd")],
  ["fdfind", ({ args }) => execOf(args, "fd")],
  ["ssh", ssh],
  ["autossh", ssh],
  ["mosh", ssh],
  ...["scp", "sftp"].map((name) => [name, sshCopy] as const),
  ...["wsl", "wsl.exe"].map(
    (name) => [name, prefix({ valued: ["d", "distribution", "u", "user", "cd", "shell-type"] })] as const,
  ),
  ["script", script],
  ["flock", flock],
  ["watch", joinedScript({ valued: ["n", "interval", "d"] })],
  ["parallel", parallel],
  ["at", ({ stdin }) => onInput(stdin, "at", (text) => text)],
  ["batch", ({ stdin }) => onInput(stdin, "batch", (text) => text)],
  ["crontab", ({ stdin }) => onInput(stdin, "crontab", withoutSchedule)],
  ["make", make],
  ["gmake", make],
  ["spawn", prefix()],
  ["xterm", afterWord(/^-e$/)],
  ["konsole", afterWord(/^-e$/)],
  ["gnome-terminal", afterWord(/^(--|-e|-x)$/)],
  ["start-stop-daemon", afterWord(/^(--exec|-x|--startas|-a)$/)],
  [
    "capsh",
    ({ args }) =>
      args.some(({ text }) => text === "-c") ? afterWord(/^-c$/)({ args } as Invocation).map(asScript) : [],
  ],
  ["sg", scriptOption("c")],
  ["rsync", scriptOption("e", "rsh")],
  ["man", scriptOption("P", "pager")],
  [
    "gdb",
    ({ args }) =>
      args.flatMap(({ text }) =>
        /^(shell|!)\s*/.test(text) ? [{ script: text.replace(/^(shell|!)\s*/, ""), via: "gdb" }] : [],
      ),
  ],
  ...["docker", "podman", "nerdctl", "kubectl", "oc", "docker-compose", "lxc"].map(
    (name) => [name, container] as const,
  ),
  ["git", git],
  ["tmux", tmux],
  ["screen", (invocation) => [...tmux(invocation), ...screen(invocation)]],
  ...["npx", "bunx", "pnpx", "uvx", "pipx"].map((name) => [name, packageRunner] as const),
  ["npm", (invocation) => [...verbThenCommand("exec", "x")(invocation), ...npmCall(invocation)]],
  ["pnpm", localBinary("exec", "dlx")],
  ["yarn", localBinary("exec", "dlx")],
  ["bun", localBinary("x")],
  ["poetry", verbThenCommand("run")],
  ["pipenv", verbThenCommand("run")],
  ["uv", verbThenCommand("run")],
  ["rye", verbThenCommand("run")],
  ["bundle", verbThenCommand("exec")],
  ["rtk", prefix()],
  ...["doppler", "op", "infisical", "railway", "chamber", "aws-vault", "saml2aws", "envchain", "teller"].map(
    (name) => [name, secretsRunner] as const,
  ),
  ["ansible", ansible],
  ["mise", verbThenCommand("exec", "x")],
  [
    "direnv",
    ({ args }) => (args[0]?.text === "exec" && args.length > 2 ? [{ words: args.slice(2), via: "direnv exec" }] : []),
  ],
  ["nix-shell", scriptOption("run", "command")],
  ["vagrant", scriptOption("c", "command")],
  ["expect", scriptOption("c")],
  ...ENVIRONMENT_RUNNERS,
]);
