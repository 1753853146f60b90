import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { defineHook } from "../custom/define-hook.ts";
import { createHoldfast, type Holdfast } from "../embed/holdfast.ts";
import { holdfastHooks } from "./claude-agent-sdk.ts";

let dir: string;
let holdfast: Holdfast;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-own-hooks-"));
  mkdirSync(join(dir, ".git"));
});
afterEach(async () => {
  await holdfast.close();
  rmSync(dir, { recursive: true, force: true });
});

const rules = [
  defineHook({
    name: "rules",
    on: ["pre_tool_use"],
    judge: ({ tool }) => {
      if (tool.input.command === "bad") return { block: "bad is out" };
      return tool.input.command === "doubtful" ? { ask: "is this fine?" } : undefined;
    },
  }),
  defineHook({
    name: "hides",
    on: ["post_tool_use"],
    judge: ({ response }) => (JSON.stringify(response).includes("secret") ? { rewrite: "[hidden]" } : undefined),
  }),
];

/** What the SDK hears where a hook of the program's own says this of a call of Bash. */
async function heard(event: string, output: JsonObject, suspend = false): Promise<JsonObject> {
  const env = { PATH: process.env.PATH, HOME: dir, HOLDFAST_CONFIG_DIR: dir, HOLDFAST_STATE_DIR: join(dir, "state") };
  const distDir = join(import.meta.dirname, "../../dist");
  holdfast = await createHoldfast({ cwd: dir, env, distDir, hooks: rules });
  const guard = holdfastHooks(holdfast.session(), { suspend });
  const own = guard.ownHooks({ [event]: [{ matcher: "Bash", timeout: 7, hooks: [async () => output] }] });
  const [matcher] = own[event];
  expect(matcher).toMatchObject({ matcher: "Bash", timeout: 7 });
  const call = { hook_event_name: event, session_id: "x", cwd: "", tool_name: "Bash", tool_use_id: "t1" };
  const payload = { ...call, tool_input: { command: "good" }, tool_response: { stdout: "fine", stderr: "" } };
  return matcher.hooks[0](payload, "t1", { signal: new AbortController().signal });
}

const specific = (hookEventName: string, more: JsonObject) => ({ hookSpecificOutput: { hookEventName, ...more } });

it("29.2 what changes nothing of a call is passed on as it was said", async () => {
  const output = specific("PreToolUse", { permissionDecision: "ask", permissionDecisionReason: "mine" });
  expect(await heard("PreToolUse", output)).toBe(output);
});

it("29.2 a changed call that a hook blocks is denied", async () => {
  const output = specific("PreToolUse", { permissionDecision: "allow", updatedInput: { command: "bad" } });
  const said = await heard("PreToolUse", output);
  expect(said.hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
  expect(JSON.stringify(said)).toContain("bad is out");
});

it("29.2 a changed call that nobody minds keeps what its own hook said of it", async () => {
  const output = specific("PreToolUse", { permissionDecision: "ask", updatedInput: { command: "other" } });
  expect(await heard("PreToolUse", output)).toEqual(output);
});

it("29.2 a changed call that hooks ask about is asked about; where runs are suspended it cannot wait and is denied", async () => {
  const output = specific("PreToolUse", { permissionDecision: "allow", updatedInput: { command: "doubtful" } });
  const asked = await heard("PreToolUse", output);
  expect(asked.hookSpecificOutput).toMatchObject({ permissionDecision: "ask", updatedInput: { command: "doubtful" } });
  await holdfast.close();
  const denied = await heard("PreToolUse", output, true);
  expect(denied.hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
  expect(JSON.stringify(denied)).toContain("cannot wait");
});

it.each(["bad", "doubtful"])("29.2 who allows a call in a person's place allows no other: %s", async (command) => {
  const decision = { behavior: "allow", updatedInput: { command } };
  const said = await heard("PermissionRequest", specific("PermissionRequest", { decision }));
  expect(said.hookSpecificOutput).toMatchObject({ decision: { behavior: "deny" } });
});

it("29.2 an output that its own hook made is looked at like the tool's", async () => {
  const updatedToolOutput = { stdout: "a secret, and a footer", stderr: "" };
  const said = await heard("PostToolUse", specific("PostToolUse", { updatedToolOutput, additionalContext: "mine" }));
  expect(JSON.stringify(said)).not.toContain("secret");
  expect(JSON.stringify(said)).toContain("[hidden]");
  expect(JSON.stringify(said)).toContain("mine");
});
