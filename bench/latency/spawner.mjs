// Runs bench/spawn.c: one case some times, with its answers checked.
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A child that ever had more memory than this was Node, whatever it was when it began. */
const NODE_KIB = 20 * 1024;

/** `one`: { name, command, input, exitCode?, text?, env?, cwd, pauseUs? }. Times are milliseconds. */
export function spawnTimes(tools, scratch, one, count, callers = 1) {
  const { command, input, exitCode = 0, text = "", env = {}, cwd, pauseUs = 0 } = one;
  const errors = join(scratch.dir, "stderr");
  const file = openSync(errors, "w");
  const args = [callers, count, pauseUs, input, exitCode, text, ...command].map(String);
  const { status, stdout } = spawnSync(tools.spawn, args, {
    cwd,
    env: { ...scratch.env, ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", file],
    maxBuffer: 1 << 30,
  });
  closeSync(file);
  if (status !== 0) throw new Error(`${one.name}: ${readFileSync(errors, "utf8").slice(-2_000) || `exit ${status}`}`);
  const lines = stdout.trim().split("\n");
  const wallMs = Number(lines.pop()) / 1000;
  const runs = lines.map((line) => line.split(" ").map(Number));
  return {
    times: runs.map(([us]) => us / 1000),
    byNode: runs.filter(([, kib]) => kib > NODE_KIB).length,
    wallMs,
  };
}

/** All of them in turns, so that whatever else the machine does hits them alike. */
export function takeTurns(tools, scratch, cases, { rounds, turn }, say = () => {}) {
  const taken = new Map(cases.map((one) => [one, { times: [], byNode: 0 }]));
  for (let done = 0; done < rounds; done += turn) {
    for (const one of cases) {
      const { times, byNode } = spawnTimes(tools, scratch, one, Math.min(turn, rounds - done));
      const all = taken.get(one);
      all.times.push(...times);
      all.byNode += byNode;
    }
    say(Math.min(rounds, done + turn));
  }
  return taken;
}
