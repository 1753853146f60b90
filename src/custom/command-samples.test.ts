/** Scripts and answers as people wrote them for the predecessor, in words of our own: they work unchanged. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, describe, expect, it } from "vitest";
import type { AgentEvent, EventName } from "../core/event.ts";
import type { Json } from "../core/json.ts";
import type { Verdict } from "../core/verdict.ts";
import { commandHook } from "./command.ts";
import { sampleEvent, shell } from "./wire.fixture.ts";
import { readAnswer } from "./wire-answer.ts";
import { wireSchemas } from "./wire-schemas.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-samples-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const SCRIPTS = {
  "guard-shell.sh": `#!/bin/sh
payload="$(cat)"

case "$payload" in
  *"rm -rf"*|*"git reset --hard"*)
    printf '{"decision":"block","reason":"This command destroys work; use a safer one."}'
    ;;
  *)
    printf '{}'
    ;;
esac
`,
  "allow-cargo.sh": `#!/bin/sh
payload="$(cat)"

case "$payload" in
  *"cargo test"*|*"cargo check"*)
    printf '{"hook_specific_output":{"hook_event_name":"permission_request","decision":{"behavior":"allow"}}}'
    ;;
  *)
    printf '{}'
    ;;
esac
`,
  "ask-for-proof.sh": `#!/bin/sh
payload="$(cat)"

case "$payload" in
  *"validation"*|*"tests"*)
    printf '{}'
    ;;
  *)
    printf '{"continue":false,"reason":"Nothing was said about validation.","hook_specific_output":{"hook_event_name":"stop","additional_context":"Say which checks ran, or why none did."}}'
    ;;
esac
`,
};
mkdirSync(join(place, "hooks"));
for (const [name, text] of Object.entries(SCRIPTS)) writeFileSync(join(place, "hooks", name), text);

const judge = async (script: keyof typeof SCRIPTS, event: AgentEvent): Promise<Verdict> => {
  const context = { now: new Date(0), options: {}, signal: new AbortController().signal };
  const run = commandHook({ name: script, command: `sh ./hooks/${script}`, timeoutMs: 5000 });
  return run({ ...event, cwd: place }, context);
};

describe("scripts", () => {
  it.each([
    ["rm -rf build", "block"],
    ["git reset --hard HEAD~1", "block"],
    ["git status", "none"],
  ])("Q-108 a shell guard judges %s", async (command, kind) => {
    expect((await judge("guard-shell.sh", sampleEvent("pre_tool_use", { tool: shell(command) }))).opinion.kind).toBe(
      kind,
    );
  });

  it.each([
    ["cargo test -p app", "allow"],
    ["cargo check", "allow"],
    ["cargo publish", "none"],
  ])("Q-109 an approver of safe commands judges %s", async (command, kind) => {
    const event = sampleEvent("permission_request", { tool: shell(command) });
    expect((await judge("allow-cargo.sh", event)).opinion.kind).toBe(kind);
  });

  it("Q-110 a verifier at the end of a turn sees the agent's last words", async () => {
    const ended = (words: string) => judge("ask-for-proof.sh", sampleEvent("stop", { lastAssistantMessage: words }));
    expect((await ended("All tests pass.")).opinion.kind).toBe("none");
    expect(await ended("Done.")).toEqual({
      opinion: { kind: "continue", reason: "Nothing was said about validation." },
      context: ["Say which checks ran, or why none did."],
    });
  });
});

const SAMPLES: readonly (readonly [string, EventName, Json, Verdict])[] = [
  ["nothing", "pre_tool_use", {}, { opinion: { kind: "none" } }],
  [
    "a blocked call",
    "pre_tool_use",
    { decision: "block", reason: "The command touches a protected path." },
    { opinion: { kind: "block", reason: "The command touches a protected path." } },
  ],
  [
    "a rewritten call",
    "pre_tool_use",
    { hook_specific_output: { hook_event_name: "pre_tool_use", updated_input: { command: "cargo test --lib" } } },
    { opinion: { kind: "none" }, rewrite: { command: "cargo test --lib" } },
  ],
  [
    "an allowed request",
    "permission_request",
    { hook_specific_output: { hook_event_name: "permission_request", decision: { behavior: "allow" } } },
    { opinion: { kind: "allow" } },
  ],
  [
    "a blocked compaction",
    "pre_compaction",
    {
      decision: "block",
      reason: "Somebody has to look first.",
      hook_specific_output: { hook_event_name: "pre_compaction", additional_context: "Name the part to look at." },
    },
    { opinion: { kind: "block", reason: "Somebody has to look first." }, context: ["Name the part to look at."] },
  ],
  [
    "a delegation rewritten and blocked",
    "pre_delegation",
    {
      decision: "block",
      reason: "The planner does this itself.",
      hook_specific_output: {
        hook_event_name: "pre_delegation",
        updated_delegation: { target_agent_id: "coder", objective: "Only the implementation" },
        additional_context: "Say how it is verified.",
      },
    },
    { opinion: { kind: "block", reason: "The planner does this itself." }, context: ["Say how it is verified."] },
  ],
  [
    "context for a sub-agent",
    "delegation_start",
    { hook_specific_output: { hook_event_name: "delegation_start", additional_context: "Keep the diff small." } },
    { opinion: { kind: "none" }, context: ["Keep the diff small."] },
  ],
  [
    "a continued turn",
    "stop",
    {
      continue: false,
      reason: "Nothing was said about validation.",
      hook_specific_output: { hook_event_name: "stop", additional_context: "Say which checks ran." },
    },
    {
      opinion: { kind: "continue", reason: "Nothing was said about validation." },
      context: ["Say which checks ran."],
    },
  ],
];

describe("answers", () => {
  const ajv = new Ajv();
  const schemas = wireSchemas();

  it.each(SAMPLES)("Q-105 %s (%s) fits its schema and means what it says", (_, event, answer, verdict) => {
    const schema = schemas[`${event.replaceAll("_", "-")}.command.output.schema.json`] as object;
    expect(ajv.validate(schema, answer), JSON.stringify(ajv.errors)).toBe(true);
    expect(readAnswer(event, JSON.stringify(answer, null, 2))).toEqual(verdict);
  });
});
