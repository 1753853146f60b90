/** A policy test: an event as people write it, and the decision they expect. */
import { z } from "zod";
import type { Decision } from "../../core/decision.ts";
import { EVENT_NAMES, type EventName } from "../../core/event.ts";
import type { Hook } from "../../core/hook.ts";
import { judgeNative } from "../../engine/judge.ts";
import type { Host, Native } from "../../hosts/host.ts";

export const policyCases = z.array(
  z.strictObject({
    name: z.string().optional().describe("what the case is about"),
    on: z.enum(EVENT_NAMES as [EventName, ...EventName[]]).default("pre_tool_use"),
    command: z.string().optional().describe("a shell command"),
    tool: z.string().optional().describe("the host's name of a tool"),
    input: z.record(z.string(), z.json()).optional().describe("the tool's arguments"),
    prompt: z.string().optional(),
    message: z.string().optional().describe("the agent's last words, for stop"),
    host: z.string().default("claude-code"),
    cwd: z.string().optional().describe("relative to the project"),
    at: z.iso.datetime({ offset: true }).optional().describe("when it happens"),
    expect: z.strictObject({
      decision: z.enum(["block", "ask", "allow", "none", "continue"]),
      by: z.string().optional().describe("the hook or rule that decides"),
      reason: z.string().optional().describe("text the reason contains"),
      rewrite: z.record(z.string(), z.json()).optional(),
      context: z.string().optional().describe("text the model is told"),
    }),
  }),
);

export type PolicyCase = z.infer<typeof policyCases>[number];

export function nativeOf(item: PolicyCase, host: Host, cwd: string, now: string): Native {
  const { on, command, tool, input, prompt, message } = item;
  const call = command === undefined ? { tool: tool ?? "", input: input ?? {} } : host.probes.shell(command);
  const native = host.support[on]?.native[0];
  const payload = native && host.codec.compose({ on, native, session: "test", cwd, id: "test", call, prompt, message });
  if (!payload) throw new Error(`a test cannot speak of ${on} on ${host.title}`);
  const at = item.at ? new Date(item.at).toISOString() : now;
  return host.codec.parse(payload, { id: "test", at, env: {}, cwd, event: native });
}

/** What differs from what was expected; nothing: the case holds. */
export async function runCase(
  item: PolicyCase,
  native: Native,
  host: Host,
  hooks: readonly Hook[],
): Promise<{ problems: string[]; decision: Decision }> {
  const outcomes = await judgeNative(host, native, hooks, {
    abort: new AbortController(),
    maxContextCharacters: 100_000,
  });
  const decision =
    outcomes.find(({ decision: found }) => found.kind === item.expect.decision)?.decision ??
    (outcomes[0]?.decision as Decision);
  return { decision, problems: differences(item, decision) };
}

function differences({ expect }: PolicyCase, decision: Decision): string[] {
  const by = decision.reasons.flatMap(({ hook, rule }) => (rule ? [hook, rule] : [hook]));
  const reasons = decision.reasons.map(({ text }) => text).join("\n");
  const told = decision.context.map(({ text }) => text).join("\n");
  return [
    ...(decision.kind === expect.decision
      ? []
      : [`decided ${decision.kind}, expected ${expect.decision}${reasons ? ` (${reasons.split("\n")[0]})` : ""}`]),
    ...(expect.by === undefined || by.includes(expect.by)
      ? []
      : [`decided by ${by.join(", ") || "nobody"}, expected ${expect.by}`]),
    ...(expect.reason === undefined || reasons.includes(expect.reason)
      ? []
      : [`the reason does not contain "${expect.reason}"`]),
    ...(expect.context === undefined || told.includes(expect.context)
      ? []
      : [`the model is not told "${expect.context}"`]),
    ...(expect.rewrite === undefined || JSON.stringify(decision.rewrite) === JSON.stringify(expect.rewrite)
      ? []
      : [`rewritten to ${JSON.stringify(decision.rewrite)}`]),
  ];
}
