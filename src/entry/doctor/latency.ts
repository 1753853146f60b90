/** What one call costs on the way that is registered, measured now. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hookArguments } from "../../hosts/hook-command.ts";
import type { Host, InstallTarget } from "../../hosts/host.ts";
import { type Finding, failure, good } from "./finding.ts";

export async function latencyFinding(host: Host, { program, projectDir, env }: InstallTarget): Promise<Finding> {
  if (host.inProcess) return good("latency", "in the agent's own process: no process per call");
  const native = host.support.pre_tool_use?.native[0] ?? "";
  const sample = { on: "pre_tool_use", native, session: "doctor", cwd: projectDir, id: "doctor" } as const;
  const payload = host.codec.compose({ ...sample, call: host.probes.shell("true") });
  const scratch = mkdtempSync(join(tmpdir(), "holdfast-doctor-"));
  try {
    // Records and memory of a call that never was go nowhere.
    const quiet = {
      ...env,
      HOLDFAST_STATE_DIR: join(scratch, "state"),
      HOLDFAST_RECORDS_DIR: join(scratch, "records"),
    };
    const once = () => timed(program, hookArguments(host.id, native), JSON.stringify(payload), projectDir, quiet);
    // The first call compiles the plan.
    await once();
    const { ms, code } = await once();
    if (code !== 0) return failure("latency", `a harmless call ended with exit ${code}`, "holdfast check");
    return good("latency", `${Math.round(ms)} ms for one call, in a process of its own`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function timed(
  program: string,
  args: readonly string[],
  stdin: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ ms: number; code: number | null }> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const child = spawn(program, args, { cwd, env, stdio: ["pipe", "ignore", "ignore"], timeout: 30_000 });
    child.on("error", () => resolve({ ms: 0, code: null }));
    child.on("close", (code) => resolve({ ms: performance.now() - startedAt, code }));
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
  });
}
