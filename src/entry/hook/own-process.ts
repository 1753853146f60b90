/** The process that a call is alone in, as far as a call needs it: a rehearsal has a stand-in. */
import { STDERR, STDIN, STDOUT } from "./standard-streams.ts";

export interface OwnProcess {
  readonly process: Pick<NodeJS.Process, "env" | "cwd" | "on" | "once" | "removeAllListeners" | "exit" | "exitCode">;
  readonly stdin: number;
  readonly stdout: number;
  readonly stderr: number;
  /** A process whose last open handle is not counted ends with 0, which hosts take for consent. */
  stayOpen(): void;
}

export const thisProcess = (): OwnProcess => ({
  process,
  stdin: STDIN,
  stdout: STDOUT,
  stderr: STDERR,
  stayOpen: () => void setInterval(() => {}, LONGEST_INTERVAL_MS),
});

const LONGEST_INTERVAL_MS = 2 ** 31 - 1;
