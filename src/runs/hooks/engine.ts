/** What hooks of a run need of the machine around them. src/entry/run makes it of the real engine. */
import type { Decision } from "../../core/decision.ts";
import type { LedgerEntry } from "../../core/effect.ts";
import type { AgentEvent, EventName } from "../../core/event.ts";
import type { Hook, JudgeContext } from "../../core/hook.ts";
import type { Verdict } from "../../core/verdict.ts";
import type { AttachmentChanges } from "../mutation.ts";
import type { Attachment, Run } from "../run.ts";

/** The rules that hold where the run works. Opened for one phase, closed after it. */
export interface PhaseEngine {
  open(run: Pick<Run, "id"> & { readonly cwd: string }): Promise<OpenEngine>;
}

export interface OpenEngine {
  /** Hooks of the config layers that hear of runs, in their order. */
  readonly hooks: readonly Hook[];
  /** Asks one hook, by the laws of every decision. */
  decide(event: AgentEvent, hook: Hook, signal: AbortSignal): Promise<Decision>;
  /** Writes the decision on the whole phase to the audit, and its notices where people look. */
  record(event: AgentEvent, decision: Decision): Promise<void>;
  close(): Promise<void>;
}

/** Module hooks, in their worker. */
export interface Modules {
  describe(file: string, pins: Readonly<Record<string, string>> | null): Promise<readonly DescribedHook[]>;
  judge(call: {
    readonly file: string;
    readonly index: number;
    readonly pins: Readonly<Record<string, string>> | null;
    readonly event: AgentEvent;
    readonly context: JudgeContext;
    readonly timeoutMs: number;
  }): Promise<Verdict>;
}

export interface DescribedHook {
  readonly name: string;
  readonly on: readonly EventName[];
  readonly onError?: "block" | "continue";
  readonly timeoutMs?: number;
}

/** What built-in hooks of runs ask of the outside. */
export interface RunMachine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly modules: Modules;
  /** Direct children of a run, newest first; `unreadable`: of which nobody can say what they are. */
  childrenOf(run: string): Promise<{ readonly children: readonly ChildRun[]; readonly unreadable: readonly string[] }>;
  /** What tools did in this run, newest first, as the ledger of `cwd` has it. Throws where it cannot be read. */
  ledgerOf(run: { readonly id: string; readonly cwd: string }): AsyncIterable<LedgerEntry> | Iterable<LedgerEntry>;
  /** Whether a command runs the tests. */
  isTestRun(command: string, patterns: readonly string[] | null): boolean;
  /** Files under `cwd` that a command writes, deletes or moves, absolute. */
  writesOf(command: string, cwd: string): readonly string[];
  /** Where a path that a call named leads, absolute. */
  realPath(path: string, cwd: string): string;
  /** Whether a real path is covered by one of these globs, as the rules of a project would read them in `cwd`. */
  isUnder(path: string, globs: readonly string[], cwd: string): boolean;
  approve(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer>;
}

export interface ChildRun {
  readonly id: string;
  readonly status: string;
  readonly name: string | null;
}

export interface ApprovalQuestion {
  readonly run: string;
  readonly cwd: string;
  /** Of the run: what was denied in one may be asked again in the next. */
  readonly session: number;
  readonly task: string | null;
  readonly title: string;
  readonly body: string;
  readonly approvers: readonly string[];
}

export type ApprovalAnswer =
  | { readonly kind: "approved"; readonly by: string }
  | { readonly kind: "denied"; readonly by: string; readonly reason: string }
  /** Nobody has decided yet; asking the same again later gives the answer. */
  | { readonly kind: "pending"; readonly id: string; readonly where: string };

/** Copies files that hooks attach to where nobody sees them yet; the loop keeps or drops them with the phase. */
export type StageAttachments = (
  changes: AttachmentChanges,
  current: readonly Attachment[],
) => Promise<readonly Attachment[]>;
