/** `holdfast state`: the workflow state, for people; agents have the same over MCP. */
import { HoldfastError } from "../../core/errors.ts";
import { isProblem, type Problem } from "../../workflow/problem.ts";
import { openBlockers, type State } from "../../workflow/state.ts";
import { nextSteps } from "../../workflow/step.ts";
import type { Workflow } from "../../workflow/workflow.ts";
import { projectWorkflow } from "../mcp/project-workflow.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { unknownWord } from "./unknown-word.ts";
import { inCommands, reportProblem } from "./workflow-problem.ts";

interface Verb {
  readonly usage: string;
  /** What the word after the verb is, where one is needed. */
  readonly needs?: string;
  readonly flags: readonly string[];
  perform(workflow: Workflow, word: string, call: CommandCall): State | Problem;
}

const VERBS: Readonly<Record<string, Verb>> = {
  get: { usage: "get", flags: [], perform: (workflow) => workflow.stateGet() },
  init: {
    usage: "init <name> --phase <phase> --phases <n> [--force]",
    needs: "the project's name",
    flags: ["phase", "phases", "force"],
    perform: (workflow, name, call) =>
      workflow.stateInit({
        name,
        phase: needed(call, "phase", "init"),
        phases_total: count(call, "init"),
        force: call.flags.force === true,
      }),
  },
  transition: {
    usage: "transition <step> [--phase <phase>]",
    needs: "the step to go to",
    flags: ["phase"],
    perform: (workflow, step, call) => workflow.stateTransition({ step, phase: textFlag(call, "phase") }),
  },
  block: {
    usage: `block "<reason>" [--phase <phase>]`,
    needs: "the reason, in quotes",
    flags: ["phase"],
    perform: (workflow, reason, call) => workflow.stateAddBlocker({ reason, phase: textFlag(call, "phase") }),
  },
  unblock: {
    usage: "unblock [--phase <phase>] [--reason <text>]",
    flags: ["phase", "reason"],
    perform: (workflow, _, call) =>
      workflow.stateResolveBlocker({ phase: textFlag(call, "phase"), reason: textFlag(call, "reason") }),
  },
  advance: {
    usage: "advance <phase> --phases <n>",
    needs: "the next phase",
    flags: ["phases"],
    perform: (workflow, phase, call) => workflow.stateAdvancePhase({ phase, phases_total: count(call, "advance") }),
  },
};

export async function run(call: CommandCall): Promise<ExitCode> {
  const { words, flags, env, cwd, output } = call;
  const [name = "get", word = ""] = words;
  const verb = verbNamed(name);
  assertFits(name, verb, call);
  const dryRun = flags["dry-run"] === true;
  const workflow = projectWorkflow(cwd, env, dryRun);
  const state = verb.perform(workflow, word, call);
  if (isProblem(state)) return reportProblem(state, call);
  if (output.json) output.data(state);
  else {
    if (name !== "get") output.line(dryRun ? output.paint("yellow", "would be, nothing was written:") : done(output));
    print(state, workflow, call, dryRun);
  }
  return 0;
}

const done = (output: CommandCall["output"]) => output.paint("green", "done");

function verbNamed(name: string): Verb {
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (verb) return verb;
  const names = Object.keys(VERBS);
  throw unknownWord("state", name, names, `one of ${names.join(", ")}`);
}

/** A flag that another verb takes would be lost in silence here. */
function assertFits(name: string, verb: Verb, { words, flags }: CommandCall): void {
  const hint = `usage: holdfast state ${verb.usage}`;
  const stray = ["phase", "phases", "reason", "force"].find(
    (flag) => flags[flag] !== undefined && !verb.flags.includes(flag),
  );
  if (stray) throw new HoldfastError("HF701", `state ${name} takes no --${stray}`, { hint });
  if (verb.needs !== undefined && words[1] === undefined)
    throw new HoldfastError("HF701", `state ${name} needs ${verb.needs}`, { hint });
  if (verb.needs === undefined && words[1] !== undefined)
    throw new HoldfastError("HF701", `unexpected argument "${words[1]}"`, { hint });
}

function needed(call: CommandCall, flag: string, verb: string): string {
  const value = textFlag(call, flag);
  if (value !== undefined) return value;
  throw new HoldfastError("HF701", `state ${verb} needs --${flag}`, {
    hint: `usage: holdfast state ${VERBS[verb]?.usage}`,
  });
}

function count(call: CommandCall, verb: string): number {
  const value = needed(call, "phases", verb);
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new HoldfastError("HF701", `--phases must be a whole number, not "${value}"`);
}

function print(state: State, workflow: Workflow, { output }: CommandCall, dryRun: boolean): void {
  const { project, current, progress } = state;
  const open = openBlockers(state);
  output.line(`project   ${project.name}`);
  output.line(`phase     ${current.phase}   ${progress.phases_complete} of ${progress.phases_total} phases shipped`);
  output.line(`step      ${output.paint("bold", current.step)}   may go to ${nextSteps(current.step).join(", ")}`);
  output.line(`status    ${output.paint(open.length > 0 ? "red" : "green", current.status)}`);
  for (const { phase, reason, timestamp } of open)
    output.line(`blocker   ${reason}   ${output.paint("dim", `phase ${phase}, since ${timestamp}`)}`);
  const status = dryRun ? undefined : workflow.status();
  if (!status || isProblem(status)) return;
  if (status.current_phase_plans > 0)
    output.line(`plans     ${status.current_phase_plans_complete} of ${status.current_phase_plans} complete`);
  output.line(`next      ${inCommands(status.next_suggestion)}`);
}
