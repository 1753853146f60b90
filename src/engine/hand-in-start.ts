/** Records are handed to a server by a process of their own, which goes on as long as there is news. On the hot path. */
import { statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Environment, Places } from "../config/places.ts";
import type { Plan } from "../config/plan.ts";
import type { AppendSoon } from "../records/journal.ts";
import { giveSignOfLife, type HandInPlace, signOfHandIn, tellOfHandIn, variablesOf } from "./hand-in-sign.ts";

/** Whoever hands in says so this often at least. */
export const SIGN_OF_LIFE_MS = 2_000;
const SILENT_MS = 4 * SIGN_OF_LIFE_MS;
/** With a problem that people were told of, it is no use to begin anew with every call. */
const SILENT_WITH_PROBLEM_MS = 5 * 60_000;

/** Nobody waits for it, and a call that cannot start it is none the worse: the records stay, and the next one tries again. */
export function startHandIn(
  { root, settings }: Plan,
  places: Places,
  env: Environment,
  distDir: string,
  append?: AppendSoon,
): void {
  const { handIn } = settings;
  if (!handIn || places.recordsDir !== undefined) return;
  try {
    const sign = signOfHandIn(handIn, env, places);
    if (!env[handIn.tokenEnv]) return tellOfHandIn(missingToken(handIn), sign, { root, settings, places, append });
    if (isAlive(sign)) return;
    giveSignOfLife(sign);
    const program = join(distDir, "..", "bin", "holdfast");
    const isNode = /^node(\.exe)?$/.test(basename(process.execPath));
    const [command, ...words] = isNode ? [process.execPath, program] : [program];
    const place = ["--server", handIn.server, "--token-env", handIn.tokenEnv];
    const { spawn } = process.getBuiltinModule("node:child_process");
    const child = spawn(command as string, [...words, "hand-in", ...place, "--stay"], {
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

/** Two at once do no harm: the server keeps each record once. */
function isAlive(sign: string): boolean {
  const found = statSync(sign, { throwIfNoEntry: false });
  if (!found) return false;
  return Math.abs(Date.now() - found.mtimeMs) < (found.size > 0 ? SILENT_WITH_PROBLEM_MS : SILENT_MS);
}

const missingToken = ({ server, tokenEnv }: HandInPlace) =>
  `records are not handed in to ${server}: the variable ${tokenEnv} with the token for it is not set where the agent was ` +
  "started. Set it there and start the agent again; until then the records wait in the journals.";

const WAYS = /^(HTTPS?_PROXY|ALL_PROXY|NO_PROXY|NODE_USE_ENV_PROXY|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA)$/i;
const OWN = /^(HOME|PATH|TZ|LANG|LC_.*|XDG_.*|HOLDFAST_(CONFIG|STATE|MANAGED)_DIR)$/;

/** What finds our places and the server, and the token; nothing else of the agent's. */
function environmentFor(place: HandInPlace, env: Environment): NodeJS.ProcessEnv {
  const named = new Set(variablesOf(place));
  const kept = Object.entries(env).filter(([name]) => named.has(name) || WAYS.test(name) || OWN.test(name));
  return { ...Object.fromEntries(kept), HOLDFAST_INTERNAL: "1" };
}
