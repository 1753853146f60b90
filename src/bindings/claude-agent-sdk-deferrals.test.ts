import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Decision } from "../core/decision.ts";
import type { JsonObject } from "../core/json.ts";
import { defineHook } from "../custom/define-hook.ts";
import { createHoldfast, type Holdfast, type HoldfastOptions } from "../embed/holdfast.ts";
import type { PersonAnswer } from "../embed/tool-call.ts";
import type { Outcome } from "../hosts/host.ts";
import { holdfastHooks } from "./claude-agent-sdk.ts";
import { waitingIn } from "./claude-agent-sdk-deferrals.ts";

const distDir = join(import.meta.dirname, "../../dist");
let dir: string;
const opened: Holdfast[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-deferrals-"));
  mkdirSync(join(dir, "project", ".git"), { recursive: true });
});
afterEach(async () => {
  for (const holdfast of opened.splice(0)) await holdfast.close();
  rmSync(dir, { recursive: true, force: true });
});

/** What the SDK is answered about a call, in a process of its own as it were. */
async function answer(
  hooks: NonNullable<HoldfastOptions["hooks"]>,
  tool: { readonly tool_name: string; readonly tool_input: JsonObject },
  answers: Readonly<Record<string, PersonAnswer>> = {},
): Promise<JsonObject> {
  const env = {
    PATH: process.env.PATH,
    HOME: dir,
    HOLDFAST_CONFIG_DIR: join(dir, "config"),
    HOLDFAST_STATE_DIR: join(dir, "state"),
  };
  const holdfast = await createHoldfast({ cwd: join(dir, "project"), env, distDir, hooks });
  opened.push(holdfast);
  const guard = holdfastHooks(holdfast.session({ id: "s1" }), { suspend: true, answers });
  const payload = { hook_event_name: "PreToolUse", session_id: "x", cwd: "", tool_use_id: "t1", ...tool };
  const { signal } = new AbortController();
  const said = await guard.hooks.PreToolUse?.[0]?.hooks[0]?.(payload, "t1", { signal });
  return (said?.hookSpecificOutput ?? {}) as JsonObject;
}

const YES = { t1: { allow: true } } as const;

describe("a call that waits for people", () => {
  const tool = { name: "Agent", kind: "other", input: {} };
  const outcome = (decision: object) => ({ decision: { reasons: [], effects: [], trace: [], ...decision } }) as never;
  const pending = outcome({
    kind: "block",
    reasons: [{ hook: "approvals", text: "pending" }],
    effects: [{ type: "note", data: { approval: "a1", status: "pending" } }],
    final: { name: "pre_tool_use", tool } as unknown as Decision["final"],
  });
  const barred = outcome({ kind: "block", reasons: [{ hook: "no", text: "no" }], final: { name: "pre_delegation" } });

  it("waits only if nothing else blocks it, wherever that stands", () => {
    const waits = (outcomes: readonly Outcome[]) => waitingIn(outcomes, "t1")?.pendingApproval;
    expect(waits([pending])).toBe("a1");
    expect([waits([pending, barred]), waits([barred, pending]), waits([barred])]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("what a person is asked about", () => {
  const asks = defineHook({ name: "asks", on: ["pre_tool_use"], judge: () => ({ ask: "is this fine?" }) });

  it("is the request as a delegation's rewrite left it: a yes to one is none to another", async () => {
    let objective = "count the files";
    const rewrites = defineHook({ name: "w", on: ["pre_delegation"], judge: () => ({ rewrite: { objective } }) });
    const call = { tool_name: "Agent", tool_input: { description: "d", prompt: "look", subagent_type: "helper" } };
    const asksFirst = defineHook({
      name: "asks",
      on: ["pre_tool_use"],
      judge: ({ tool }) => (tool.input.prompt === "look" ? { ask: "is this fine?" } : undefined),
    });
    const hooks = [asksFirst, rewrites];
    expect(await answer(hooks, call)).toMatchObject({ permissionDecision: "defer" });
    expect(await answer(hooks, call, YES)).toMatchObject({
      permissionDecision: "allow",
      updatedInput: { prompt: "count the files" },
    });
    expect(await answer(hooks, call)).toMatchObject({ permissionDecision: "defer" });
    objective = "delete the files";
    expect(await answer(hooks, call, YES)).toMatchObject({ permissionDecision: "defer" });
  });

  it("is what hooks on permission_request see: the input as it would run", async () => {
    const seen: unknown[] = [];
    const rewrites = defineHook({
      name: "w",
      on: ["pre_tool_use"],
      judge: () => ({ rewrite: { command: "touch x" } }),
    });
    const looks = defineHook({
      name: "looks",
      on: ["permission_request"],
      judge: ({ tool }) => void seen.push(tool.input),
    });
    const said = await answer([rewrites, asks, looks], { tool_name: "Bash", tool_input: { command: "ls" } });
    expect(said).toMatchObject({ permissionDecision: "defer", updatedInput: { command: "touch x" } });
    expect(seen).toEqual([{ command: "touch x" }]);
  });
});
