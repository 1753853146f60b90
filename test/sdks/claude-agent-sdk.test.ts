import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ClaudeGuardOptions, guardedQuery, holdfastHooks } from "../../src/bindings/claude-agent-sdk.ts";
import { support } from "../../src/bindings/claude-agent-sdk-support.ts";
import { defineHook } from "../../src/custom/define-hook.ts";
import type { HoldfastOptions } from "../../src/embed/holdfast.ts";
import { claudeAgentSdk, offline, saw } from "./claude-agent-sdk-driver.ts";
import { conformance } from "./conformance.ts";
import type { ModelStep } from "./driver.ts";
import { installedSdk, loadSdk } from "./installed-sdk.ts";
import { runExample } from "./run-example.ts";
import { supportsEveryEvent } from "./support-table.ts";
import { type Workbench, workbench } from "./workbench.ts";

conformance(claudeAgentSdk);

describe("Claude Agent SDK: the traps (sdks.md 22 and 29)", () => {
  let bench: Workbench;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's module
  let sdk: any;
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    sdk = await loadSdk("claude-agent-sdk", "@anthropic-ai/claude-agent-sdk");
  });
  beforeEach(() => {
    bench = workbench();
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await bench.close();
  });

  const bash = (command: string, id: string) => ({ id, name: "Bash", input: { command, description: "a step" } });

  /** A query with the SDK's own tools. */
  async function query(
    script: readonly ModelStep[],
    given: HoldfastOptions,
    guarding: ClaudeGuardOptions = {},
    more: object = {},
    settings?: object,
  ) {
    const { model, options, close } = await offline(script);
    closing.push(close);
    if (settings) {
      mkdirSync(join(options.cwd, ".claude"));
      writeFileSync(join(options.cwd, ".claude", "settings.json"), JSON.stringify(settings));
    }
    const session = await bench.session(given);
    const guard = holdfastHooks(session, guarding);
    // biome-ignore lint/suspicious/noExplicitAny: a message of the SDK
    let result: any;
    const all = { ...options, allowedTools: ["Bash"], ...more };
    for await (const message of guardedQuery<{ type: string }>({
      session,
      query: sdk.query,
      prompt: "go",
      options: all,
      guard,
    })) {
      if (message.type === "result") result = message;
    }
    return { result, modelSaw: saw(model, true), made: (file: string) => existsSync(join(options.cwd, file)) };
  }

  it("29.2 one callback per event, of which those that guard block when they fail", async () => {
    const { hooks } = holdfastHooks(await bench.session({}));
    expect(Object.values(hooks).map((matchers) => matchers.flatMap((matcher) => matcher.hooks).length)).toEqual(
      Object.keys(hooks).map(() => 1),
    );
    const guards = Object.keys(hooks).filter((event) => hooks[event]?.[0]?.onFailure === "block");
    expect(guards).toEqual(["PreToolUse", "UserPromptSubmit", "PermissionRequest", "PreCompact"]);
    expect(Object.keys(hooks).filter((event) => !sdk.HOOK_EVENTS.includes(event))).toEqual([]);
  });

  it("29.3 a payload that cannot be read is denied where it guards, and never by continue: false", async () => {
    const { hooks } = holdfastHooks(await bench.session({}));
    const signal = new AbortController().signal;
    const answer = await hooks.PreToolUse?.[0]?.hooks[0]?.({ hook_event_name: "PreToolUse" }, "t1", { signal });
    expect(answer).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    expect(JSON.stringify(answer)).not.toContain("continue");
  });

  it("the SDK's own tools are known without a description: a rule on commands holds for Bash", async () => {
    const script = [{ calls: [bash("git push --force origin main", "t1")] }, { text: "done" }];
    const { modelSaw } = await query(script, {});
    expect(modelSaw[1]).toContain("git/force-push-protected");
  });

  it("Q-57 a rewritten command of Bash is what runs", async () => {
    const dry = defineHook({
      name: "dry",
      on: ["pre_tool_use"],
      judge: ({ tool }) => ({ rewrite: { ...tool.input, command: "touch rewritten" } }),
    });
    const { made } = await query([{ calls: [bash("touch original", "t1")] }, { text: "done" }], { hooks: [dry] });
    expect([made("original"), made("rewritten")]).toEqual([false, true]);
  });

  it("F-15 a rewritten rich result keeps its blocks and its picture", async () => {
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const seen: unknown[] = [];
    const hides = defineHook({
      name: "hides",
      on: ["post_tool_use"],
      judge: ({ response }) => {
        seen.push(response);
        if (!Array.isArray(response)) return undefined;
        const hidden = { type: "text", text: "[hidden]" };
        return { rewrite: response.map((part) => (JSON.stringify(part).includes("12345") ? hidden : part)) };
      },
    });
    const look = sdk.tool("look", "looks", {}, async () => ({
      content: [
        { type: "text", text: "the key is 12345" },
        { type: "image", data: pixel, mimeType: "image/png" },
      ],
    }));
    const mcpServers = { own: sdk.createSdkMcpServer({ name: "own", tools: [look] }) };
    const script = [{ calls: [{ id: "t1", name: "mcp__own__look", input: {} }] }, { text: "done" }];
    const more = { mcpServers, allowedTools: ["mcp__own__look"] };
    const { modelSaw } = await query(script, { hooks: [hides] }, {}, more);
    expect(seen).toHaveLength(1);
    expect(modelSaw[1]).toContain("[hidden]");
    expect(modelSaw[1]).toContain("image/png");
    expect(modelSaw[1]).toContain(pixel);
    expect(modelSaw.join()).not.toContain("12345");
  });

  it("a person's quick yes does not outrun a hook on permission_request that says no", async () => {
    const asks = defineHook({ name: "asks", on: ["pre_tool_use"], judge: () => ({ ask: "fine?" }) });
    const slowNo = defineHook({
      name: "no",
      on: ["permission_request"],
      async judge() {
        await sleep(300);
        return { block: "never that" };
      },
    });
    const given = { hooks: [asks, slowNo], ask: () => ({ allow: true }) as const };
    const { made, modelSaw } = await query([{ calls: [bash("touch x", "t1")] }, { text: "done" }], given);
    expect(made("x")).toBe(false);
    expect(modelSaw[1]).toContain("never that");
  });

  it.each([
    ["bypasses permissions", { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true }, {}],
    ["asks nobody", { permissionMode: "dontAsk" }, {}],
    ["reads settings that turn hooks off", { settingSources: ["project"] }, { disableAllHooks: true }],
    ["reads settings that allow the tool", { settingSources: ["project"] }, { permissions: { allow: ["Bash"] } }],
  ])("blocks and questions of hooks hold in a query that %s", async (_how, more, settings) => {
    const rules = defineHook({
      name: "rules",
      on: ["pre_tool_use"],
      judge: ({ tool }) => (String(tool.input.command).endsWith("a") ? { block: "never" } : { ask: "fine?" }),
    });
    const given = { hooks: [rules], ask: () => ({ allow: false, reason: "a person said no" }) as const };
    const script = [{ calls: [bash("touch a", "t1"), bash("touch b", "t2")] }, { text: "done" }];
    const { made, modelSaw } = await query(script, given, {}, more, settings);
    expect([made("a"), made("b")]).toEqual([false, false]);
    expect(modelSaw[1]).toContain("never");
    expect(modelSaw[1]).toContain("a person said no");
  });

  it("29.2 what a hook of a settings file makes of a call is judged where the SDK asks whether it may run", async () => {
    const updatedInput = { command: "touch a", description: "changed" };
    const answer = JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput } });
    const hook = { type: "command", command: `sleep 1; echo '${answer}'` };
    const settings = { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } };
    const seen: unknown[] = [];
    const never = defineHook({
      name: "never",
      on: ["pre_tool_use"],
      judge: ({ tool }) => {
        seen.push(tool.input.command);
        return tool.input.command === "touch a" ? { block: "never" } : undefined;
      },
    });
    const given = { hooks: [never], ask: () => ({ allow: true }) as const };
    const more = { settingSources: ["project"], allowedTools: [] };
    const { made, modelSaw } = await query(
      [{ calls: [bash("touch b", "t1")] }, { text: "done" }],
      given,
      {},
      more,
      settings,
    );
    expect(seen).toEqual(["touch b", "touch a"]);
    expect([made("a"), made("b")]).toEqual([false, false]);
    expect(modelSaw[1]).toContain("never");
  });

  it("a call that nobody changed is judged once, though a person is asked", async () => {
    const seen: unknown[] = [];
    const looks = defineHook({
      name: "looks",
      on: ["pre_tool_use"],
      judge: ({ tool }) => void seen.push(tool.name),
    });
    const given = { hooks: [looks], ask: () => ({ allow: true }) as const };
    const write = { id: "t2", name: "Write", input: { file_path: "b.txt", content: "b" } };
    const script = [{ calls: [bash("touch a", "t1"), write] }, { text: "done" }];
    const { made } = await query(script, given, {}, { allowedTools: [] });
    expect(made("a")).toBe(true);
    expect(seen).toEqual(["Bash", "Write"]);
  });

  it("a canUseTool of the program's own is refused: nothing would call it", async () => {
    const session = await bench.session({});
    const options = { canUseTool: () => ({ behavior: "deny", message: "no" }) };
    const messages = guardedQuery<object>({ session, query: sdk.query, prompt: "go", options });
    await expect(messages.next()).rejects.toThrow("createHoldfast({ ask })");
  });

  it("29.7 of two calls that wait for a person one is deferred, and the other is to be made again", async () => {
    const asks = defineHook({ name: "asks", on: ["pre_tool_use"], judge: () => ({ ask: "fine?" }) });
    const script = [{ calls: [bash("touch a", "t1"), bash("touch b", "t2")] }, { text: "done" }];
    const { made, result } = await query(script, { hooks: [asks] }, { suspend: true });
    expect([made("a"), made("b")]).toEqual([false, false]);
    expect(result.deferred_tool_use).toMatchObject({ name: "Bash" });
    const denied = result.permission_denials.map(({ tool_use_id }: { tool_use_id: string }) => tool_use_id);
    expect([result.deferred_tool_use.id, ...denied].sort()).toEqual(["t1", "t2"]);
  });

  it("Q-46 session start and end, which the SDK does not call back, are fired around the query, once each", async () => {
    const seen: string[] = [];
    const looks = defineHook({
      name: "l",
      on: ["session_start", "user_prompt_submit", "stop", "session_end"],
      judge: ({ name }) => void seen.push(name),
    });
    await query([{ text: "done" }], { hooks: [looks] });
    expect(seen).toEqual(["session_start", "user_prompt_submit", "stop", "session_end"]);
  });

  it("29.9 a stop is continued as often as is allowed and no more, though the SDK knows no limit", async () => {
    const seen: number[] = [];
    const more = defineHook({
      name: "more",
      on: ["stop"],
      judge({ continuations }) {
        seen.push(continuations);
        return { continue: "go on" };
      },
    });
    const script = [1, 2, 3, 4, 5].map((turn) => ({ text: `answer ${turn}` }));
    const { result } = await query(script, { hooks: [more], maxContinuations: 2 });
    expect(seen).toEqual([0, 1, 2]);
    expect(result.result).toBe("answer 3");
  });

  it("Q-83 a compaction that hooks block does not happen, and they are asked once", async () => {
    const seen: unknown[] = [];
    const no = defineHook({
      name: "no",
      on: ["pre_compaction", "post_compaction"],
      judge({ name, trigger }) {
        seen.push([name, trigger]);
        return name === "pre_compaction" ? { block: "keep it all" } : undefined;
      },
    });
    const { model, options, close } = await offline([{ text: "hello" }]);
    closing.push(close);
    const session = await bench.session({ hooks: [no] });
    // biome-ignore lint/suspicious/noExplicitAny: a message of the SDK
    const play = async (prompt: string, more = {}): Promise<any> => {
      let last: unknown;
      const all = { session, query: sdk.query, prompt, options: { ...options, ...more } };
      for await (const message of guardedQuery<object>(all)) last = message;
      return last;
    };
    const { session_id: resume } = await play("hi");
    const before = model.requests.length;
    await play("/compact", { resume });
    expect(seen).toEqual([["pre_compaction", "manual"]]);
    expect(model.requests).toHaveLength(before);
  });

  supportsEveryEvent(support);
});

it("examples/sdks/claude-agent-sdk.mjs: a push is blocked, and of a deploy a person is asked, who says no", async () => {
  const bash = (command: string, id: string) => ({ id, name: "Bash", input: { command, description: "a step" } });
  const calls = [bash("git push --force origin main", "t1"), bash("deploy shop", "t2")];
  const { options, close } = await offline([{ calls }, { text: "Neither." }]);
  try {
    const { HOME: _own, ...env } = options.env;
    const printed = await runExample("claude-agent-sdk.mjs", await installedSdk("claude-agent-sdk"), env);
    expect(printed).toContain("git/force-push-protected");
    expect(printed).toMatch(/a person is asked: .*This goes to production\. deploy shop/);
    expect(printed).toContain("Not today.");
    expect(printed).toContain("answer: Neither.");
  } finally {
    await close();
  }
});
