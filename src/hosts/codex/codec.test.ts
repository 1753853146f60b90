import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { BLOCK_PREFIX } from "../answer-text.ts";
import { decisionOf, describeHost, momentOf, readFixtures, type Seen, type Wish } from "../conformance.fixture.ts";
import type { HostAnswer, Native } from "../host.ts";
import { codex } from "./host.ts";

const FIXTURES = join(import.meta.dirname, "fixtures", codex.provenVersion);
const { codec } = codex;

/** Taken out of the program itself: what does not fit is dropped there, and the call runs. */
const schemas = new Map(
  Object.entries(
    JSON.parse(readFileSync(join(import.meta.dirname, "schemas", `${codex.provenVersion}.json`), "utf8")) as JsonObject,
  ).map(([name, schema]): [string, ValidateFunction] => [
    name,
    new Ajv({ strict: false }).compile(schema as JsonObject),
  ]),
);

describeHost({ host: codex, fixtures: [FIXTURES], reads });

/** The table of hosts.md, section 4.1, and what was measured since, read from the host's side. */
function reads({ event }: Native, { stdout, stderr, exitCode }: HostAnswer): Seen {
  if (exitCode === 2) return EXIT_2_BLOCKS.includes(event) && stderr !== "" ? { blocked: stderr } : {};
  if (exitCode !== 0 || stdout === "") return {};
  const json = JSON.parse(stdout) as JsonObject;
  const fits = schemas.get(event.replace(/(?<!^)[A-Z]/g, "-$&").toLowerCase());
  expect(fits?.(json), `${event} ${stdout} ${JSON.stringify(fits?.errors)}`).toBe(true);
  const specific = isJsonObject(json.hookSpecificOutput) ? json.hookSpecificOutput : {};
  const context = specific.additionalContext as string | undefined;
  const told = context === undefined ? {} : { context };
  const reason = filled(json.reason);
  const ended = json.continue === false ? filled(json.stopReason) : undefined;
  switch (event) {
    case "SessionStart":
    case "SubagentStart":
      return told;
    case "UserPromptSubmit":
      return json.decision === "block" && reason ? { blocked: reason } : told;
    case "PreToolUse": {
      // An input without "allow" is dropped, and a denial without a reason is none.
      const input = specific.permissionDecision === "allow" ? (specific.updatedInput as JsonObject) : undefined;
      const denied = specific.permissionDecision === "deny" ? filled(specific.permissionDecisionReason) : undefined;
      const message = typeof input?.message === "string" ? input.message : "";
      return {
        ...(message.includes("<holdfast-context") ? { context: message } : told),
        ...(input ? { rewrite: input } : {}),
        ...(denied ? { blocked: denied } : {}),
      };
    }
    case "PermissionRequest": {
      const decision = specific.decision as { behavior: string; message?: string };
      return decision.behavior === "deny" ? { blocked: decision.message ?? "" } : { allowed: "the reason 4711" };
    }
    // The reason stands in the place of the output: told as a block, or as another output.
    case "PostToolUse":
      if (json.decision !== "block" || !reason) return told;
      return { ...told, ...(reason.startsWith(BLOCK_PREFIX) ? { blocked: reason } : { rewrite: reason }) };
    case "Stop":
      if (ended) return { halted: ended };
      return json.decision === "block" && reason ? { continued: reason } : {};
    case "PreCompact":
      return ended ? { blocked: ended } : {};
    default:
      throw new Error(`${event} was told ${stdout}`);
  }
}

const EXIT_2_BLOCKS = ["PreToolUse", "UserPromptSubmit", "PermissionRequest"];

const filled = (value: unknown) => (typeof value === "string" && value.trim() !== "" ? value : undefined);

const fixtures = new Map(readFixtures(FIXTURES).map((fixture) => [fixture.name, fixture]));

function nativeOf(name: string, changes: JsonObject = {}): Native {
  const fixture = fixtures.get(name);
  if (!fixture) throw new Error(`no fixture ${name}`);
  return codec.parse({ ...fixture.stdin, ...changes }, momentOf(fixture));
}

function answerTo(native: Native, ...wishes: readonly Wish[]): HostAnswer {
  const outcomes = wishes.map((wish, index) => {
    const event = native.events[index];
    if (!event) throw new Error("too many wishes");
    return { event, decision: decisionOf(event, wish, codex) };
  });
  return codec.render(native, outcomes);
}

const stdoutOf = (native: Native, ...wishes: readonly Wish[]) => answerTo(native, ...wishes).stdout;

describe("the bytes Codex gets", () => {
  it("a block is a denial with a reason and not a byte besides", () => {
    expect(answerTo(nativeOf("PreToolUse"), { kind: "block", reason: "no" })).toEqual({
      stdout: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Blocked by holdfast: no"}}`,
      stderr: "",
      exitCode: 0,
    });
  });

  it("a rewrite goes with allow, without which Codex would run the call as it was", () => {
    expect(stdoutOf(nativeOf("PreToolUse"), { rewrite: { command: "ls" } })).toBe(
      `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls"}}}`,
    );
  });

  it("an allow alone says nothing: Codex asks the person by its own rules either way", () => {
    expect(stdoutOf(nativeOf("PreToolUse"), { kind: "allow" })).toBe("");
  });

  it("what a person must be asked about is blocked, with what to do", () => {
    expect(stdoutOf(nativeOf("PreToolUse"), { kind: "ask", reason: "sure?" })).toContain(
      String.raw`"deny","permissionDecisionReason":"Blocked by holdfast: sure?\nThis needs a person's yes`,
    );
  });

  it("a call that is asked about is never rewritten and run", () => {
    const stdout = stdoutOf(nativeOf("PreToolUse"), { kind: "ask", rewrite: { command: "ls" } });
    expect(stdout).not.toContain("updatedInput");
    expect(stdout).not.toContain(`"allow"`);
  });

  it("a block, a rewrite and context together are a denial with context", () => {
    const stdout = stdoutOf(nativeOf("PreToolUse"), { kind: "block", rewrite: { command: "ls" }, context: ["mind"] });
    expect(Object.keys(JSON.parse(stdout).hookSpecificOutput)).toEqual([
      "hookEventName",
      "permissionDecision",
      "permissionDecisionReason",
      "additionalContext",
    ]);
  });

  it("a patch is rewritten as one text", () => {
    const command = "*** Begin Patch\n*** Add File: b.txt\n+b\n*** End Patch";
    const stdout = stdoutOf(nativeOf("PreToolUse.apply_patch"), { rewrite: { command } });
    expect(JSON.parse(stdout).hookSpecificOutput.updatedInput).toEqual({ command });
  });

  it("output is replaced by a text, also by an empty one or by none", () => {
    const shown = (rewrite: JsonObject | string | null) =>
      JSON.parse(stdoutOf(nativeOf("PostToolUse"), { rewrite })).reason;
    expect(shown("***")).toBe("***");
    expect(shown({ a: 1 })).toBe(`{"a":1}`);
    expect(shown(" \n")).toBe("(no output)");
    expect(shown("")).toBe("(no output)");
    expect(shown(null)).toBe("null");
  });

  it("a compaction that must not happen ends the turn, also where it is our failure", () => {
    const ended = (text: string) => `{"continue":false,"stopReason":"Blocked by holdfast: ${text}"}`;
    expect(stdoutOf(nativeOf("PreCompact.auto"), { kind: "block", reason: "no" })).toBe(ended("no"));
    expect(codec.fail("PreCompact", "no plan")).toEqual({ stdout: ended("no plan"), stderr: "", exitCode: 0 });
  });
});

describe("what Codex sends", () => {
  it("a command has its turn, its agent and the directory it runs in", () => {
    expect(nativeOf("PreToolUse.subagent-Bash").events).toMatchObject([
      {
        turn: "01a1dc96-1b3b-73d1-9b50-0b8edc4a3d31",
        agent: "01a1dc96-1b34-7d52-9205-c0c164f479a4",
        cwd: "/project",
        permissionMode: "bypass",
        tool: { kind: "shell", command: "echo sub > sub.txt" },
      },
    ]);
  });

  it("a patch is an edit of every file it names", () => {
    const command =
      "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch";
    expect(nativeOf("PreToolUse.apply_patch", { tool_input: { command } }).events).toMatchObject([
      { tool: { kind: "edit", paths: ["a", "b", "c"], content: "y\n" } },
    ]);
  });

  it("a call that asks a sub-agent is a delegation too, in whichever group the tool is", () => {
    for (const tool_name of ["spawn_agent", "collaborationspawn_agent", "multi_agent_v1send_input"]) {
      expect(nativeOf("PreToolUse.spawn_agent", { tool_name }).events).toMatchObject([
        { name: "pre_tool_use", tool: { kind: "delegate" } },
        { name: "pre_delegation", objective: "SUBTASK go", targetAgentId: "default" },
      ]);
    }
  });

  it("a sub-agent's prompt is no prompt of a person", () => {
    expect(nativeOf("UserPromptSubmit").events).toHaveLength(1);
    expect(nativeOf("UserPromptSubmit.subagent")).toMatchObject({ events: [] });
  });

  it.each([
    ["PostToolUse.apply_patch", {}, false],
    ["PostToolUse.apply_patch", { tool_response: "Exit code: 1\nWall time: 0 seconds\nOutput:\nno" }, true],
    ["PostToolUse.apply_patch", { tool_response: "Exit code: 10\nWall time: 0 seconds" }, true],
    ["PostToolUse.mcp", {}, false],
    ["PostToolUse.mcp", { tool_response: { content: [], isError: true } }, true],
  ] as const)("%s with %j: failed is %s, where the answer says so", (name, changes, failed) => {
    expect(nativeOf(name, changes as JsonObject).events).toMatchObject([{ failed }]);
  });

  it("its payloads are known as its own", () => {
    for (const { name, stdin } of fixtures.values()) expect(codex.owns(stdin), name).toBe(true);
    expect(codex.owns({ transcript_path: "/home/u/.claude/projects/p/s.jsonl", hook_event_name: "Stop" })).toBe(false);
    expect(codex.owns({ hook_event_name: "PreToolUse", cwd: "/p" })).toBe(false);
  });
});
