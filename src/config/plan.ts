/** The plan: config validated and compiled once, so that the hot path reads one JSON file. Node built-ins only. */
import { readFileSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import type { ErrorCode, ErrorPlace } from "../core/errors.ts";
import type { EventName } from "../core/event.ts";
import type { Layer, OnError } from "../core/hook.ts";
import type { JsonObject } from "../core/json.ts";
import type { AgentScope } from "../core/match.ts";
import type { ToolKind } from "../core/tool.ts";
import type { Pins } from "../sources/pins.ts";
import type { KnowledgeConfig } from "./knowledge-schema.ts";
import type { PatternData } from "./pattern.ts";
import { type Environment, type Places, type Standing, sha256 } from "./places.ts";
import { writePrivateFile } from "./private-file.ts";

export interface PlanHook {
  readonly name: string;
  /** For people: `builtin`, the command line, the module's file. */
  readonly source: string;
  readonly layer: Layer;
  readonly priority: number;
  /** Runs after every hook that does not say so. */
  readonly last?: true;
  readonly on: readonly EventName[];
  readonly matcher?: PatternData;
  readonly when?: PlanWhen;
  readonly onError: OnError;
  readonly mode?: "observe";
  readonly timeoutMs: number;
  readonly statusMessage?: string;
  readonly run: PlanRun;
  /** Where it is written. Absent: shipped with Holdfast. */
  readonly place?: { readonly file: string; readonly line?: number };
  readonly trust: "not-needed" | "trusted" | "untrusted";
}

export interface PlanWhen {
  readonly kinds?: readonly ToolKind[];
  readonly tool?: PatternData;
  readonly command?: PatternData;
  readonly paths?: PatternData;
  readonly hosts?: readonly string[];
  readonly agents?: AgentScope;
}

/** `${NAME}` references stay references: a plan on disk holds no secret. */
export type PlanRun =
  | { readonly type: "builtin"; readonly name: string; readonly options: JsonObject }
  | { readonly type: "command"; readonly command: string; readonly env: Readonly<Record<string, string>> }
  | {
      readonly type: "module";
      readonly file: string;
      readonly index: number;
      readonly options: JsonObject;
      readonly pins: Pins | null;
    };

export interface PlanError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly place: ErrorPlace;
}

export interface Plan {
  /** Of Holdfast: another version compiles anew. */
  readonly version: string;
  readonly cwd: string;
  readonly projectDir: string | null;
  readonly root: string;
  readonly files: readonly { readonly path: string; readonly layer: Layer }[];
  readonly hooks: readonly PlanHook[];
  readonly errors: readonly PlanError[];
  readonly warnings: readonly string[];
  readonly settings: PlanSettings;
  /** Every file the plan was made from, as it was; null: it was not there. */
  readonly watched: Readonly<Record<string, string | null>>;
  /** Hash of every environment variable the config refers to. */
  readonly environment: Readonly<Record<string, string | null>>;
  /** Of the rules, not of the machine: equal rules have equal digests. */
  readonly digest: string;
}

export interface PlanSettings {
  readonly maxContextCharacters: number;
  readonly maxRecordBytes: number;
  readonly untrusted: { readonly guards: "block" | "skip"; readonly advice: "block" | "skip" };
  /** Where approvals are kept; absent: in the state directory. */
  readonly approvals?: { readonly url?: string; readonly server?: string; readonly tokenEnv?: string };
  /** Absent: knowledge is off here. */
  readonly knowledge?: KnowledgeConfig;
  /** Who gets a copy of what is recorded. */
  readonly handIn?: { readonly server: string; readonly tokenEnv: string };
  /** Absent: runs are files in the state directory, and there is no queue. */
  readonly runs?: { readonly store?: string; readonly leaseSeconds?: number; readonly worker?: WorkerSettings };
}

export interface WorkerSettings {
  readonly concurrency?: number | undefined;
  readonly repositories?: readonly string[] | undefined;
  readonly backends?: readonly string[] | undefined;
}

export function planFile({ cwd, projectDir }: Standing, places: Places): string {
  const key = sha256(
    JSON.stringify([cwd, projectDir ?? null, places.managedDirs, places.namedManagedDir, places.userDir]),
  );
  return join(places.stateDir, "plans", `${key.slice(0, 32)}.json`);
}

/** The stored plan, if nothing it was made from has changed since. */
export function readFreshPlan(standing: Standing, places: Places, env: Environment, version: string): Plan | undefined {
  let plan: Plan;
  try {
    plan = JSON.parse(readFileSync(planFile(standing, places), "utf8")) as Plan;
  } catch {
    return undefined;
  }
  return isFreshPlan(plan, standing, env, version) ? plan : undefined;
}

/** Whether a plan still stands for what it was made from. */
function isFreshPlan(plan: Plan, standing: Standing, env: Environment, version: string): boolean {
  if (!isOfVersion(plan, standing, version)) return false;
  for (const path in plan.watched) if (signature(path) !== plan.watched[path]) return false;
  return isOfEnvironment(plan, env);
}

export const isOfVersion = (plan: Plan, { cwd }: Standing, version: string): boolean =>
  plan?.version === version && plan.cwd === cwd;

export function isOfEnvironment({ environment }: Plan, env: Environment): boolean {
  for (const name in environment) if (environmentHash(name, env) !== environment[name]) return false;
  return true;
}

export function writePlan(plan: Plan, places: Places): void {
  const file = planFile({ cwd: plan.cwd, projectDir: plan.projectDir ?? undefined }, places);
  writePrivateFile(file, JSON.stringify(plan));
}

export function signature(path: string): string | null {
  const look = lookAt(path);
  return typeof look === "object" && look !== null ? textOfLook(look) : look;
}

/** ctime cannot be set by a program, so an edit cannot hide behind an old modification time. */
export type Look = Pick<Stats, "ctimeMs" | "mtimeMs" | "size" | "ino">;

const textOfLook = ({ ctimeMs, mtimeMs, size, ino }: Look) => `${ctimeMs}:${mtimeMs}:${size}:${ino}`;

/** Whether a signature is of this look: without writing a signature, which takes longer than looking. */
export const isOfLook = (look: Look, [ctimeMs, mtimeMs, size, ino]: readonly number[]): boolean =>
  look.ctimeMs === ctimeMs && look.mtimeMs === mtimeMs && look.size === size && look.ino === ino;

/** null: nothing is there; a text: why one cannot look. */
export function lookAt(path: string): Look | string | null {
  try {
    return statSync(path, LOOKING) ?? null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOTDIR" ? null : `unreadable ${code}`;
  }
}

const LOOKING = { throwIfNoEntry: false } as const;

export const environmentHash = (name: string, env: Environment): string | null =>
  env[name] === undefined ? null : sha256(env[name]);
