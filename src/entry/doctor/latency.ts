/** What one call costs on the way that is registered, measured now. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { placesOf } from "../../config/places.ts";
import { hookArguments } from "../../hosts/hook-command.ts";
import type { Environment, Host, InstallTarget } from "../../hosts/host.ts";
import { buildId, socketFile } from "../daemon/socket-place.ts";
import { askDaemon } from "../daemon/talk.ts";
import { clientOf, imageLack } from "../native/client.ts";
import { type Finding, failure, good, warning } from "./finding.ts";

export async function latencyFinding(host: Host, target: InstallTarget, distDir: string): Promise<Finding> {
  if (host.inProcess) return good("latency", "in the agent's own process: no process per call");
  const scratch = mkdtempSync(join(tmpdir(), "holdfast-doctor-"));
  const stateDir = join(scratch, "state");
  const socket = socketFile(buildId(distDir) ?? "", { stateDir });
  try {
    // Records and memory of a call that never was go nowhere.
    const env = { ...target.env, HOLDFAST_STATE_DIR: stateDir, HOLDFAST_RECORDS_DIR: join(scratch, "records") };
    const cold = await timesOf(host, target, { ...env, HOLDFAST_DAEMON: "off" });
    if (cold === undefined) return failure("latency", "a harmless call did not end well", "holdfast check");
    await timesOf(host, target, env);
    for (let waited = 0; waited < START_MS && !(await askDaemon(socket, "status")); waited += 50) await sleep(50);
    const warm = (await askDaemon(socket, "status")) ? await timesOf(host, target, env) : undefined;
    const installation = { distDir, stateDir: placesOf(target.env).stateDir };
    const lack = imageLack(installation);
    const alone = `${cold.toFixed(0)} ms for one call, in a process of its own`;
    if (!clientOf(installation)) {
      const missing = "there is no native client (holdfast init builds one, where a C compiler is)";
      return good("latency", [alone, missing, ...(lack ? [lack] : [])].join("; "));
    }
    if (warm === undefined)
      return warning("latency", `${alone}: the daemon did not start`, "holdfast daemon serve says why");
    const nothing = await medianOf(() => timed("true", [], "", target.projectDir, env));
    const ofThem = nothing === undefined ? "" : `, ${nothing.toFixed(1)} of them to start any program from here`;
    return good(
      "latency",
      `${warm.toFixed(1)} ms for one call through the daemon${ofThem} (${cold.toFixed(0)} ms without the daemon${lack ? `: ${lack}` : ""})`,
    );
  } finally {
    await askDaemon(socket, "stop");
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

const START_MS = 5_000;
const CALLS = 5;

async function timesOf(
  host: Host,
  { program, projectDir }: InstallTarget,
  env: Environment,
): Promise<number | undefined> {
  const native = host.support.pre_tool_use?.native[0] ?? "";
  const sample = { on: "pre_tool_use", native, session: "doctor", cwd: projectDir, id: "doctor" } as const;
  const payload = JSON.stringify(host.codec.compose({ ...sample, call: host.probes.shell("true") }));
  return medianOf(() => timed(program, hookArguments(host.id, native), payload, projectDir, env));
}

/** In milliseconds; undefined: a call failed. The first is not counted: it may compile the plan. */
async function medianOf(call: () => Promise<Timed>): Promise<number | undefined> {
  const times: number[] = [];
  for (let number = 0; number <= CALLS; number++) {
    const { ms, code } = await call();
    if (code !== 0) return undefined;
    if (number > 0) times.push(ms);
  }
  return times.sort((one, other) => one - other)[Math.floor(CALLS / 2)];
}

interface Timed {
  readonly ms: number;
  readonly code: number | null;
}

function timed(program: string, args: readonly string[], stdin: string, cwd: string, env: Environment): Promise<Timed> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const child = spawn(program, args, { cwd, env, stdio: ["pipe", "ignore", "ignore"], timeout: 30_000 });
    child.on("error", () => resolve({ ms: 0, code: null }));
    child.on("exit", (code) => resolve({ ms: performance.now() - startedAt, code }));
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
  });
}
