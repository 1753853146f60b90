/** So many calls in so many seconds: per tool, connector, user, in a sliding window that all processes share. */
import type { EventOf } from "../core/event.ts";
import { count, list, object, oneOf, optional, type ShapeOf, text } from "../core/fields.ts";
import { canonicalJson } from "../core/json.ts";
import { NO_OPINION, type Verdict } from "../core/verdict.ts";
import type { BuiltinHook, Machine, Refusal, TurnLimit } from "./builtin.ts";
import { callsOfAgent } from "./history.ts";
import { connectorOf, namesTool } from "./tool-glob.ts";

const PER = ["tool", "connector", "user", "organisation", "agent", "session"] as const;

const LIMIT = object({
  tools: optional(list(text(), "globs on a tool's name or kind, or `mcp:server/tool`; default: tools of connectors")),
  calls: count("how many calls"),
  seconds: count("in how many seconds"),
  per: optional(list(oneOf(PER), "what is counted apart; default: user and connector")),
});

const OPTIONS = { limits: list(LIMIT, "each holds; default: 10 calls in 60 seconds per user and connector") };
type Options = ShapeOf<typeof OPTIONS>;
type Limit = Options["limits"][number];

/** Windows that are longer would outlive what is kept of them. */
const MAX_SECONDS = 7 * 24 * 60 * 60;
/** Every call in a window is kept. */
const MAX_CALLS = 10_000;

export const rateLimit: BuiltinHook = {
  name: "rate-limit",
  doc: "lets only so many calls of a tool, connector or user through in a time",
  on: ["pre_tool_use"],
  answers: ["block"],
  guards: true,
  optIn: true,
  onError: "block",
  priority: 30,
  options: OPTIONS,
  defaults: { limits: [{ calls: 10, seconds: 60 }] },
  problems(options) {
    const { limits } = options as unknown as Options;
    return limits.flatMap(({ calls, seconds }) => [
      ...(seconds < 1 || seconds > MAX_SECONDS
        ? [{ option: "limits", message: `seconds must be from 1 to ${MAX_SECONDS}, not ${seconds}` }]
        : []),
      ...(calls > MAX_CALLS ? [{ option: "limits", message: `calls must be at most ${MAX_CALLS}, not ${calls}` }] : []),
    ]);
  },
  judge(event, { options }, machine) {
    if (event.name !== "pre_tool_use") return NO_OPINION;
    const limits = (options as unknown as Options).limits.filter((limit) => applies(limit, event));
    if (limits.length === 0) return NO_OPINION;
    const taken = machine.takeTurn({
      id: turnId(event, limits, machine),
      limits: limits.map((limit) => turnLimit(limit, event)),
    });
    return taken instanceof Promise ? taken.then(verdictOf) : verdictOf(taken);
  },
};

type Call = EventOf<"pre_tool_use">;

/**
 * A call that waits for people is judged again when they have decided, as another event: its agent's own id says that it is
 * the same. Once it ran, that id names another call.
 */
function turnId(event: Call, limits: readonly Limit[], machine: Machine): string {
  const { host, session, agent, tool } = event;
  const seconds = Math.max(...limits.map((limit) => limit.seconds));
  if (!tool.id || hasRun(event, seconds, machine)) return event.id;
  return canonicalJson([host, session, agent, tool.id, tool.name, tool.input]);
}

/** In the last seconds: what is older counts for no limit. */
function hasRun(event: Call, seconds: number, machine: Machine): boolean {
  const since = new Date(Date.parse(event.at) - seconds * 1000).toISOString();
  for (const { tool_use_id: id, timestamp } of callsOfAgent(event, machine)) {
    if (timestamp < since) return false;
    if (id === event.tool.id) return true;
  }
  return false;
}

const applies = ({ tools }: Limit, { tool }: Call) =>
  tools === undefined ? connectorOf(tool) !== undefined : namesTool(tools, tool);

function turnLimit({ tools, calls, seconds, per = ["user", "connector"] }: Limit, event: Call): TurnLimit {
  const parts = per.map((name) => `${name} ${PARTS[name](event) ?? "(none)"}`);
  // Two limits that differ in anything are counted apart.
  return { key: JSON.stringify([tools ?? null, calls, seconds, ...parts]), calls, windowMs: seconds * 1000 };
}

const PARTS: { readonly [K in (typeof PER)[number]]: (event: Call) => string | null | undefined } = {
  tool: ({ tool }) => tool.name,
  connector: ({ tool }) => connectorOf(tool),
  user: ({ user }) => user,
  organisation: ({ organisation }) => organisation,
  agent: ({ agent }) => agent,
  session: ({ session }) => session,
};

function verdictOf(refusal: Refusal | undefined): Verdict {
  if (!refusal) return NO_OPINION;
  const { calls, windowMs } = refusal.limit;
  const seconds = Math.max(1, Math.ceil(refusal.waitMs / 1000));
  return {
    opinion: {
      kind: "block",
      rule: "rate-limit",
      reason: `only ${calls} such calls are allowed in ${windowMs / 1000} seconds.\nDo instead: wait ${seconds} seconds, then try again, or go on with something else.`,
    },
  };
}
