import { describe, expect, it } from "vitest";
import type { LedgerEntry } from "../core/effect.ts";
import { sampleEvent } from "../core/engine.fixture.ts";
import type { JsonObject } from "../core/json.ts";
import type { Turn } from "./builtin.ts";
import { historyOf, judge, machine, toolCall } from "./hooks.fixture.ts";
import { rateLimit } from "./rate-limit.ts";

const call = (name: string, changes: object = {}) =>
  sampleEvent("pre_tool_use", { tool: toolCall("other", { name }), ...changes });

/** The turn that a call takes, in a session that did this before. */
function turnOf(
  event: ReturnType<typeof call>,
  options: JsonObject = rateLimit.defaults,
  past: readonly LedgerEntry[] = [],
): Turn | undefined {
  let taken: Turn | undefined;
  const on = {
    ...machine,
    historyOf: () => historyOf(past),
    takeTurn(turn: Turn) {
      taken = turn;
      return undefined;
    },
  };
  judge(rateLimit, event, options, on);
  return taken;
}

/** The keys under which a call is counted. */
const keysOf = (event: ReturnType<typeof call>, options: JsonObject = rateLimit.defaults): string[] =>
  turnOf(event, options)?.limits.map(({ key }) => key) ?? [];

describe("rate limits", () => {
  it("F-40 tools that belong to no connector are not counted", () => {
    expect(keysOf(call("bash"))).toEqual([]);
    expect(keysOf(call("crm__get"))).toHaveLength(1);
    const mcp = toolCall("mcp", { name: "mcp__crm__get", server: "crm" } as object);
    expect(keysOf(sampleEvent("pre_tool_use", { tool: mcp }))).toHaveLength(1);
  });

  it("F-40 a user's calls of one connector are counted together, others apart", () => {
    const [get] = keysOf(call("crm__get", { user: "mona" }));
    expect(keysOf(call("crm__list", { user: "mona" }))).toEqual([get]);
    expect(keysOf(call("crm__get", { user: "otto" }))).not.toEqual([get]);
    expect(keysOf(call("erp__get", { user: "mona" }))).not.toEqual([get]);
  });

  it("a limit names tools by globs and says what is counted apart; every limit that applies counts", () => {
    const limits = [
      { tools: ["bash"], calls: 1, seconds: 1, per: ["tool"] },
      { tools: ["*"], calls: 100, seconds: 3600, per: ["session"] },
    ];
    expect(keysOf(call("bash"), { limits })).toHaveLength(2);
    expect(keysOf(call("other"), { limits })).toHaveLength(1);
  });

  it("F-40 a call that was judged before it waited for a person is the same call when it is judged again", () => {
    const refund = (input: JsonObject, id?: string) =>
      call("crm__refund", {
        id: `e${events++}`,
        tool: toolCall("other", { name: "crm__refund", input, ...(id ? { id } : {}) }),
      });
    let events = 0;
    const first = turnOf(refund({ to: "mona" }, "c1"))?.id;
    expect(turnOf(refund({ to: "mona" }, "c1"))?.id).toBe(first);
    for (const another of [refund({ to: "otto" }, "c1"), refund({ to: "mona" }, "c2"), refund({ to: "mona" })])
      expect(turnOf(another)?.id).not.toBe(first);
    expect(turnOf(refund({}))?.id).not.toBe(turnOf(refund({}))?.id);
    const ran = { agent: null, tool_use_id: "c1", timestamp: refund({}).at } as LedgerEntry;
    const again = () => turnOf(refund({ to: "mona" }, "c1"), rateLimit.defaults, [ran])?.id;
    expect([again(), again()]).not.toContain(first);
    expect(again()).not.toBe(again());
    const longAgo = { ...ran, timestamp: "1970-01-01T00:00:00.000Z" };
    expect(turnOf(refund({ to: "mona" }, "c1"), rateLimit.defaults, [longAgo])?.id).toBe(first);
  });

  it("F-40 who is refused is told the limit and the seconds that remain", () => {
    const on = {
      ...machine,
      takeTurn: ({ limits: [limit] }: Turn) => (limit ? { limit, waitMs: 41_200 } : undefined),
    };
    const { opinion } = judge(rateLimit, call("crm__get"), rateLimit.defaults, on);
    expect(opinion).toEqual({
      kind: "block",
      rule: "rate-limit",
      reason: expect.stringMatching(/only 10 such calls are allowed in 60 seconds\.\nDo instead: wait 42 seconds/),
    });
  });

  it("limits that could not be kept are refused when the config is read", () => {
    const problems = (limit: object) => rateLimit.problems?.({ limits: [limit as JsonObject] }) ?? [];
    expect(problems({ calls: 1, seconds: 0 })).toHaveLength(1);
    expect(problems({ calls: 1, seconds: 10_000_000 })).toHaveLength(1);
    expect(problems({ calls: 1_000_000, seconds: 1 })).toHaveLength(1);
    expect(problems({ calls: 10, seconds: 60 })).toEqual([]);
  });
});
