/** Whether a program is there and which: asked for its version, nothing else. */
import { execFile } from "node:child_process";
import type { Backend } from "../backend.ts";

const PATIENCE_MS = 30_000;

export function probeProgram(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  args: readonly string[] = ["--version"],
): ReturnType<Backend["probe"]> {
  const [program = "", ...before] = command;
  return new Promise((settle) => {
    const options = { env, timeout: PATIENCE_MS, windowsHide: true };
    const child = execFile(program, [...before, ...args], options, (error, stdout, stderr) => {
      if (error) settle({ ok: false, problem: problemOf(program, error, stderr) });
      else settle({ ok: true, version: (stdout.trim() || stderr.trim()).split("\n")[0] ?? "" });
    });
    child.stdin?.on("error", () => {}).end();
  });
}

function problemOf(program: string, error: Error & { code?: unknown }, stderr: string): string {
  if (error.code === "ENOENT") return `${program} is not installed, or not on the PATH`;
  const said = stderr.trim().split("\n")[0];
  return `${program} --version failed: ${said || error.message.split("\n")[0]}`;
}
