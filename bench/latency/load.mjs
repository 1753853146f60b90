// Runs bench/load.c: many calls to the daemon without a process each.
import { spawnSync } from "node:child_process";

/** Throws if a single call is declined, broken off, or answered otherwise than with silence. Times are milliseconds. */
export function loadTimes(tools, scratch, requests, callers, callsEach) {
  const args = [scratch.socket, callers, callsEach, ...requests].map(String);
  const { status, stdout, stderr } = spawnSync(tools.load, args, { encoding: "utf8", maxBuffer: 1 << 30 });
  if (status !== 0) throw new Error(`${callers} callers on the socket: ${stderr || `exit ${status}`}`);
  const lines = stdout.trim().split("\n");
  const wallMs = Number(lines.pop()) / 1000;
  return { times: lines.map((us) => Number(us) / 1000), wallMs };
}
