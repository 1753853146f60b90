/** Workflow: before X, Y must have happened. What happened is read from the ledger, not taken from the model's word. */
import type { LedgerEntry } from "../core/effect.ts";
import { type EventOf, hasTool } from "../core/event.ts";
import { flag, list, object, oneOf, optional, type ShapeOf, text } from "../core/fields.ts";
import { NO_OPINION, type Verdict } from "../core/verdict.ts";
import { isInside } from "../shell/places.ts";
import type { BuiltinHook, Machine } from "./builtin.ts";
import { coveredBy, globProblems } from "./covered-paths.ts";
import { commandOf, type History, isEdit } from "./history.ts";
import { wildcardMatches } from "./path-glob.ts";
import { DEFAULT_TEST_PATTERNS, isTestRun } from "./test-run.ts";
import { touchedPaths } from "./touched-paths.ts";

const CALL = object({
  command: optional(text("glob on a shell command")),
  tool: optional(text("glob on a tool's name or kind")),
  paths: optional(text("glob on files the call names or its command would change")),
});

const RULE = object({
  before: CALL,
  require: object({
    ran: text("`tests`, or a glob on a command or tool that must have run"),
    succeeded: optional(flag("it must have succeeded; default true")),
    after: optional(oneOf(["last-edit", "session-start"], "since when; default session-start")),
  }),
  say: optional(text("what to tell the model")),
});

const OPTIONS = {
  test_patterns: list(text(), "what counts as running the tests: a command's first words, or a script's name"),
  rules: list(RULE, "before X, Y must have happened"),
};
type WorkflowOptions = ShapeOf<typeof OPTIONS>;
type WorkflowRule = WorkflowOptions["rules"][number];

export const workflow: BuiltinHook = {
  name: "workflow",
  doc: "lets a step happen only when the ledger shows what must come before it",
  on: ["pre_tool_use"],
  answers: ["block"],
  guards: true,
  onError: "block",
  priority: 20,
  options: OPTIONS,
  defaults: { test_patterns: DEFAULT_TEST_PATTERNS, rules: [] },
  replaceable: ["test_patterns"],
  problems: (options) =>
    (options as unknown as WorkflowOptions).rules.flatMap(({ before: { paths } }) => globProblems("rules", [paths])),
  judge(event, { options }, machine) {
    if (event.name !== "pre_tool_use" || !hasTool(event)) return NO_OPINION;
    const { test_patterns: patterns, rules } = options as unknown as WorkflowOptions;
    const gated = planGate(event, machine) ?? completionGate(event, machine, patterns);
    if (gated) return gated;
    for (const rule of rules) {
      const verdict = ruleGate(rule, event, machine, patterns);
      if (verdict) return verdict;
    }
    return NO_OPINION;
  },
};

const block = (rule: string, reason: string): Verdict => ({
  opinion: { kind: "block", rule: `workflow/${rule}`, reason },
});

const PLAN_FILE = /\/\.holdfast\/phases\/[^/]+\/plans\/[^/]+\.md$/;
const STATE_TOOLS = ["state_get", "state_transition", "state_init"];

/** Plans are written by agents that looked at the project's state first. */
function planGate(event: EventOf<"pre_tool_use">, machine: Machine): Verdict | undefined {
  const { kind } = event.tool;
  if (kind !== "write" && kind !== "edit" && kind !== "shell") return undefined;
  if (!writtenPaths(event, machine).some((path) => PLAN_FILE.test(path))) return undefined;
  const history = machine.historyOf(event);
  if (some(history, (call) => call.success && STATE_TOOLS.some((name) => call.tool_name.includes(name))))
    return undefined;
  return block(
    "plan-needs-state",
    "a plan is written before the project's state was read in this session.\nDo instead: call state_get (MCP server holdfast) first, then write the plan.",
  );
}

function writtenPaths({ tool, cwd }: EventOf<"pre_tool_use">, machine: Machine): string[] {
  if (tool.kind === "write" || tool.kind === "edit") return tool.paths.map((path) => machine.realPath(path, cwd));
  if (tool.kind !== "shell") return [];
  return machine
    .analyse(tool.command, cwd)
    .effects.flatMap(({ effect }) => (effect.type === "overwrite" && effect.path.path ? [effect.path.path] : []));
}

/** A phase is complete when its tests ran, succeeded, and nothing was edited since. */
function completionGate(
  event: EventOf<"pre_tool_use">,
  machine: Machine,
  patterns: readonly string[],
): Verdict | undefined {
  const { tool } = event;
  const completes =
    (tool.name.includes("state_transition") && tool.input.step === "complete") || completesByCommand(event, machine);
  if (!completes) return undefined;
  const history = machine.historyOf(event);
  if (ranAfterLastEdit(history, machine, (call) => call.success && isTestCall(call, patterns))) return undefined;
  return block(
    "tests-before-complete",
    `no test run that succeeded is recorded after the last edit.\nDo instead: run the tests (for example \`${patterns[0] === "test" ? "npm test" : patterns[0]}\`), then call state_transition again.`,
  );
}

/** The same step, taken through the command line. */
function completesByCommand({ tool, cwd }: EventOf<"pre_tool_use">, machine: Machine): boolean {
  if (tool.kind !== "shell" || !tool.command.includes("transition")) return false;
  return machine.analyse(tool.command, cwd).invocations.some(({ program, args }) => {
    const words = args.map(({ text }) => text).filter((text) => !text.startsWith("-"));
    return program === "holdfast" && words[0] === "state" && words[1] === "transition" && words.includes("complete");
  });
}

function ruleGate(
  rule: WorkflowRule,
  event: EventOf<"pre_tool_use">,
  machine: Machine,
  patterns: readonly string[],
): Verdict | undefined {
  if (!isCall(rule.before, event, machine)) return undefined;
  const history = machine.historyOf(event);
  const { ran, succeeded = true, after = "session-start" } = rule.require;
  const counts = (call: LedgerEntry) =>
    (call.success || !succeeded) && (ran === "tests" ? isTestCall(call, patterns) : wasRun(ran, call));
  const satisfied = after === "last-edit" ? ranAfterLastEdit(history, machine, counts) : some(history, counts);
  if (satisfied) return undefined;
  const when = after === "last-edit" ? " after the last edit" : " in this session";
  return block(
    "rule",
    `${ran === "tests" ? "the tests" : `\`${ran}\``} must have ${succeeded ? "succeeded" : "run"}${when} first.\nDo instead: ${rule.say ?? `run ${ran === "tests" ? "the tests" : `\`${ran}\``}, then try again.`}`,
  );
}

const isTestCall = (call: LedgerEntry, patterns: readonly string[]) =>
  call.tool_kind === "shell" && isTestRun(commandOf(call), patterns);

const wasRun = (glob: string, call: LedgerEntry) =>
  wildcardMatches(glob, call.tool_kind === "shell" ? commandOf(call) : call.tool_name) ||
  wildcardMatches(glob, call.tool_name);

function isCall(
  { command, tool, paths }: WorkflowRule["before"],
  event: EventOf<"pre_tool_use">,
  machine: Machine,
): boolean {
  const call = event.tool;
  if (command !== undefined && !(call.kind === "shell" && wildcardMatches(command, call.command))) return false;
  if (tool !== undefined && !wildcardMatches(tool, call.name) && tool !== call.kind) return false;
  return paths === undefined || touchedPaths(event, machine).some(coveredBy([paths], machine));
}

/** Evidence is of this session and of this phase: what proved the last one proves nothing for the next. */
function* evidence(history: History): Generator<LedgerEntry> {
  for (const call of history.calls()) {
    if (call.success && call.tool_name.includes("state_advance_phase")) return;
    yield call;
  }
}

function some(history: History, counts: (call: LedgerEntry) => boolean): boolean {
  for (const call of evidence(history)) if (counts(call)) return true;
  return false;
}

function ranAfterLastEdit(history: History, machine: Machine, counts: (call: LedgerEntry) => boolean): boolean {
  for (const call of evidence(history)) {
    if (counts(call)) return true;
    if (isEdit(call) || editsByCommand(call, machine)) return false;
  }
  return false;
}

/** A command that writes, moves or deletes files of the project changes it as a file tool does. */
function editsByCommand(call: LedgerEntry, machine: Machine): boolean {
  if (call.tool_kind !== "shell") return false;
  return machine.analyse(commandOf(call), call.cwd).effects.some(({ effect }) => {
    const target =
      effect.type === "overwrite" || effect.type === "delete"
        ? effect.path
        : effect.type === "move"
          ? effect.to
          : undefined;
    return target?.path !== undefined && isInside(target.path, machine.rootDir);
  });
}
