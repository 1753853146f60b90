/** A hook that ships with Holdfast. One file each; registry.ts is the only list. */
import type { AgentEvent, Answer, EventName } from "../core/event.ts";
import type { JudgeContext, OnError } from "../core/hook.ts";
import type { Tunable } from "../core/tunable.ts";
import type { Verdict } from "../core/verdict.ts";
import type { Analysis } from "../shell/analyse.ts";
import type { History } from "./history.ts";

export interface BuiltinHook extends Tunable {
  readonly on: readonly EventName[];
  /** What it may say of them; nothing: it only looks. */
  readonly answers: readonly Answer[];
  readonly onError: OnError;
  readonly priority: number;
  /** Runs after every other hook. */
  readonly last?: true;
  /** Its rules stand in a section of their own, and every file that has some gets a hook of its own. */
  readonly ownSection?: true;
  /** A section of the config switches it on: without, no plan has it. */
  readonly switchedOnBy?: "knowledge";
  judge(event: AgentEvent, context: JudgeContext, machine: Machine): Verdict | Promise<Verdict>;
}

/** What built-in hooks may ask of the machine, so that they stay functions of their arguments. */
export interface Machine {
  readonly homeDir: string;
  /** The project's root: what relative globs start from. */
  readonly rootDir: string;
  /** Where Holdfast keeps trust, passes and records' heads. */
  readonly stateDir: string;
  /** Files and directories that are Holdfast's own. */
  readonly ownPaths: readonly string[];
  /** Globs of the files that decide whether hosts call us, from the project's root or, with ~, from home. */
  readonly settingsGlobs: readonly string[];
  /** What a command would do. The same question is answered once. */
  analyse(command: string, cwd: string): Analysis;
  /** A file's text, as far as it is small enough to be looked at. */
  readText(path: string): string | undefined;
  /** The names in a directory; undefined where it cannot be looked into. */
  namesIn(directory: string): readonly string[] | undefined;
  readonly git: {
    /** true: nothing would be lost; undefined: nobody knows. */
    isClean(directory: string | undefined): boolean | undefined;
    branch(directory: string | undefined): string | undefined;
  };
  /** What the event's session did before. */
  historyOf(event: AgentEvent): History;
  /** Counts a call against limits that all processes on this machine share. */
  takeTurn(turn: Turn): Refusal | undefined | Promise<Refusal | undefined>;
  /** Whether the admins of an organisation (none: of the person's own) have switched all of its agents to reading. */
  isSwitchedReadOnly(organisation: string | undefined): Promise<boolean>;
  /** The project's knowledge, role by role. */
  readonly knowledge: Knowledge;
  /** Names that differ only in letter case are one file here. */
  readonly ignoresCase: boolean;
  /** An absolute path with `..` and symlinks resolved as far as it exists. */
  realPath(path: string, cwd: string): string;
}

/** What is done for each role of the knowledge layer; a role is loaded when it is first asked. */
export type Knowledge = Readonly<Record<KnowledgeRole, (event: AgentEvent, context: JudgeContext) => Promise<Verdict>>>;

export type KnowledgeRole = "capture" | "drain" | "sessionStart" | "promptContext" | "lintTick";

/** One call and the limits it counts against: it takes its place in all of them, or in none. */
export interface Turn {
  /** Of the call: one that is judged twice counts once. It may hold what the call is made of, and is not kept as it is. */
  readonly id: string;
  readonly limits: readonly TurnLimit[];
}

export interface TurnLimit {
  /** What is counted together. */
  readonly key: string;
  readonly calls: number;
  readonly windowMs: number;
}

export interface Refusal {
  readonly limit: TurnLimit;
  /** Until a call would be let through. */
  readonly waitMs: number;
}
