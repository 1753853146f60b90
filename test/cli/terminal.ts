/** A pseudo terminal with a person's fingers. */
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Environment, type Machine, program } from "../program.ts";

/** Programs that open a pseudo terminal for the command line `$1`. */
const OPENERS: readonly (readonly [program: string, line: string])[] = [
  ["script", 'script -qec "$1" /dev/null'],
  [
    "python3",
    `python3 -c 'import os,pty,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(["sh","-c",sys.argv[1]])))' "$1"`,
  ],
];

const opener = OPENERS.find(
  ([name]) => spawnSync("sh", ["-c", `command -v ${name} && command -v setsid`]).status === 0,
);

export const noTerminal = opener === undefined ? "neither script nor python3 is here" : undefined;

export interface Terminal {
  /** Resolves once the text is on the screen. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  readonly ended: Promise<{ code: number; screen: string }>;
}

/**
 * Runs `holdfast` with the arguments, or another command line, on a terminal. It is cut loose from the processes above
 * us: tests may be run by an agent, which would be found among its ancestors. So the keys come through a named pipe.
 */
export function onTerminal(
  machine: Machine,
  args: readonly string[],
  { env = {}, line }: { env?: Environment; line?: string } = {},
): Terminal {
  const keyboard = join(machine.dir, `keyboard-${++terminals}`);
  execFileSync("mkfifo", [keyboard]);
  const keys = openSync(keyboard, "r+");
  // Without a size of its own the terminal has no columns, and every prompt breaks after each letter.
  const command = `stty rows 40 cols 150; ${line ?? [program, ...args].map(quoted).join(" ")}`;
  const script = `${opener?.[1]} < "$2"; echo "exit $?"`;
  const { ended, printed } = machine.start(["--fork", "sh", "-c", script, "sh", command, keyboard], {
    command: "setsid",
    env: { TERM: "xterm", ...env },
  });
  return {
    shows: printed,
    type: (text) => writeSync(keys, text),
    ended: ended.then(({ stdout }) => {
      closeSync(keys);
      const [, screen = "", code] = /^([\s\S]*)exit (\d+)\n$/.exec(stdout) ?? [];
      return { code: Number(code), screen };
    }),
  };
}

let terminals = 0;

export const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
