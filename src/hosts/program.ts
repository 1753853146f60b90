/** What is known of the program itself: how it is found, run and asked, and what it leaves behind. Never on the hot path. */
import { isJsonObject, type JsonObject } from "../core/json.ts";
import type { Environment, InstallTarget } from "./host.ts";

export interface HostProgram {
  /** The names it may have on a PATH, the usual one first. */
  readonly commands: readonly string[];
  /** Files and directories that show that the host is used: relative to a project, and to a home. */
  readonly signs: { readonly project: readonly string[]; readonly home: readonly string[] };
  readonly transcript: Transcript;
  /** The arguments that run one prompt without a terminal, for a person who has the program set up. */
  headless(prompt: string): readonly string[];
  /** What becomes of several hooks on one call, where a person has hooks besides ours. */
  readonly otherHooks: string;
  /** The same command registered on two levels runs once. */
  readonly mergesEqualHooks?: true;
  /** Whether a registration that is written is also heeded. Absent: this host asks for nothing more. */
  trust?(target: InstallTarget): Trust;
  /** The host's own check of its settings. */
  readonly ownCheck?: OwnCheck;
  /** How it runs without account, key or network. Absent: it cannot, and nothing here was ever proven on it. */
  readonly offline?: OfflineProgram;
}

export interface Transcript {
  /** With `~` for home and `<…>` for what varies. */
  readonly where: string;
  readonly format: "jsonl" | "sqlite";
  /** What one line or row is, in a sentence. */
  readonly shape: string;
}

export type Trust =
  | { readonly state: "trusted" }
  /** `fix`: a command or an action in the host, to the letter. */
  | { readonly state: "untrusted"; readonly why: string; readonly fix: string };

export interface OwnCheck {
  readonly args: readonly string[];
  readonly stdin?: string;
  /** stdin stays open until this is so; absent: it ends at once. */
  answered?(stdout: string): boolean;
  /** What it complains about that concerns our registration; nothing: all is well. */
  problems(said: {
    readonly stdout: string;
    readonly stderr: string;
    readonly exitCode: number | null;
  }): readonly string[];
}

export interface OfflineProgram {
  /** The model API it talks to, as in proof/wires. */
  readonly wire: "anthropic" | "chat-completions" | "gemini" | "responses";
  /** The program needs a newer Node than ours, by its major version. */
  readonly nodeMajor?: number;
  run(setting: OfflineSetting): OfflineRun;
  /** Tool calls as the model words them, which may differ from what hooks are sent. */
  readonly says: ModelCalls;
}

export interface OfflineSetting {
  /** Without a path. */
  readonly modelUrl: string;
  readonly homeDir: string;
  readonly projectDir: string;
  readonly prompt: string;
  /** An MCP server to offer to the model, as a command. */
  readonly mcpServer?:
    | { readonly name: string; readonly command: string; readonly args: readonly string[] }
    | undefined;
  /** true: nothing may be taken as trusted that the home does not say is. */
  readonly trustAsIs?: boolean | undefined;
}

export interface OfflineRun {
  readonly args: readonly string[];
  /** Beside HOME and PATH; nothing else is in the program's environment. */
  readonly env: Environment;
  /** Files of the home that must be there first. */
  readonly seeds: readonly Seed[];
}

export interface Seed {
  readonly path: string;
  /** The file with what the run needs in it. */
  text(existing: string | undefined): string;
}

export interface ModelCall {
  readonly name: string;
  readonly input: JsonObject;
  /** The text of a call whose input is no object. */
  readonly freeform?: string;
  readonly namespace?: string;
}

export interface ModelCalls {
  shell(command: string): ModelCall;
  /** Paths are absolute. */
  write(path: string, content: string): ModelCall;
  edit(path: string, before: string, after: string): ModelCall;
  read(path: string): ModelCall;
  /** Absent: the host has no MCP servers. */
  mcp?(server: string, tool: string, input: JsonObject): ModelCall;
  /** Asks a sub-agent; absent: the host has none that can be driven offline. */
  delegate?(prompt: string): ModelCall;
  /** How a sub-agent hands back its result; absent: by its last words. */
  endOfTask?(text: string): ModelCall;
  /** Keeps the conversation going while a sub-agent works; absent: the host waits by itself. */
  wait?(): ModelCall;
}

/** A JSON file of settings with these fields added, objects merged. */
export function jsonSeed(path: string, fields: JsonObject): Seed {
  return {
    path,
    text: (existing) =>
      `${JSON.stringify(merged(existing === undefined ? {} : JSON.parse(existing), fields), null, 2)}\n`,
  };
}

function merged(base: JsonObject, fields: JsonObject): JsonObject {
  const result: Record<string, JsonObject[string]> = { ...base };
  for (const [key, value] of Object.entries(fields)) {
    const before = base[key];
    result[key] = isJsonObject(before) && isJsonObject(value) ? merged(before, value) : value;
  }
  return result;
}
