/** Loops: the same thing again and again. A nudge first, then a block, then a person. */
import { type EventOf, hasTool } from "../core/event.ts";
import { count, type ShapeOf } from "../core/fields.ts";
import { NO_OPINION, type Verdict } from "../core/verdict.ts";
import type { BuiltinHook, Machine } from "./builtin.ts";
import { callsOfAgent, commandOf } from "./history.ts";

const OPTIONS = {
  "same-file-writes": count(
    "consecutive writes to one file, without a command in between, at which the write is blocked",
  ),
  "same-failing-command": count("failures of one command in a row after which it is blocked"),
  alternations: count("calls that only alternate between two files or commands after which the next is blocked"),
  "reads-without-writes": count("reads with nothing written or run in between at which the agent is nudged"),
};
type Limits = ShapeOf<typeof OPTIONS>;

export const loops: BuiltinHook = {
  name: "loops",
  doc: "notices an agent that does the same thing again and again",
  on: ["pre_tool_use"],
  answers: ["block", "ask", "context"],
  guards: true,
  onError: "block",
  priority: 10,
  options: OPTIONS,
  defaults: { "same-file-writes": 5, "same-failing-command": 4, alternations: 8, "reads-without-writes": 20 },
  judge(event, { options }, machine) {
    if (event.name !== "pre_tool_use" || !hasTool(event)) return NO_OPINION;
    const limits = options as unknown as Limits;
    for (const detect of DETECTORS) {
      const found = detect(event, limits, machine);
      if (found) return verdictOf(found, event, machine);
    }
    return NO_OPINION;
  },
};

type ToolUse = EventOf<"pre_tool_use">;

interface Loop {
  readonly rule: string;
  readonly stage: "nudge" | "block";
  readonly text: string;
}

type Detector = (event: ToolUse, limits: Limits, machine: Machine) => Loop | undefined;

/** After this many blocks of one rule the agent is not getting out by itself: a person decides. */
const BLOCKS_BEFORE_PERSON = 3;

function verdictOf({ rule, stage, text }: Loop, event: ToolUse, machine: Machine): Verdict {
  if (stage === "nudge") return { ...NO_OPINION, context: [text] };
  let earlier = 0;
  for (const stop of machine.historyOf(event).stops())
    if (stop.rule === rule && ++earlier >= BLOCKS_BEFORE_PERSON) break;
  const kind = earlier >= BLOCKS_BEFORE_PERSON ? "ask" : "block";
  return { opinion: { kind, rule, reason: text } };
}

const sameFileWrites: Detector = (event, limits, machine) => {
  const { tool } = event;
  if (tool.kind !== "write" && tool.kind !== "edit") return undefined;
  const [written] = tool.paths;
  if (!written) return undefined;
  const path = machine.realPath(written, event.cwd);
  let writes = 0;
  for (const call of callsOfAgent(event, machine)) {
    if (call.tool_kind === "shell") break;
    if (!CHANGES.includes(call.tool_kind)) continue;
    if (!call.paths?.some((other) => machine.realPath(other, call.cwd) === path)) break;
    if (++writes + 1 >= limits["same-file-writes"]) break;
  }
  if (writes > 1 && writes + 1 === limits["same-file-writes"] - 1) {
    const text = `This is write ${writes + 1} in a row to ${written}; run something (the tests, say) before the next one.`;
    return { rule: "loops/same-file", stage: "nudge", text };
  }
  if (writes + 1 < limits["same-file-writes"]) return undefined;
  return {
    rule: "loops/same-file",
    stage: "block",
    text: `this would be write ${writes + 1} in a row to ${written} with no command in between; you may be stuck in a loop.\nDo instead: read the error again, try a different approach, or ask the user. Running a command (the tests, say) resets the count.`,
  };
};

const CHANGES: readonly string[] = ["write", "edit"];

const sameFailingCommand: Detector = (event, limits, machine) => {
  if (event.tool.kind !== "shell") return undefined;
  const { command } = event.tool;
  let failures = 0;
  for (const call of callsOfAgent(event, machine)) {
    if (CHANGES.includes(call.tool_kind)) break;
    if (call.tool_kind !== "shell") continue;
    if (commandOf(call) !== command || call.success || call.outcome_unknown) break;
    failures += 1;
    if (failures >= limits["same-failing-command"]) break;
  }
  if (failures >= limits["same-failing-command"]) {
    return {
      rule: "loops/same-failure",
      stage: "block",
      text: `this command failed ${failures} times in a row and nothing was changed in between; it will fail again.\nDo instead: read its first error, change what causes it, then run it again, or ask the user.`,
    };
  }
  if (failures > 1 && failures === limits["same-failing-command"] - 1) {
    return {
      rule: "loops/same-failure",
      stage: "nudge",
      text: `This command already failed ${failures} times without a change in between.`,
    };
  }
  return undefined;
};

const alternating: Detector = (event, limits, machine) => {
  const now = keyOf(event.tool.kind, event.tool.kind === "shell" ? event.tool.command : event.tool.paths[0]);
  if (!now) return undefined;
  const keys: string[] = [];
  for (const call of callsOfAgent(event, machine)) {
    const key = keyOf(call.tool_kind, call.tool_kind === "shell" ? commandOf(call) : call.paths?.[0]);
    if (!key) continue;
    keys.push(key);
    if (keys.length >= limits.alternations) break;
  }
  const [other] = keys;
  const enough = keys.length >= limits.alternations;
  const nearly = keys.length === limits.alternations - 2;
  if ((!enough && !nearly) || !other || other === now) return undefined;
  if (!keys.every((key, index) => key === (index % 2 === 0 ? other : now))) return undefined;
  // Editing one file and running one check is how work gets done.
  if (now.startsWith("shell ") !== other.startsWith("shell ")) return undefined;
  if (nearly) {
    const text = `The last ${keys.length} calls only alternate between two things. Say what each is to change before you go on.`;
    return { rule: "loops/alternating", stage: "nudge", text };
  }
  return {
    rule: "loops/alternating",
    stage: "block",
    text: `the last ${keys.length} calls only alternate between two things; you may be going in circles.\nDo instead: stop, say what you expect each of them to change, and try a third way or ask the user.`,
  };
};

const keyOf = (kind: string, what: string | undefined) =>
  what && (kind === "shell" || CHANGES.includes(kind)) ? `${kind === "shell" ? "shell" : "file"} ${what}` : undefined;

const READS: readonly string[] = ["read", "search"];

const readsWithoutWrites: Detector = (event, limits, machine) => {
  const limit = limits["reads-without-writes"];
  const counts = countsBy(limits);
  if (!READS.includes(event.tool.kind)) {
    counts.delete(event.session);
    return undefined;
  }
  const last = lastCount(counts, event);
  if (last?.event === event.id) return last.found;
  if (last && !mayHaveCome(last, limit)) return undefined;
  const reads = readsInARow(event, limit, machine);
  const hasCome = reads === limit || (reads > limit && last !== undefined && last.reads < limit);
  const found = hasCome ? onlyReading(reads) : undefined;
  keepCount(counts, event, reads, found);
  return found;
};

const onlyReading = (reads: number): Loop => ({
  rule: "loops/only-reading",
  stage: "nudge",
  text: `You have read ${reads} times and changed nothing. If you know enough, act; if not, say what is missing.`,
});

/**
 * How many reads in a row an agent had behind it, as far as the limit counts them, when one of its calls was judged; and how
 * many more were judged since. An agent that only reads does so for long: its past is looked at again only once it may have
 * come to the limit, which no call that failed or was stopped can hasten.
 */
interface Counted {
  readonly host: string;
  readonly agent: string | null;
  /** The id of that call's event, and what was found: asked again, it gets the same answer. */
  readonly event: string;
  readonly found: Loop | undefined;
  readonly reads: number;
  since: number;
}

/** By session, for each limit. */
const lastCounts = new WeakMap<Limits, Map<string, Counted>>();
const MAX_SESSIONS = 64;

function lastCount(counts: ReadonlyMap<string, Counted>, { session, host, agent }: ToolUse): Counted | undefined {
  const last = counts.get(session);
  return last?.agent === agent && last.host === host ? last : undefined;
}

function mayHaveCome(last: Counted, limit: number): boolean {
  last.since += 1;
  return (last.reads < limit ? last.reads : 0) + last.since >= limit;
}

function readsInARow(event: ToolUse, limit: number, machine: Machine): number {
  let reads = 0;
  const history = machine.historyOf(event);
  for (let index = 0, call = history.callAt(0); call && reads <= limit; call = history.callAt(++index)) {
    if (call.agent !== event.agent) continue;
    if (!READS.includes(call.tool_kind)) break;
    reads += 1;
  }
  return reads;
}

function keepCount(
  counts: Map<string, Counted>,
  { session, host, agent, id }: ToolUse,
  reads: number,
  found: Loop | undefined,
): void {
  if (counts.size >= MAX_SESSIONS && !counts.has(session)) counts.clear();
  counts.set(session, { host, agent, event: id, found, reads, since: 0 });
}

function countsBy(limits: Limits): Map<string, Counted> {
  const known = lastCounts.get(limits);
  if (known) return known;
  const counts = new Map<string, Counted>();
  lastCounts.set(limits, counts);
  return counts;
}

const DETECTORS: readonly Detector[] = [sameFileWrites, sameFailingCommand, alternating, readsWithoutWrites];
