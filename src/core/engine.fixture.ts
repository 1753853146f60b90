/** Events and hooks for tests of the engine. */
import type { DecideOptions } from "./engine.ts";
import { EVENTS, type EventName, type EventOf } from "./event.ts";
import type { Spec } from "./fields.ts";
import type { Hook } from "./hook.ts";
import type { Json, JsonObject } from "./json.ts";
import type { ToolCall } from "./tool.ts";
import { NO_OPINION, type Verdict } from "./verdict.ts";

const CONTEXT = {
  id: "event-1",
  at: "2026-11-13T16:00:00.000Z",
  host: "test",
  session: "session-1",
  turn: "turn-1",
  agent: null,
  parentAgent: null,
  cwd: "/project",
  permissionMode: "default",
  model: "model-1",
  transcriptPath: null,
} as const;

export const shellCall = (command: string): ToolCall => ({
  kind: "shell",
  name: "Bash",
  input: { command },
  id: "call-1",
  paths: [],
  command,
});

export const readTool = (name: string, input: JsonObject, id?: string): ToolCall => {
  const base = { name, input, paths: typeof input.path === "string" ? [input.path] : [], ...(id ? { id } : {}) };
  return typeof input.command === "string"
    ? { ...base, kind: "shell", command: input.command }
    : { ...base, kind: "other" };
};

/** Any event, with plain values for what its row declares. */
export function sampleEvent<N extends EventName>(name: N, changes: Partial<EventOf<N>> = {}): EventOf<N> {
  const row = EVENTS[name];
  const payload = Object.fromEntries(
    Object.entries(row.payload).map(([field, { spec }]) => [field, sampleValue(spec)]),
  );
  const tool = "tool" in row ? { tool: shellCall("ls") } : {};
  return { ...CONTEXT, name, ...payload, ...tool, ...changes } as EventOf<N>;
}

function sampleValue(spec: Spec): Json {
  switch (spec.type) {
    case "string":
      return "text";
    case "boolean":
      return false;
    case "integer":
      return 0;
    case "enum":
      return spec.values[0] as string;
    case "list":
      return [];
    case "nullable":
      return null;
    case "json":
    case "map":
    case "object":
      return {};
  }
}

export function hook(name: string, answer: Verdict | Hook["judge"], changes: Partial<Hook> = {}): Hook {
  return {
    name,
    source: "test",
    layer: "project",
    priority: 100,
    on: ["pre_tool_use"],
    onError: "block",
    judge: typeof answer === "function" ? answer : () => answer,
    ...changes,
  };
}

export const block = (reason: string): Verdict => ({ opinion: { kind: "block", reason } });
export const ask = (reason: string): Verdict => ({ opinion: { kind: "ask", reason } });
export const allow: Verdict = { opinion: { kind: "allow" } };
export const rewriteTo = (command: string): Verdict => ({ ...NO_OPINION, rewrite: { command } });

export const options = (changes: Partial<DecideOptions> = {}): DecideOptions => ({
  tools: { read: readTool },
  clock: () => 0,
  signal: new AbortController().signal,
  context: { maxCharacters: 1000, told: () => false },
  maxContinuations: 1,
  ...changes,
});
