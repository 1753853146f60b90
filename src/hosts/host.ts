/** What Holdfast must know about a program that runs an agent. One folder per host fills this in. */
import type { Decision } from "../core/decision.ts";
import { HoldfastError } from "../core/errors.ts";
import type { AgentEvent, Answer, EVENTS, EventName } from "../core/event.ts";
import type { JsonObject } from "../core/json.ts";
import type { Vocabulary } from "./tool-vocabulary.ts";

/** The part of a host that runs on every tool call. How it is installed is apart, in installers.ts. */
export interface Host {
  /** As in `--host`. */
  readonly id: string;
  readonly title: string;
  /** The version the fixtures were recorded from; `documented`: never run here. */
  readonly provenVersion: string;
  readonly codec: Codec;
  readonly support: Support;
  readonly tools: Vocabulary;
  /** How this host's payloads name a call, for those who stand in for it: `explain`, policy tests. */
  readonly probes: Probes;
  /** Where the session was started, where the host says so: its rules hold wherever the agent goes. */
  projectDir?(env: Environment): string | undefined;
  /** Environment variables that show a process was started by this host's agent. */
  readonly markers: readonly string[];
  /** Files that decide whether this host calls us, as globs from a project's root or, with ~, from home: not an agent's to change. */
  readonly settingsGlobs: readonly string[];
  /** Whether a payload is this host's beyond doubt, whichever host's registration it came through. */
  owns?(payload: JsonObject, env: Environment): boolean;
  /**
   * For a host whose payload does not say whether a command failed and whose transcript does: the answer from the
   * transcript's last lines, or undefined where they do not tell.
   */
  failedInTranscript?(tail: string, toolUseId: string): boolean | undefined;
  /** It loads us into its own process: see plugin.ts. */
  readonly inProcess?: true;
  /** Hosts that read this one's settings too, and so call what is registered here with payloads of their own. */
  readonly alsoReadBy?: readonly string[];
  /** The files that may hold this host's own registration; `projectDir`: where the session was started. */
  ownRegistrations?(places: Pick<InstallTarget, "projectDir" | "homeDir" | "env">): readonly string[];
  /** Whether such a file makes the host call us: beyond doubt, because another registration then stays silent. Absent: it does by being there. */
  registers?(file: string): boolean;
  /** Whether a call came through a registration that is superfluous where one of `ownRegistrations` works. */
  repeats?(payload: JsonObject, moment: Moment): boolean;
  /** What is printed where there is nothing to say, for hosts that take no output for a failure. */
  readonly silence?: string;
  /** Longer context is cut or moved away by the host: the budget for one answer. */
  readonly maxContextCharacters: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Codec {
  /** Throws HF301 on a payload that is not this host's. */
  parse(payload: JsonObject, moment: Moment): Native;
  /**
   * The payload's events as they stand after the outcomes so far. A rewrite of one event can change what another is
   * about; a hook must judge what will run (law 2), so each event is taken from here when its turn comes.
   */
  current(native: Native, outcomes: readonly Outcome[]): readonly AgentEvent[];
  /** One answer for all outcomes of a payload, in order; the strongest wins. Nothing to say: the host's `silence`. */
  render(native: Native, outcomes: readonly Outcome[]): HostAnswer;
  /** A payload as this host would send it, made up; undefined: it never sends one of that event. */
  compose(sample: Sample): JsonObject | undefined;
  /** Our own failure, in the form this host treats as a block where the event guards. `event`: native name, where it could be made out. */
  fail(event: string | undefined, message: string): HostAnswer;
  /** The native event's name, dug out of a payload that may be broken. */
  eventName(text: string): string | undefined;
}

/** A call in a host's own words. */
export interface NativeCall {
  readonly tool: string;
  readonly input: JsonObject;
}

export interface Probes {
  shell(command: string): NativeCall;
  write(path: string, content: string): NativeCall;
  edit(path: string, before: string, after: string): NativeCall;
  read(path: string): NativeCall;
}

/** What a made-up payload says. */
export interface Sample {
  readonly on: EventName;
  /** The host's own name of the event. */
  readonly native: string;
  readonly session: string;
  readonly cwd: string;
  /** The id of the call. */
  readonly id: string;
  readonly call?: NativeCall | undefined;
  readonly prompt?: string | undefined;
  /** The agent's last words. */
  readonly message?: string | undefined;
}

/** What a codec may not make up by itself, so that the same payload always gives the same events. */
export interface Moment {
  readonly id: string;
  readonly at: string;
  readonly env: Environment;
  readonly cwd: string;
  /** The native event, named on the command line for hosts whose payloads do not say it. */
  readonly event?: string | undefined;
}

/** One native payload; some are several canonical events (a delegating tool call is a tool call too). */
export interface Native {
  readonly event: string;
  readonly payload: JsonObject;
  /** Empty: nothing for hooks to look at; it is recorded and passed. */
  readonly events: readonly AgentEvent[];
  /** A native event the adapter has never heard of. */
  readonly unknownEvent?: string;
  /** A tool the adapter has no kind for. */
  readonly unknownTool?: string;
  /** A tool of an MCP server, where the host should have said whose it is and did not. */
  readonly namelessTool?: string;
}

export interface Outcome {
  readonly event: AgentEvent;
  readonly decision: Decision;
  /** Whom to turn to where the host asks and nobody is there to answer. */
  readonly offer?: string;
}

export interface HostAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** What the host could not be told, in a person's words. Becomes a notice. */
  readonly undelivered?: readonly string[];
}

/** How a host takes an answer. */
export type Delivery =
  /** As it is. */
  | "native"
  /** As it is where the payload allows; elsewhere this text is reported as undelivered. */
  | { readonly partly: string }
  /** As the nearest stronger answer. `none`: the host goes by its own rules, which are no weaker. */
  | { readonly becomes: "block" | "none"; readonly how: string }
  /** Not at all; this text is reported. */
  | { readonly undelivered: string };

/** The answers an event can have on any host: each host must say what becomes of every one of them. */
export type AnswerOf<E extends EventName> = (typeof EVENTS)[E]["answers"][number];

export interface EventSupport<E extends EventName = EventName> {
  /** The host's own names for the event. */
  readonly native: readonly string[];
  readonly answers: { readonly [A in AnswerOf<E>]: Delivery };
  /** What the host does when our process dies without an answer. */
  readonly onCrash: "blocks" | "goes-on";
  /** The time the host gives us, as registered. Ours ends before. */
  readonly timeoutMs: number;
}

/** An event that is not here never happens on this host. */
export type Support = { readonly [E in EventName]?: EventSupport<E> };

/** One row of the table, whichever event it is about. */
export interface SupportRow {
  readonly event: EventName;
  readonly native: readonly string[];
  readonly answers: { readonly [A in Answer]?: Delivery };
  readonly onCrash: "blocks" | "goes-on";
  readonly timeoutMs: number;
}

export function supportRows(support: Support): readonly SupportRow[] {
  return Object.entries(support).map(([event, row]) => ({ event: event as EventName, ...row }));
}

export interface Install {
  /** The files to change so that the host calls `program` with `hook --host <id>`. Throws HF402 on a level the host does not have. */
  edits(target: InstallTarget): readonly FileEdit[];
  /**
   * Changes by which the person vouches for the registration, where the host runs none without. They are made only with
   * that person's consent, after `edits`, on the files as `edits` leave them.
   */
  consents?(target: InstallTarget): readonly FileEdit[];
}

export interface InstallTarget {
  readonly projectDir: string;
  readonly homeDir: string;
  readonly env: Environment;
  readonly level: Level;
  /** Absolute path of the program to register. */
  readonly program: string;
  /** Absolute path of the file that in-process hosts load; see plugin.ts of such a host. */
  readonly plugin: string;
  /** Names of the files in a directory; empty where there is no such directory. */
  readonly listFiles: (directory: string) => readonly string[];
  /** A file's text; undefined: there is none. */
  readonly readFile: (path: string) => string | undefined;
}

/** project: shared settings; local: this checkout only; user: every project of this person; managed: everybody on this machine. */
export const LEVELS = ["project", "local", "user", "managed"] as const;
export type Level = (typeof LEVELS)[number];

export interface FileEdit {
  readonly path: string;
  /** mcp: the file makes nobody call our hooks, and hosts may share it. */
  readonly role?: "mcp";
  /** The file with us in it. Applying it to its own result changes no byte. `undefined`: there is no such file. */
  add(text: string | undefined): string;
  /** The file without us; undefined: nothing would be left of what we created. */
  remove(text: string): string | undefined;
}

/** What an installer throws where its host knows no settings of that level. */
export function noSuchLevel(title: string, level: Level): HoldfastError {
  return new HoldfastError("HF402", `${title} has no settings of the level "${level}"`);
}
