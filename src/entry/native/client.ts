/**
 * The client that hosts call: the one of this build; or, for an installed package, one that was compiled on this machine
 * and lies in the user's state. Its place does not change with the version, so a registration outlives an upgrade: an
 * older client finds no daemon of its own and becomes the Node program.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Environment, sha256 } from "../../config/places.ts";
import { writePrivateFile } from "../../config/private-file.ts";
import { VERSION } from "../../engine/version.ts";
import { buildId } from "../daemon/socket-place.ts";
import { compile, hostCompiler } from "./compile.ts";

export interface Installation {
  readonly distDir: string;
  readonly stateDir: string;
}

/** undefined: there is none that fits this build. */
export function clientOf(installation: Installation): string | undefined {
  const packaged = join(installation.distDir, "native", "holdfast");
  if (existsSync(packaged)) return packaged;
  const file = builtClient(installation);
  return isSound(file, buildId(installation.distDir)) ? file : undefined;
}

export type Ensured =
  | { readonly kind: "ready" | "built"; readonly file: string }
  | { readonly kind: "none"; readonly why: string };

/** Builds it where it is missing or of another build. `pretend`: says what would come of it. */
export function ensureClient(installation: Installation, env: Environment, pretend: boolean): Ensured {
  const known = clientOf(installation);
  if (known) return { kind: "ready", file: known };
  const compiler = hostCompiler(env);
  if ("problem" in compiler) return { kind: "none", why: compiler.problem };
  const id = buildId(installation.distDir);
  const source = join(installation.distDir, "..", "native", "holdfast.c");
  if (id === undefined || !existsSync(source)) return { kind: "none", why: `${source} is missing` };
  const file = builtClient(installation);
  if (pretend) return { kind: "built", file };
  const part = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    chmodSync(dirname(file), 0o700);
    const program = join(realpathSync(join(installation.distDir, "..")), "bin", "holdfast");
    const baked = { source, out: part, buildId: id, node: process.execPath, program };
    const problem = compile(compiler.command, baked) ?? problemOf(part, env);
    if (problem !== undefined) return { kind: "none", why: problem };
    chmodSync(part, 0o700);
    renameSync(part, file);
    writePrivateFile(recordOf(file), JSON.stringify({ buildId: id, sha256: digestOf(file) }));
    return { kind: "built", file };
  } catch (error) {
    return { kind: "none", why: (error as Error).message };
  } finally {
    rmSync(part, { force: true });
  }
}

/** One for each package on this machine: it knows where its program lies. */
function builtClient({ distDir, stateDir }: Installation): string {
  return join(stateDir, "clients", sha256(realpathSync(join(distDir, ".."))).slice(0, 16), "holdfast");
}

const recordOf = (file: string) => `${file}.json`;
const digestOf = (file: string) => sha256(readFileSync(file).toString("base64"));

function isSound(file: string, id: string | undefined): boolean {
  try {
    const record = JSON.parse(readFileSync(recordOf(file), "utf8"));
    return record.buildId === id && record.sha256 === digestOf(file);
  } catch {
    return false;
  }
}

const CHECK_MS = 20_000;

/** It must run here (a state directory may forbid that), and find the program it falls back to. */
function problemOf(file: string, env: Environment): string | undefined {
  const { status, stdout, error } = spawnSync(file, ["--version"], { env, encoding: "utf8", timeout: CHECK_MS });
  if (status === 0 && stdout.trim() === VERSION) return undefined;
  return `the client that was built does not run here: ${error?.message ?? `exit ${status}`}`;
}
