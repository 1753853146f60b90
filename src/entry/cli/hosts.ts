/** `holdfast hosts`: what becomes of each rule on each host; `--events`: of each answer to each event. */
import { EVENT_NAMES, type EventName, eventRow } from "../../core/event.ts";
import { loadRegex } from "../../engine/lazy.ts";
import { readyEngine } from "../../engine/ready.ts";
import { BUILTIN_HOOKS } from "../../hooks/registry.ts";
import {
  ENFORCEMENTS,
  type Enforced,
  type Enforcement,
  enforcementOf,
  type Say,
  saysOf,
  weakest,
} from "../../hosts/enforcement.ts";
import type { Host } from "../../hosts/host.ts";
import { hostById } from "../../hosts/registry.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { type Colour, type Output, table } from "./output.ts";
import { knownHosts, namedHosts, unknownHost } from "./registration.ts";
import { reachOn, type ToolCondition, toolConditions } from "./tool-reach.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const hosts = chosenHosts(call);
  const rows = call.flags.events ? eventRows() : await ruleRows(call);
  const matrix = rows.map((row) => ({
    name: row.name,
    events: row.events,
    says: row.says,
    hosts: hosts.map((host) => cellOf(host, row)),
  }));
  if (call.output.json) call.output.data({ hosts: hosts.map(aboutHost), rows: matrix });
  else printMatrix(hosts, matrix, call);
  return 0;
}

export interface RuleRow {
  readonly name: string;
  readonly events: readonly EventName[];
  readonly says: readonly Say[];
  /** The hosts it is for; absent: all. */
  readonly onlyOn?: readonly string[] | undefined;
  /** What must hold of a call's tool. */
  readonly tools?: readonly ToolCondition[];
}

interface Cell {
  readonly host: string;
  readonly enforcement: Enforcement;
  readonly parts: readonly Enforced[];
  /** Why the rule is never asked here, or hardly. */
  readonly why?: string;
}

interface MatrixRow extends Pick<RuleRow, "name" | "events" | "says"> {
  readonly hosts: readonly Cell[];
}

function chosenHosts(call: CommandCall): readonly Host[] {
  const one = textFlag(call, "host");
  const ids = one === undefined ? (namedHosts(call) ?? knownHosts()) : [one];
  return ids.map((id) => {
    const host = hostById(id);
    if (!host) throw unknownHost(id);
    return host;
  });
}

const aboutHost = ({ id, title, provenVersion }: Host) => ({ id, title, provenVersion });

/** The hooks that apply here, in the order in which they judge. */
async function ruleRows({ cwd, env, distDir }: CommandCall): Promise<RuleRow[]> {
  const { plan, close } = await readyEngine(cwd, env, distDir);
  await close();
  const regex = await loadRegex();
  return plan.hooks.map((hook) => {
    const { name, on, run, when, mode } = hook;
    const answers = run.type === "builtin" ? BUILTIN_HOOKS.find((known) => known.name === name)?.answers : undefined;
    return {
      name,
      events: on,
      onlyOn: when?.hosts,
      tools: toolConditions(hook, regex).filter(({ isOfHook }) => isOfHook),
      // A hook that is only observed has no say: where its event happens it is seen and recorded.
      says: mode === "observe" ? [] : saysOf(on, answers),
    };
  });
}

/** Every answer to every event that a host can have. */
export function eventRows(): RuleRow[] {
  return EVENT_NAMES.filter((event) => eventRow(event).law !== "procedure").flatMap((event) => {
    const says = saysOf([event]);
    if (says.length === 0) return [{ name: event, events: [event], says }];
    return says.map((say) => ({ name: `${event} ${say.answer}`, events: [event], says: [say] }));
  });
}

export function cellOf(host: Host, { events, says, onlyOn, tools = [] }: RuleRow): Cell {
  const parts = says.map((say) => enforcementOf(host, say));
  const happens = events.some((event) => host.support[event] !== undefined);
  const enforcement = parts.length > 0 ? weakest(parts) : happens ? "observed" : "never";
  const reached = onlyOn && !onlyOn.includes(host.id) ? NOT_FOR_IT : reachOf(host, tools);
  if (!reached) return { host: host.id, enforcement, parts };
  const weaker = Math.max(ENFORCEMENTS.indexOf(enforcement), ENFORCEMENTS.indexOf(reached.atMost));
  return { host: host.id, enforcement: ENFORCEMENTS[weaker] as Enforcement, parts, why: reached.why };
}

const NOT_FOR_IT = { atMost: "never", why: "the rule is for other hosts" } as const;

function reachOf(host: Host, tools: readonly ToolCondition[]) {
  const found = tools.map((condition) => ({ written: condition.written, reach: reachOn(host, condition) }));
  const none = found.find(({ reach }) => reach === "none");
  if (none) return { atMost: "never", why: `${none.written} names no tool of ${host.title}` } as const;
  const brought = found.find(({ reach }) => reach === "brought");
  return brought && ({ atMost: "partly", why: `${brought.written} can only name a tool of an MCP server` } as const);
}

const COLOURS: Readonly<Record<Enforcement, Colour>> = {
  enforced: "green",
  stricter: "cyan",
  partly: "yellow",
  observed: "yellow",
  never: "dim",
};

export const LEGEND: readonly string[] = [
  "enforced   as the rule says",
  "stricter   what the host cannot express becomes a block, with instructions",
  "partly     only in some cases; holdfast hosts --host <id> says which",
  "observed   seen and recorded, not enforced; a notice says so when it matters",
  "never      the host has no such event, or no tool that the rule names",
];

function printMatrix(hosts: readonly Host[], matrix: readonly MatrixRow[], { output, flags }: CommandCall): void {
  const head = ["", ...hosts.map(({ id }) => output.paint("bold", id))];
  const lines = matrix.map(({ name, hosts: cells }) => [
    name,
    ...cells.map(({ enforcement }) => word(enforcement, output)),
  ]);
  const proven = ["proven on", ...hosts.map(({ provenVersion }) => output.paint("dim", provenVersion))];
  for (const line of table([head, ...lines, proven])) output.line(line);
  output.line();
  for (const line of LEGEND) output.line(output.paint("dim", line));
  if (flags.host) printNotes(matrix, output);
}

const word = (enforcement: Enforcement, output: Output) => output.paint(COLOURS[enforcement], enforcement);

function printNotes(matrix: readonly MatrixRow[], output: Output): void {
  const notes = matrix.flatMap(({ hosts }) => hosts.flatMap(({ parts }) => parts.filter(({ note }) => note)));
  const whys = matrix.flatMap(({ name, hosts }) => hosts.flatMap(({ why }) => (why ? [`${name}: ${why}`] : [])));
  const texts = [...new Set([...whys, ...notes.map(({ event, answer, note }) => `${event} ${answer}: ${note}`)])];
  output.line();
  for (const text of texts) output.line(`  ${text}`);
}
