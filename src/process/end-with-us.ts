/**
 * Ends a program's process group when this process dies, also by a kill that lets it say nothing. A shell waits at the
 * other end of a pipe: the pipe closes with this process, and the shell ends the group.
 */
import { spawn } from "node:child_process";

export interface Tether {
  /** The program has ended by itself. */
  release(): void;
}

/** `pid`: the leader of the group. */
export function endWithUs(pid: number): Tether {
  if (process.platform === "win32") return { release: () => {} };
  const keeper = spawn("/bin/sh", ["-c", 'read -r ended || kill -s KILL -- "-$0"', String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: {},
  });
  // Without a shell nothing is ended; whoever takes over on this machine still finds the program by its mark.
  keeper.on("error", () => {});
  keeper.stdin.on("error", () => {});
  keeper.unref();
  return { release: () => keeper.stdin.end("ended\n") };
}
