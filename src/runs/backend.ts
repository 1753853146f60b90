/** Whatever does the work of an attempt: a host's program, our own agent, a command. */
import type { JsonObject } from "../core/json.ts";
import type { RunSettings } from "./run.ts";

export interface Backend {
  readonly id: string;
  /** It does nothing by itself: people or other tools edit the tasks. */
  readonly isPassive: boolean;
  /** Whether an attempt can go on in an earlier session of it. */
  readonly canResume: boolean;
  /** Whether its program is there, and which; for `doctor` and for a clear error before a run is made. */
  probe(
    env: NodeJS.ProcessEnv,
    /** Of the agent: it may name another program. */
    config?: JsonObject,
  ): Promise<{ readonly ok: true; readonly version: string } | { readonly ok: false; readonly problem: string }>;
  invoke(invocation: Invocation): Promise<AttemptResult>;
}

export interface Invocation {
  readonly prompt: string;
  readonly settings: RunSettings;
  /** Go on in this session of the backend. */
  readonly session: string | null;
  /** HOLDFAST_RUN_ID and the like are among them. */
  readonly env: NodeJS.ProcessEnv;
  /** Where the whole output goes, as it comes. */
  readonly outputFile: string;
  /** Aborted: the whole tree of processes ends. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** A line for whoever watches. */
  onProgress(line: string): void;
  /** As soon as it is known, so that a run that is killed can go on in it. */
  onSession(session: string): void;
  /** The leader of the process group that does the work, so that whoever takes over a dead run can end it. */
  onProcess(pid: number): void;
}

export interface AttemptResult {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly isTimedOut: boolean;
  readonly isAborted: boolean;
  readonly session: string | null;
  /** What the agent said last. */
  readonly transcript: string;
  readonly stdout: string;
  readonly stderr: string;
  /** The backend does not know the session it should go on in. */
  readonly isSessionUnknown: boolean;
}
