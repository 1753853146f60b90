/** A client that found no daemon was answered by us; the next one shall find one. Nobody waits for it to start. */
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { placesOf } from "../../config/places.ts";
import { buildId, ensureRunDir, socketFile } from "../daemon/socket-place.ts";

/**
 * Why a client turned to us: where there is no daemon, only what is left of one, one that no client gets through to, or
 * one that died or hung under the call. One that serves after all stays: the new one finds it and ends.
 */
const MISSING = ["absent", "refused", "silent", "unsafe", "broken", "late"];

/** So that many calls at once do not start many. */
const PAUSE_MS = 3_000;

export function startDaemonIfMissing(env: NodeJS.ProcessEnv, distDir: string): void {
  if (!MISSING.includes(env.HOLDFAST_FALLBACK ?? "")) return;
  try {
    const mark = join(ensureRunDir(placesOf(env)), "starting");
    const last = statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Math.abs(Date.now() - last) < PAUSE_MS) return;
    writeFileSync(mark, "", { mode: 0o600 });
    // There is one, but not for a client that was built for an earlier version.
    if (env.HOLDFAST_FALLBACK === "absent" && existsSync(socketFile(buildId(distDir) ?? "", placesOf(env)))) return;
    const program = join(distDir, "..", "bin", "holdfast");
    const { spawn } = process.getBuiltinModule("node:child_process");
    const daemon = spawn(process.execPath, [program, "daemon", "serve"], {
      cwd: "/",
      detached: true,
      stdio: "ignore",
      env: ownEnvironment(env),
    });
    daemon.on("error", () => {});
    daemon.unref();
  } catch {
    // Without a daemon every call is answered as this one was.
  }
}

/** Calls bring their own environment: what the daemon itself has is only what it needs to find its places. */
function ownEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = Object.keys(env).filter((name) => /^(HOME|PATH|TZ|LANG|LC_.*|XDG_.*|HOLDFAST_.*)$/.test(name));
  const kept = names.filter((name) => !/^HOLDFAST_(FALLBACK|CALL_.*|INTERNAL|HOOK_RUN)$/.test(name));
  return Object.fromEntries(kept.map((name) => [name, env[name]]));
}
