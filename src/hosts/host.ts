/** What Holdfast must know about a program that runs an agent. One folder per host fills this in. */
import type { Decision } from "../core/decision.ts";
import type { AgentEvent, Answer, EventName } from "../core/event.ts";
import type { JsonObject } from "../core/json.ts";
import type { ToolReader } from "../core/rewrite.ts";

export interface Host {
  /** As in `--host`. */
  readonly id: string;
  readonly title: string;
  /** The version the fixtures were recorded from; `documented`: never run here. */
  readonly provenVersion: string;
  readonly codec: Codec;
  readonly support: Support;
  readonly tools: ToolReader;
  readonly install: Install;
  /** Environment variables that show a process was started by this host's agent. */
  readonly markers: readonly string[];
}

export interface Codec {
  /** Throws on a payload that is not this host's. */
  parse(payload: JsonObject, moment: Moment): Native;
  render(native: Native, outcomes: readonly Outcome[]): HostAnswer;
  /** Our own failure, in the form this host treats as a block where the event can be blocked. `event`: native name, where it could be made out. */
  fail(event: string | undefined, message: string): HostAnswer;
  /** The native event's name, dug out of a payload that may be broken. */
  eventName(text: string): string | undefined;
}

/** What a codec may not make up by itself, so that the same payload always gives the same events. */
export interface Moment {
  readonly id: string;
  readonly at: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** One native payload; some are several canonical events (a delegating tool call is a tool call too). */
export interface Native {
  readonly event: string;
  readonly payload: JsonObject;
  /** Empty: an event this adapter does not know; it is recorded and passed. */
  readonly events: readonly AgentEvent[];
  /** A tool the adapter has no kind for. */
  readonly unknownTool?: string;
}

export interface Outcome {
  readonly event: AgentEvent;
  readonly decision: Decision;
}

export interface HostAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** What the host could not be told, in a person's words. Becomes a notice. */
  readonly undelivered?: readonly string[];
}

/** How a host takes an answer: as it is, as a stronger one, or not at all. */
export type Delivery =
  | "native"
  | { readonly becomes: "block" | "context"; readonly how: string }
  | { readonly undelivered: string };

export interface EventSupport {
  /** The host's own names for the event. */
  readonly native: readonly string[];
  readonly answers: { readonly [A in Answer]?: Delivery };
  /** What the host does when our process fails outright. */
  readonly onCrash: "blocks" | "goes-on";
  /** The time the host gives us, as registered. Ours ends before. */
  readonly timeoutMs: number;
}

export type Support = { readonly [E in EventName]?: EventSupport };

export interface Install {
  /** The files to change so that the host calls `command` with `hook --host <id>`. */
  edits(target: InstallTarget): readonly FileEdit[];
}

export interface InstallTarget {
  readonly projectDir: string;
  readonly homeDir: string;
  /** project: shared settings; local: this checkout only; user: every project of this person. */
  readonly level: "project" | "local" | "user";
  /** Absolute path of the program to register. */
  readonly program: string;
}

export interface FileEdit {
  readonly path: string;
  /** The file with us in it. Applying it to its own result changes no byte. `undefined`: there is no such file. */
  add(text: string | undefined): string;
  /** The file without us; undefined: nothing would be left of what we created. */
  remove(text: string): string | undefined;
}
