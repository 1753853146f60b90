/** Conversations as each host writes them down, in the shapes recorded from the programs (Cursor's is documented only). */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "libsql";
import type { Speaker } from "./segment.ts";

export interface Turn {
  readonly speaker: Speaker;
  readonly text: string;
  /** A tool call of the agent: a file it reads. */
  readonly reads?: string;
}

export interface HostTranscripts {
  readonly host: string;
  /** As the host names one. */
  readonly session: string;
  /** What the log of that session is named by. */
  readonly id: string;
  /** Where the host keeps it. */
  path(homeDir: string): string;
  /** undefined: it is no file of lines. */
  lines?(turns: readonly Turn[]): string[];
  write(homeDir: string, turns: readonly Turn[]): string;
}

const START = Date.parse("2026-11-15T10:00:00.000Z");
const at = (index: number) => new Date(START + index * 1000).toISOString();
const json = (value: unknown) => JSON.stringify(value);

function ofLines(base: Omit<HostTranscripts, "write" | "lines"> & { lines(turns: readonly Turn[]): string[] }) {
  return {
    ...base,
    write(homeDir: string, turns: readonly Turn[]) {
      const file = base.path(homeDir);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${base.lines(turns).join("\n")}\n`);
      return file;
    },
  };
}

const TOOL_OUTPUT = "never said: the output of a tool";

const claudeCode = ofLines({
  host: "claude-code",
  session: "d433689e-a06a-4ab4-8a2a-ab95eb57b2b3",
  id: "d433689e-a06a-4ab4-8a2a-ab95eb57b2b3",
  path: (home) => join(home, ".claude/projects/-project/d433689e-a06a-4ab4-8a2a-ab95eb57b2b3.jsonl"),
  lines: (turns) => [
    json({ type: "queue-operation", operation: "enqueue", content: turns[0]?.text }),
    json({
      type: "api-request-blob",
      message: { role: "user", content: [{ type: "text", text: "never said: a request" }] },
    }),
    json({ type: "user", isMeta: true, message: { role: "user", content: "never said: a caveat" }, uuid: "m" }),
    json({ type: "user", isSidechain: true, message: { role: "user", content: "never said: a sub-agent" }, uuid: "s" }),
    json({
      type: "user",
      isCompactSummary: true,
      message: { role: "user", content: "never said: a summary" },
      uuid: "c",
    }),
    ...turns.flatMap(({ speaker, text, reads }, index) => [
      json({
        isSidechain: false,
        type: speaker === "user" ? "user" : "assistant",
        message: {
          role: speaker === "user" ? "user" : "assistant",
          content: speaker === "user" ? text : [{ type: "text", text }],
        },
        uuid: `u${index}`,
        timestamp: at(index),
      }),
      ...(reads
        ? [
            json({
              type: "assistant",
              message: {
                role: "assistant",
                content: [{ type: "tool_use", id: `t${index}`, name: "Read", input: { file_path: reads } }],
              },
              uuid: `r${index}`,
            }),
          ]
        : []),
      json({
        type: "user",
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: TOOL_OUTPUT }] },
        uuid: `o${index}`,
      }),
    ]),
  ],
});

const CODEX = "01a1dc75-b10d-7ae3-88d3-1dc69d5045b5";
const record = (index: number, type: string, payload: object) =>
  json({ timestamp: at(index), ordinal: index, type, payload });

const codex = ofLines({
  host: "codex",
  session: CODEX,
  id: CODEX,
  path: (home) => join(home, `.codex/sessions/2026/11/15/rollout-2026-11-15T10-00-00-${CODEX}.jsonl`),
  lines: (turns) => [
    record(0, "session_meta", { id: CODEX, cwd: "/project" }),
    record(0, "response_item", {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "<environment_context>never said</environment_context>" }],
    }),
    record(0, "response_item", {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "never said: from the harness" }],
      internal_chat_message_metadata_passthrough: { content_item_metadata: [{ provenance: { type: "harness" } }] },
    }),
    ...turns.flatMap(({ speaker, text, reads }, index) => [
      ...(speaker === "user" ? [record(index, "event_msg", { type: "task_started" })] : []),
      record(index, "response_item", {
        type: "message",
        role: speaker === "user" ? "user" : "assistant",
        content: [{ type: speaker === "user" ? "input_text" : "output_text", text }],
      }),
      record(index, "event_msg", {
        type: "item_completed",
        thread_id: CODEX,
        item: {
          type: speaker === "user" ? "UserMessage" : "AgentMessage",
          content: [{ type: speaker === "user" ? "text" : "Text", text }],
        },
      }),
      ...(reads
        ? [
            record(index, "response_item", {
              type: "function_call",
              name: "exec_command",
              arguments: json({ cmd: `cat ${reads}` }),
              call_id: `c${index}`,
            }),
          ]
        : []),
      record(index, "response_item", { type: "function_call_output", output: TOOL_OUTPUT }),
      ...(speaker === "agent" ? [record(index, "event_msg", { type: "task_complete", last_agent_message: text })] : []),
    ]),
  ],
});

const COPILOT = "3c209f19-323b-4897-9c13-27956f61f866";

const copilot = ofLines({
  host: "copilot",
  session: COPILOT,
  id: COPILOT,
  path: (home) => join(home, `.copilot/session-state/${COPILOT}/events.jsonl`),
  lines: (turns) => [
    json({ type: "session.start", data: { sessionId: COPILOT }, id: "s", timestamp: at(0), parentId: null }),
    json({ type: "system.message", data: { role: "system", content: "never said: the system" }, timestamp: at(0) }),
    json({
      type: "assistant.message",
      data: { content: "never said: a sub-agent", parentToolCallId: "call" },
      timestamp: at(0),
    }),
    ...turns.flatMap(({ speaker, text, reads }, index) => [
      json({
        type: speaker === "user" ? "user.message" : "assistant.message",
        data: { content: text, interactionId: `i${index}`, turnId: "0" },
        id: `e${index}`,
        timestamp: at(index),
      }),
      ...(reads
        ? [
            json({
              type: "tool.execution_start",
              data: { toolCallId: `c${index}`, toolName: "view", arguments: { path: reads } },
              timestamp: at(index),
            }),
          ]
        : []),
      json({ type: "tool.execution_complete", data: { result: { content: TOOL_OUTPUT } }, timestamp: at(index) }),
    ]),
  ],
});

const GEMINI = "4036f46d-5c06-4212-b14f-fda0cbb06119";

const gemini = ofLines({
  host: "gemini",
  session: GEMINI,
  id: GEMINI,
  path: (home) => join(home, ".gemini/tmp/project/chats/session-2026-11-15T00-05-4036f46d.jsonl"),
  lines: (turns) => [
    json({ sessionId: GEMINI, startTime: at(0), kind: "main" }),
    json({
      $set: {
        messages: [
          {
            id: "context",
            timestamp: at(0),
            type: "user",
            content: [{ text: "<session_context>\nnever said\n</session_context>" }],
          },
        ],
      },
    }),
    ...turns.flatMap(({ speaker, text, reads }, index) => {
      const message = {
        id: `g${index}`,
        timestamp: at(index + 1),
        type: speaker === "user" ? "user" : "gemini",
        content: speaker === "user" ? [{ text }] : text,
      };
      const call = { id: `c${index}`, name: "read_file", args: { file_path: reads }, result: [] };
      return [
        json(message),
        json({ $set: { lastUpdated: at(index) } }),
        // A message is written again when its tool calls are known.
        json({ ...message, ...(reads ? { toolCalls: [call] } : {}) }),
        json({
          id: `f${index}`,
          timestamp: at(index + 1),
          type: "user",
          content: [{ functionResponse: { response: { output: TOOL_OUTPUT } } }],
        }),
      ];
    }),
  ],
});

const CURSOR = "668320d2-2fd8-4888-b33c-2a466fec86e7";

const cursor = ofLines({
  host: "cursor",
  session: CURSOR,
  id: CURSOR,
  path: (home) => join(home, `.cursor/projects/project/agent-transcripts/${CURSOR}/${CURSOR}.jsonl`),
  lines: (turns) =>
    turns.flatMap(({ speaker, text, reads }, index) => [
      speaker === "user"
        ? json({
            role: "user",
            message: { content: [{ type: "text", text: `<user_query>\n${text}\n</user_query>` }] },
          })
        : json({
            message: {
              role: "assistant",
              content: [
                { type: "text", text },
                ...(reads ? [{ type: "tool_use", id: `t${index}`, name: "ReadFile", input: { path: reads } }] : []),
              ],
            },
          }),
      json({ type: "tool_result", message: { content: [{ type: "text", text: TOOL_OUTPUT }] } }),
    ]),
});

const OPENCODE = "ses_e23860f1cffevtkGUERQARKv4m";

const opencode: HostTranscripts = {
  host: "opencode",
  session: OPENCODE,
  id: "",
  path: (home) => join(home, ".local/share/opencode/opencode.db"),
  write(homeDir, turns) {
    const file = this.path(homeDir);
    mkdirSync(dirname(file), { recursive: true });
    const database = new Database(file);
    database.exec(`
      drop table if exists part; drop table if exists message;
      create table message (id text primary key, session_id text not null, time_created integer not null,
        time_updated integer not null, data text not null);
      create table part (id text primary key, message_id text not null, session_id text not null,
        time_created integer not null, time_updated integer not null, data text not null);
      create index message_session_time_created_id_idx on message (session_id, time_created, id);
      create index part_message_id_id_idx on part (message_id, id);
      create index part_session_idx on part (session_id);`);
    const message = database.prepare("insert into message values (?, ?, ?, ?, ?)");
    const part = database.prepare("insert into part values (?, ?, ?, ?, ?, ?)");
    const add = (id: string, session: string, time: number, info: object, parts: readonly object[]) => {
      message.run(id, session, time, time, json(info));
      parts.forEach((data, index) => {
        part.run(`${id}-${index}`, id, session, time, time, json(data));
      });
    };
    database.exec("begin");
    // Written down in another order than said, as after an import.
    [...turns.entries()].reverse().forEach(([index, { speaker, text, reads }]) => {
      const role = speaker === "user" ? "user" : "assistant";
      add(`msg_${String(index).padStart(6, "0")}`, OPENCODE, START + index, { role }, [
        { type: "step-start" },
        { type: "text", text },
        { type: "text", text: "never said: put in by the program", synthetic: true },
        { type: "tool", tool: "read", callID: `c${index}`, state: { input: { filePath: reads }, output: TOOL_OUTPUT } },
      ]);
    });
    add("msg_summary", OPENCODE, START, { role: "assistant", summary: true }, [
      { type: "text", text: "never said: a summary" },
    ]);
    add("msg_other", "ses_other", START, { role: "user" }, [{ type: "text", text: "never said: another session" }]);
    database.exec("commit");
    database.close();
    return file;
  },
};

export const HOSTS: readonly HostTranscripts[] = [claudeCode, codex, copilot, cursor, gemini, opencode];

/** Long enough that it is no cursory session. */
export const LESSON: readonly Turn[] = [
  { speaker: "user", text: "The release job must run on the arm runners, because the x86 ones have no signing key." },
  { speaker: "agent", text: "I will set runs-on to the arm runners in release.yml." },
  { speaker: "user", text: "Yes. And always build with the frozen lockfile there." },
  { speaker: "agent", text: "Done: release.yml uses the arm runners and the frozen lockfile." },
];
