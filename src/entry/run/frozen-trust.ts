/**
 * Whether the hooks that a run keeps may run on this machine. What runs is what the run keeps, not what its assignment
 * says by now: so that is what a person here must have agreed to, whoever made the run and wherever.
 */
import { type Environment, placesOf } from "../../config/places.ts";
import { isTrusted, readTrust, type TrustStore, trustItem } from "../../config/trust.ts";
import { HoldfastError } from "../../core/errors.ts";
import { canonicalJson, type Json } from "../../core/json.ts";
import { loadAssignment } from "../../runs/assignment/load.ts";
import { RUN_BUILTINS } from "../../runs/hooks/builtins/registry.ts";
import { entriesOf } from "../../runs/hooks/freeze.ts";
import { isFrozenFrom } from "../../runs/hooks/references.ts";
import type { FrozenHook, HookSource, Run } from "../../runs/run.ts";
import { pinFiles } from "../../sources/pins.ts";
import { definitionPlaces, isOwnFile } from "./definitions.ts";
import type { OpenRuns } from "./ports.ts";

/** What of a repository's nobody here agreed to, in words; undefined: nothing. */
export function untrustedHook(
  { hooks, assignment }: Pick<Run, "hooks" | "assignment">,
  env: Environment,
): string | undefined {
  const trust = readTrust(placesOf(env).stateDir);
  const how = `holdfast trust --assignment ${assignment?.file ?? "<file>"} on this machine`;
  for (const hook of hooks) {
    const untrusted = untrustedModule(hook, trust, env) ?? untrustedCommand(hook, trust, env);
    if (untrusted !== undefined) return `nobody here trusted ${untrusted}; ${how}`;
    const forged = forgedCommand(hook);
    if (forged !== undefined) return `${forged}; make the run anew`;
  }
  return undefined;
}

/** Before a run of a database is driven here, as a worker asks before it takes one. */
export function requireOwnHere({ queue, env }: Pick<OpenRuns, "queue" | "env">, run: Run): void {
  const strange = queue && (untrustedHook(run, env) ?? strangeHook(run, env));
  if (strange !== undefined) throw new HoldfastError("HF1015", strange);
}

/** Of files on this machine it was asked when the run was made; one in a database may come from anywhere. */
export function requireTrustedHere(
  { queue, env }: Pick<OpenRuns, "queue" | "env">,
  hooks: Pick<Run, "hooks" | "assignment">,
): void {
  const untrusted = queue && untrustedHook(hooks, env);
  if (untrusted !== undefined) throw new HoldfastError("HF1015", untrusted);
}

/** What a person's own file brought elsewhere, and that of this machine does not. */
export function strangeHook(run: Run, env: Environment): string | undefined {
  for (const { id, source } of run.hooks) {
    if (source.type !== "builtin" || !source.written || !isOwnFile(source.written.file, env)) continue;
    const strange = missingHere(id, source.written, run, env);
    if (strange !== undefined) return strange;
  }
  return undefined;
}

function untrustedModule({ id, source, onDrift }: FrozenHook, trust: TrustStore, env: Environment): string | undefined {
  if (source.type !== "module") return undefined;
  // Where a change is only warned of, what runs is the code as it is here now.
  const pins = onDrift === "warn" ? { ...source.pins, ...pinFiles([source.file]) } : source.pins;
  const strange = Object.entries(pins).find(
    ([file, hash]) => !isOwnFile(file, env) && !Object.values(trust).some((known) => known.pins[file] === hash),
  );
  return strange && `the code of hook ${id} (${strange[0]})`;
}

function untrustedCommand({ source }: FrozenHook, trust: TrustStore, env: Environment): string | undefined {
  const text = commandOf(source);
  if (text === undefined || source.type !== "builtin" || !source.written || isOwnFile(source.written.file, env)) return;
  const item = trustItem({ what: "command", file: source.written.file, text, pins: {} });
  return isTrusted(item, trust) ? undefined : text;
}

function forgedCommand({ id, source, config }: FrozenHook): string | undefined {
  if (source.type !== "builtin" || commandOf(source) === undefined) return undefined;
  const { written } = source;
  if (!written) return `the run does not say where the command of its hook ${id} comes from`;
  return isFrozenFrom(config, written.with)
    ? undefined
    : `the command of its hook ${id} is not what was written in ${written.file}`;
}

/** As people are asked about it; undefined: it starts no program. */
function commandOf(source: HookSource): string | undefined {
  if (source.type !== "builtin") return undefined;
  return RUN_BUILTINS.find(({ name }) => name === source.name)?.codeIn?.(source.written?.with ?? null);
}

/** A person's own file needs no trust, so it is this machine's that counts. */
function missingHere(
  id: string,
  written: { readonly file: string; readonly with: Json },
  { assignment, settings: { cwd } }: Run,
  env: Environment,
): string | undefined {
  try {
    const entries = entriesOf(loadAssignment(assignment?.file ?? written.file, definitionPlaces(cwd, env)));
    const same = canonicalJson(written.with);
    if (entries.some(({ place, with: here }) => place.file === written.file && canonicalJson(here) === same)) return;
    return `the command of its hook ${id} is not in ${written.file} on this machine; make the run anew`;
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return `its assignment cannot be read here: ${error.message}`;
  }
}
