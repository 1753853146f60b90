/** Records are handed to a server by a process of their own, which goes on as long as there is news. On the hot path. */
import { spawn } from "node:child_process";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Environment, type Places, sha256 } from "../config/places.ts";
import type { Plan, PlanSettings } from "../config/plan.ts";

export type HandInPlace = NonNullable<PlanSettings["handIn"]>;

/** Whoever hands in says so this often at least. */
export const SIGN_OF_LIFE_MS = 2_000;
const SILENT_MS = 4 * SIGN_OF_LIFE_MS;

/** Carries the time of the last sign of life. Two at once do no harm: the server keeps each record once. */
export const signOfLife = ({ server, tokenEnv }: HandInPlace, { stateDir }: Pick<Places, "stateDir">) =>
  join(stateDir, "run", `hand-in-${sha256(JSON.stringify([server, tokenEnv])).slice(0, 16)}`);

/** Nobody waits for it, and a call that cannot start it is none the worse: the records stay, and the next one tries again. */
export function startHandIn({ settings }: Plan, places: Places, env: Environment, distDir: string): void {
  const { handIn } = settings;
  if (!handIn || places.recordsDir !== undefined) return;
  try {
    const sign = signOfLife(handIn, places);
    const last = statSync(sign, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Math.abs(Date.now() - last) < SILENT_MS) return;
    mkdirSync(dirname(sign), { recursive: true, mode: 0o700 });
    writeFileSync(sign, "", { mode: 0o600 });
    const program = join(distDir, "..", "bin", "holdfast");
    const isNode = /^node(\.exe)?$/.test(basename(process.execPath));
    const [command, ...words] = isNode ? [process.execPath, program] : [program];
    const child = spawn(command as string, [...words, "hand-in", "--server", handIn.server, "--stay"], {
      cwd: "/",
      detached: true,
      stdio: "ignore",
      env: environmentFor(handIn, env),
    });
    child.on("error", () => {});
    child.unref();
  } catch {
    // As above.
  }
}

/** What finds our places and the server, and the token; nothing else of the agent's. */
function environmentFor({ server, tokenEnv }: HandInPlace, env: Environment): NodeJS.ProcessEnv {
  const named = new Set([tokenEnv, ...[...server.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name)]);
  const isKept = (name: string) =>
    named.has(name) ||
    /^(HOME|PATH|TZ|LANG|LC_.*|XDG_.*|NODE_EXTRA_CA_CERTS|HOLDFAST_(CONFIG|STATE|MANAGED)_DIR)$/.test(name);
  const kept = Object.entries(env).filter(([name]) => isKept(name));
  return { ...Object.fromEntries(kept), HOLDFAST_INTERNAL: "1" };
}
