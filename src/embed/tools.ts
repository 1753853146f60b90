/** What an embedder's tools do, in the one vocabulary of all hosts. */
import type { JsonObject } from "../core/json.ts";
import type { ToolReader } from "../core/rewrite.ts";
import { withinTime } from "../custom/within-time.ts";
import { type ToolRow, vocabulary } from "../hosts/tool-vocabulary.ts";

export interface ToolDescription extends ToolRow {
  /** Says what is wrong with an input; a rewrite that it refuses is a failure of its hook. */
  readonly problem?: (input: JsonObject) => string | undefined;
  /**
   * A person must confirm its calls, or those of which this is true. Whatever is not false means yes, and so do throwing,
   * rejecting and a promise that is not kept within a minute.
   */
  readonly requiresConfirmation?: boolean | ((input: JsonObject) => boolean | Promise<boolean>);
  /** MCP's tool annotations, as far as the embedder vouches for them. */
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
}

export type ToolDescriptions = Readonly<Record<string, ToolDescription>>;

/** `mcp__server__tool`, as hosts spell the tools of MCP servers. */
const MCP_NAME = /^mcp__(.+?)__(.+)$/s;

/** What is known of one call besides its input: hooks find it in the event's metadata. A promise only where one was made. */
export function callMetadata(
  descriptions: ToolDescriptions,
  name: string,
  input: JsonObject,
  signal?: AbortSignal,
): JsonObject | Promise<JsonObject> {
  const row = Object.hasOwn(descriptions, name) ? descriptions[name] : undefined;
  const found = (confirms: boolean) => ({ ...row?.annotations, ...(confirms ? { requires_confirmation: true } : {}) });
  const required = row?.requiresConfirmation;
  const confirms = typeof required === "function" ? asked(required, input, signal) : Boolean(required);
  return confirms instanceof Promise ? confirms.then(found) : found(confirms);
}

const PREDICATE_MS = 60_000;

function asked(
  predicate: (input: JsonObject) => unknown,
  input: JsonObject,
  signal: AbortSignal = new AbortController().signal,
): boolean | Promise<boolean> {
  try {
    const answer = predicate(input);
    if (typeof answer !== "object" || answer === null || !("then" in answer)) return answer !== false;
    return withinTime(Promise.resolve<unknown>(answer), PREDICATE_MS, signal).then(
      (kept) => kept !== false,
      () => true,
    );
  } catch {
    return true;
  }
}

export function toolReader(descriptions: ToolDescriptions): ToolReader {
  const rowOf = (name: string) => (Object.hasOwn(descriptions, name) ? descriptions[name] : undefined);
  const known = vocabulary({
    rowOf,
    mcpNames(name) {
      const [, server, method] = MCP_NAME.exec(name) ?? [];
      return server === undefined || method === undefined ? undefined : { server, method };
    },
  });
  return {
    read: known.read,
    problem: (name, input) => known.problem?.(name, input) ?? rowOf(name)?.problem?.(input),
  };
}

/** Whose tool a call is, where that is known: a name such as `mcp__a__b__c` could be read in two ways. */
export interface McpTool {
  readonly server: string;
  readonly method: string;
}

export function readerOf(mcp: McpTool | undefined, tools: ToolReader): ToolReader {
  if (!mcp) return tools;
  const { read } = vocabulary({ rowOf: () => undefined, mcpNames: () => mcp });
  return { read, problem: (name, input) => tools.problem?.(name, input) };
}
