/** One event of each kind, for tests. */
import { type AgentEvent, EVENT_NAMES, type EventContext, type EventName, type EventOf } from "../core/event.ts";
import type { ToolReader } from "../core/rewrite.ts";
import type { ToolCall } from "../core/tool.ts";

export function sampleEvent<N extends EventName>(name: N, changes: Partial<EventOf<N>> = {}): EventOf<N> {
  return { ...CONTEXT, name, ...PAYLOADS[name], ...changes } as unknown as EventOf<N>;
}

export const sampleEvents = (): AgentEvent[] => EVENT_NAMES.map((name) => sampleEvent(name));

export const shell = (command: string): ToolCall => ({
  kind: "shell",
  name: "shell",
  input: { command },
  id: "call-1",
  paths: [],
  command,
});

/** Reads every tool as a shell. */
export const tools: ToolReader = {
  read: (name, input, id) => ({
    kind: "shell",
    name,
    input,
    paths: [],
    command: typeof input.command === "string" ? input.command : "",
    ...(id === undefined ? {} : { id }),
  }),
};

const CONTEXT: EventContext = {
  id: "event-1",
  at: "2026-01-02T03:04:05.000Z",
  host: "test-host",
  session: "session-1",
  turn: "turn-1",
  agent: null,
  parentAgent: null,
  cwd: process.cwd(),
  permissionMode: "plan",
  model: "model-1",
  transcriptPath: null,
};

const REQUEST = {
  targetAgentId: "coder",
  objective: "add a test",
  context: "the parser",
  constraints: null,
  expectedOutput: null,
};
const TASK = { id: "t-1", title: "write it", body: "", status: "pending", notes: "" };
const PHASE = {
  assignment: { name: "feature", file: "/w/assignment.md" },
  run: {
    id: "run-1",
    repo: "shop",
    status: "running",
    backend: "fake",
    model: null,
    effort: null,
    cwd: "/w",
    directory: "/state/run-1",
    name: null,
    note: null,
    isPinned: false,
    backendSession: null,
    attempts: 1,
    maxAttemptsPerSession: 4,
    sessions: 1,
    lockedFields: [],
  },
  vars: { baseBranch: "main" },
  state: {},
  attachments: [],
  tasks: [TASK],
  config: null,
};
const ATTEMPT = { ...PHASE, prompt: "begin", retriesRemaining: 3, sessionIndex: 0, attemptIndex: 0 };
const OUTCOME = {
  exitCode: 0,
  signal: null,
  isTimedOut: false,
  isAborted: false,
  session: "b-1",
  transcript: "done",
  stdout: "",
  stderr: "",
};

const PAYLOADS: { readonly [N in EventName]: object } = {
  session_start: { source: "startup" },
  session_end: { reason: "exit" },
  user_prompt_submit: { prompt: "fix the bug" },
  pre_tool_use: { tool: shell("ls") },
  permission_request: { tool: shell("ls") },
  post_tool_use: { tool: shell("ls"), response: "a.txt", failed: false, outcomeUnknown: false, durationMs: 3 },
  pre_compaction: { trigger: "context_threshold", tokenEstimate: 1000, messageCount: 20 },
  post_compaction: {
    trigger: "context_threshold",
    summary: "so far",
    originalTokenCount: 1000,
    summaryTokenCount: 100,
    messageCount: null,
  },
  pre_delegation: { toolUseId: "call-1", ...REQUEST },
  delegation_start: { delegationId: "d-1", ...REQUEST, status: "requested" },
  post_delegation: {
    delegationId: "d-1",
    targetAgentId: "coder",
    childSessionId: "session-2",
    objective: "add a test",
    status: "complete",
    summary: "done",
    verificationPassed: true,
  },
  delegation_failure: {
    delegationId: "d-1",
    targetAgentId: "coder",
    objective: "add a test",
    status: "failed",
    error: "no such directory",
    errorType: "Invalid Working Directory",
  },
  stop: { stopReason: "EndTurn", lastAssistantMessage: "All tests pass.", continuations: 0 },
  notification: { kind: "idle", message: "waiting" },
  prepare: { ...PHASE, defaultPrompt: "begin", prompt: "begin" },
  before_attempt: ATTEMPT,
  after_attempt: { ...ATTEMPT, outcome: OUTCOME },
  after_exit: { ...ATTEMPT, status: "success" },
  task_transition: {
    ...PHASE,
    taskId: "t-1",
    source: "task-set",
    from: TASK,
    to: { ...TASK, status: "completed" },
    fromStatus: "pending",
    toStatus: "completed",
    changedFields: ["status"],
    edit: "e-1",
  },
};
