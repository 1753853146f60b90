/** What only a person may do: give trust, open a pause, let a call pass, approve, take Holdfast out, and touch where that is kept. */
import { hasTool } from "../core/event.ts";
import { NO_OPINION, type Verdict } from "../core/verdict.ts";
import type { CommandEffect } from "../shell/effect.ts";
import { isInside } from "../shell/places.ts";
import type { BuiltinHook, Machine } from "./builtin.ts";
import { commandsRun, type ShellEvent } from "./commands-run.ts";
import { setsUnjudged, UNJUDGED } from "./unjudged.ts";

const VERBS: readonly string[] = ["trust", "uninstall", "pause", "allow-once", "approvals", "serve"];
/** What takes a run's record away, or begins it anew. Tasks and attachments of its own run are an agent's to edit. */
const RUN_VERBS: readonly string[] = ["delete", "reset", "reconfigure"];

export const personOnly: BuiltinHook = {
  name: "person-only",
  doc: "keeps agents from what only a person may do: trust, pause, allow-once, approvals, serve, uninstall, deleting or resetting runs, the files behind them, and starting programs that no rule is asked about (HOLDFAST_INTERNAL)",
  on: ["pre_tool_use"],
  answers: ["block"],
  guards: true,
  onError: "block",
  priority: 0,
  options: {},
  defaults: {},
  judge(event, _context, machine) {
    if (event.name !== "pre_tool_use" || !hasTool(event)) return NO_OPINION;
    const { tool, cwd } = event;
    if (tool.kind === "write" || tool.kind === "edit") {
      const path = tool.paths.find((name) => isState(machine.realPath(name, cwd), machine));
      return path ? stopped(`${path} is where Holdfast keeps what people decided`) : NO_OPINION;
    }
    for (const run of commandsRun(event, machine)) {
      const why = whyAPersons(run, machine);
      if (why !== undefined) return stopped(why);
    }
    return NO_OPINION;
  },
};

/** undefined: it is an agent's to run. */
function whyAPersons({ tool, cwd }: ShellEvent, machine: Machine): string | undefined {
  const { invocations, assigned, effects } = machine.analyse(tool.command, cwd);
  if (assigned.has(UNJUDGED) || invocations.some(setsUnjudged))
    return `with ${UNJUDGED} an agent would start programs that no rule is asked about`;
  for (const { program, args, cwd: place = cwd } of invocations) {
    const words = args.map(({ text }) => text);
    if (words.some((word) => namesApprovals(word, place, machine)) || isApprovalsPlace(place, machine))
      return "where Holdfast keeps approvals is not an agent's to look into or change";
    const [verb, next] = ourWords(program, words);
    if (verb === undefined) continue;
    const only = VERBS.includes(verb) ? verb : verb === "runs" && RUN_VERBS.includes(next ?? "") && `runs ${next}`;
    if (only) return `only a person may run \`holdfast ${only}\`, at a terminal of their own`;
  }
  const touched = effects
    .flatMap(({ effect }) => writtenBy(effect))
    .find(({ path }) => path !== undefined && isState(path, machine));
  return touched && `${touched.written} is where Holdfast keeps what people decided`;
}

const stopped = (why: string): Verdict => ({
  opinion: {
    kind: "block",
    rule: "person-only",
    reason: `${why}.\nDo instead: tell the person what you need and why, and go on with other work.`,
  },
});

/** What our program is asked to do, run by its name or as a script of node or a package runner. */
function ourWords(program: string, words: readonly string[]): readonly string[] {
  const said = (from: number) => words.slice(from).filter((word) => !word.startsWith("-"));
  if (isUs(program)) return said(0);
  const at = RUNS_SCRIPTS.test(program) ? words.findIndex(isUs) : -1;
  return at < 0 ? [] : said(at + 1);
}

const isUs = (word: string) => /(?:^|\/)holdfast(?:@[\w.-]+)?$/.test(word);
const RUNS_SCRIPTS = /^(node|bun|deno|tsx|npx|bunx|pnpx|npm|pnpm|yarn|script|expect|unbuffer)$/;

/** A database is changed by programs of any kind: naming its place is enough. */
function namesApprovals(word: string, cwd: string, machine: Machine): boolean {
  if (!word.includes(APPROVALS)) return false;
  if (word.includes(`${machine.stateDir}/${APPROVALS}`) || word.includes(`${APPROVALS}/${APPROVALS}.db`)) return true;
  return !/[\s'"()]/.test(word) && isApprovalsPlace(machine.realPath(word, cwd), machine);
}

const APPROVALS = "approvals";
const isApprovalsPlace = (path: string, { stateDir }: Machine) =>
  path === `${stateDir}/${APPROVALS}` || isInside(path, `${stateDir}/${APPROVALS}`);

const isState = (path: string, { stateDir }: Machine) => path === stateDir || isInside(path, stateDir);

function writtenBy(effect: CommandEffect) {
  switch (effect.type) {
    case "overwrite":
    case "make":
    case "delete":
    case "permissions":
      return [effect.path];
    case "move":
      return [effect.from, effect.to];
    default:
      return [];
  }
}
