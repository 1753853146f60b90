import { expect, it } from "vitest";
import type { Hook } from "../core/hook.ts";
import { NO_OPINION } from "../core/verdict.ts";
import { hostById } from "../hosts/registry.ts";
import { judgeNative } from "./judge.ts";

const host = hostById("claude-code");
if (!host) throw new Error("Claude Code is not in the registry");

const payload = {
  session_id: "s",
  transcript_path: "/t",
  cwd: "/project",
  hook_event_name: "PreToolUse",
  tool_name: "Agent",
  tool_input: { subagent_type: "coder", description: "d", prompt: "Fix it." },
  tool_use_id: "t",
};
const native = host.codec.parse(payload, { id: "1", at: "2026-11-15T00:00:00.000Z", env: {}, cwd: "/project" });
const options = { abort: new AbortController(), maxContextCharacters: 1000 };

const hook = (name: string, on: Hook["on"], judge: Hook["judge"]): Hook => ({
  name,
  on,
  judge,
  source: "test",
  layer: "user",
  priority: 0,
  onError: "block",
});
const guard = hook("guard", ["pre_tool_use"], (event) =>
  JSON.stringify("tool" in event ? event.tool.input : "").includes("danger")
    ? { opinion: { kind: "block", reason: "danger" } }
    : NO_OPINION,
);
const rewriter = (objective: string) =>
  hook("rewriter", ["pre_delegation"], () => ({ ...NO_OPINION, rewrite: { objective } }));

it("law 2 a tool call that a delegation's rewrite changed is judged as it will run", async () => {
  const [first] = await judgeNative(host, native, [guard, rewriter("danger")], options);
  expect(first?.decision).toMatchObject({ kind: "block", reasons: [{ hook: "guard", text: "danger" }] });
});

it("a rewrite that no guard objects to leaves the decision as it was", async () => {
  const outcomes = await judgeNative(host, native, [guard, rewriter("Fix it well.")], options);
  expect(outcomes.map(({ decision }) => decision.kind)).toEqual(["none", "none"]);
  expect(host.codec.render(native, outcomes).stdout).toContain("Fix it well.");
});

it("Q-12 whoever watches is told of each hook once, though it judges again what other hooks changed", async () => {
  const shown: string[] = [];
  const onAsk = ({ name }: Hook) => void shown.push(name);
  const words = hook("words", ["pre_tool_use"], (event) =>
    "tool" in event && event.tool.input.description === "d"
      ? { ...NO_OPINION, rewrite: { ...event.tool.input, description: "described" } }
      : NO_OPINION,
  );
  await judgeNative(host, native, [guard, words, rewriter("Fix it well.")], { ...options, onAsk });
  expect(shown).toEqual(["guard", "words", "rewriter"]);
});
