import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AgentEvent, EVENT_NAMES, type EventName, eventRow } from "../core/event.ts";
import { checkFields } from "../core/fields.ts";
import type { Json } from "../core/json.ts";
import { whyNot } from "../core/match.ts";
import { sampleEvent, sampleEvents, shell } from "./wire.fixture.ts";
import { wireInput, wireInputFields } from "./wire-input.ts";
import { wireSchemas } from "./wire-schemas.ts";

const COMMON = ["session_id", "turn_id", "transcript_path", "cwd", "hook_event_name", "model", "permission_mode"];

/** The predecessor's own fields of each of its events, in its order. */
const PREDECESSOR: { readonly [E in EventName]?: readonly string[] } = {
  session_start: ["source"],
  user_prompt_submit: ["prompt"],
  pre_tool_use: ["tool_name", "tool_input", "tool_use_id"],
  permission_request: ["tool_name", "tool_input"],
  post_tool_use: ["tool_name", "tool_input", "tool_response", "tool_use_id"],
  stop: ["stop_reason"],
  pre_compaction: ["trigger", "token_estimate", "message_count"],
  post_compaction: ["trigger", "summary", "original_token_count", "summary_token_count", "message_count"],
  pre_delegation: ["tool_use_id", "target_agent_id", "objective", "context", "constraints", "expected_output"],
  delegation_start: [
    "delegation_id",
    "target_agent_id",
    "objective",
    "context",
    "constraints",
    "expected_output",
    "status",
  ],
  post_delegation: [
    "delegation_id",
    "target_agent_id",
    "child_session_id",
    "objective",
    "status",
    "summary",
    "verification_passed",
  ],
  delegation_failure: ["delegation_id", "target_agent_id", "objective", "status", "error", "error_type"],
};

describe("the input of a command hook", () => {
  it.each(Object.entries(PREDECESSOR))(
    "Q-24 has the predecessor's fields of %s under its names, in its order",
    (event, own) => {
      const common = event === "session_start" ? COMMON.filter((name) => name !== "turn_id") : COMMON;
      const written = Object.keys(wireInput(sampleEvent(event as EventName)));
      expect(written.filter((name) => [...common, ...own].includes(name))).toEqual([...common, ...own]);
    },
  );

  it("Q-24 starts with the common fields, and ends with ours", () => {
    for (const event of sampleEvents()) {
      const written = Object.keys(wireInput(event));
      const common = event.name === "session_start" ? COMMON.filter((name) => name !== "turn_id") : COMMON;
      expect(written.slice(0, common.length)).toEqual(common);
      const ours = eventRow(event.name).tool ? ["host", "agent_id", "tool_kind"] : ["host", "agent_id"];
      expect(written.slice(-ours.length)).toEqual(ours);
    }
  });

  it("Q-24 has every declared field of every event, transcript_path as a path or null", () => {
    for (const event of sampleEvents()) {
      expect(Object.keys(wireInput(event))).toEqual(Object.keys(wireInputFields(event.name)));
      expect(checkFields(wireInput(event), wireInputFields(event.name))).toEqual([]);
      expect(wireInput(event).transcript_path).toBeNull();
      expect(wireInput({ ...event, transcriptPath: "/t.jsonl" }).transcript_path).toBe("/t.jsonl");
    }
  });

  it("carries the call: the host's name and arguments, the id, and the kind that is the same on every host", () => {
    expect(wireInput(sampleEvent("post_tool_use", { tool: shell("ls -l"), agent: "helper" }))).toEqual({
      session_id: "session-1",
      turn_id: "turn-1",
      transcript_path: null,
      cwd: process.cwd(),
      hook_event_name: "post_tool_use",
      model: "model-1",
      permission_mode: "plan",
      tool_name: "shell",
      tool_input: { command: "ls -l" },
      tool_response: "a.txt",
      failed: false,
      outcome_unknown: false,
      duration_ms: 3,
      tool_use_id: "call-1",
      host: "test-host",
      agent_id: "helper",
      tool_kind: "shell",
    });
  });

  it("has an empty tool_use_id where the host gives none, and none at all on permission_request", () => {
    const { id: _, ...tool } = shell("ls");
    expect(wireInput(sampleEvent("pre_tool_use", { tool })).tool_use_id).toBe("");
    expect(wireInput(sampleEvent("permission_request", { tool }))).not.toHaveProperty("tool_use_id");
  });

  it("Q-22 says . where the session has no directory", () => {
    expect(wireInput(sampleEvent("stop", { cwd: "" })).cwd).toBe(".");
  });

  it("Q-23 fits the published schema, whatever the texts are", () => {
    const ajv = new Ajv();
    const schemas = wireSchemas();
    for (const name of EVENT_NAMES) {
      const fits = ajv.compile(schemas[`${name.replaceAll("_", "-")}.command.input.schema.json`] as object);
      fc.assert(
        fc.property(fc.string({ unit: "binary" }), fc.jsonValue(), (text, value) => {
          const changes = { session: text, model: text, cwd: text, response: value as Json };
          const event: AgentEvent = { ...sampleEvent(name), ...changes };
          expect(fits(JSON.parse(JSON.stringify(wireInput(event)))), JSON.stringify(fits.errors)).toBe(true);
        }),
        { numRuns: 30 },
      );
    }
  });
});

describe("matching", () => {
  const asPattern = (source: string) => ({ source, test: (value: string) => new RegExp(source).test(value) });
  const runs = (source: string, event = sampleEvent("pre_tool_use")) =>
    whyNot(event, { matcher: asPattern(source) }) === undefined;

  it("Q-17 without a matcher, or with an empty one, every event matches", () => {
    expect(whyNot(sampleEvent("pre_tool_use"), undefined)).toBeUndefined();
    expect(whyNot(sampleEvent("pre_tool_use"), {})).toBeUndefined();
    expect(runs("")).toBe(true);
  });

  it("Q-18 a matcher is searched for anywhere, and anchors work", () => {
    expect(runs("hel")).toBe(true);
    expect(runs("^shell$")).toBe(true);
    expect(runs("^hel")).toBe(false);
  });

  it("Q-19 a matcher is case-sensitive unless its pattern says otherwise", () => {
    expect(runs("Shell")).toBe(false);
    const insensitive = { source: "(?i)SHELL", test: (value: string) => /SHELL/i.test(value) };
    expect(whyNot(sampleEvent("pre_tool_use"), { matcher: insensitive })).toBeUndefined();
  });

  it("Q-20 tool events match the tool's name, delegation events the target agent", () => {
    for (const event of sampleEvents()) {
      const { matcher } = eventRow(event.name);
      const found = ["^shell$", "^coder$"].filter(
        (source) => whyNot(event, { matcher: asPattern(source) }) === undefined,
      );
      expect(found).toEqual(matcher === "tool" ? ["^shell$"] : matcher === "agent" ? ["^coder$"] : []);
    }
  });
});
