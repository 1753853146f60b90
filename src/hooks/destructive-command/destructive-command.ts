/** Stops shell commands by what they would do, not by what they look like. */
import { type EventOf, hasTool } from "../../core/event.ts";
import { list, map, object, oneOf, optional, type ShapeOf, text } from "../../core/fields.ts";
import { nearest } from "../../core/nearest.ts";
import { NO_OPINION, type Verdict } from "../../core/verdict.ts";
import { quoted } from "../../shell/arg.ts";
import { type FoundEffect, PROGRAM_IN_IT } from "../../shell/effect.ts";
import { asIncludedFrom, settingsInFile } from "../../shell/git-settings.ts";
import { isInside } from "../../shell/places.ts";
import { sqlEffects } from "../../shell/sql.ts";
import type { BuiltinHook, Machine } from "../builtin.ts";
import { commandsRun, type ShellEvent, statementsRun } from "../commands-run.ts";
import { commandOf, isEdit } from "../history.ts";
import { wildcardMatches } from "../path-glob.ts";
import { type Finding, findingsOf, reasonOf } from "./judge.ts";
import { PACKS } from "./packs.ts";
import type { Severity } from "./rule.ts";

const EXCEPTION = object({
  rule: text("the rule's id, or `pack/*`"),
  command: optional(text("glob on the whole command")),
  host: optional(text("only on this host")),
  under: optional(text("only in this directory of the project or below it")),
  until: optional(text("the last day it holds, as in 2026-12-31")),
});

const OPTIONS = {
  packs: list(text(), "packs of rules to use; empty: all of them"),
  rules: map(oneOf(["block", "ask", "warn", "observe", "off"], "a rule by its id"), "severity of single rules"),
  allow: list(EXCEPTION, "exceptions: what a rule is to leave alone"),
};
type Options = ShapeOf<typeof OPTIONS>;

export const destructiveCommand: BuiltinHook = {
  name: "destructive-command",
  doc: "understands shell commands and stops what would destroy, leak or overwrite",
  on: ["pre_tool_use"],
  answers: ["block", "ask"],
  guards: true,
  onError: "block",
  priority: 0,
  options: OPTIONS,
  defaults: { packs: [], rules: {}, allow: [] },
  loosening: ["packs", "rules", "allow"],
  problems: (options) => optionProblems(options as unknown as Options),
  judge(event, context, machine) {
    if (event.name !== "pre_tool_use" || !hasTool(event)) return NO_OPINION;
    const runs = commandsRun(event, machine);
    const statements = statementsRun(event.tool);
    if (runs.length === 0 && statements.length === 0) return NO_OPINION;
    const { options, now } = context;
    const { packs, rules, allow } = options as unknown as Options;
    const chosen = packs.length > 0 ? PACKS.filter(({ name }) => packs.includes(name)) : PACKS;
    const { rootDir, homeDir, git } = machine;
    const found = (call: EventOf<"pre_tool_use">, effects: readonly FoundEffect[]) => {
      const cwd = machine.realPath(".", call.cwd);
      const world = { cwd, rootDir, homeDir, gitIsClean: git.isClean, gitBranch: git.branch };
      return findingsOf(effects, chosen, world)
        .filter(({ rule }) => !allow.some((exception) => excepts(exception, rule.id, call, now, machine)))
        .map((finding) => ({ finding, severity: rules[finding.rule.id] ?? finding.rule.severity }));
    };
    const findings = runs.flatMap((run) => found(run, effectsOf(run, machine)));
    if (statements.length > 0) findings.push(...found(event, statements.flatMap(statementEffects)));
    for (const severity of ["block", "ask", "warn", "observe"] as const) {
      const worst = findings.find((found) => found.severity === severity);
      if (worst) return verdictOf(worst.finding, severity);
    }
    return NO_OPINION;
  },
};

/** A misspelt name must not switch a guard off in silence. */
function optionProblems({ packs, rules, allow }: Options) {
  const packNames = PACKS.map(({ name }) => name);
  const ruleIds = PACKS.flatMap((pack) => pack.rules.map(({ id }) => id));
  const unknown = (option: string, what: string, name: string, known: readonly string[]) =>
    known.includes(name) ? [] : [{ option, message: `there is no ${what} "${name}"`, meant: nearest(name, known) }];
  return [
    ...packs.flatMap((name) => unknown("packs", "pack", name, packNames)),
    ...Object.keys(rules).flatMap((id) => unknown("rules", "rule", id, ruleIds)),
    ...allow.flatMap(({ rule, until }) => [
      ...(ruleIds.some((id) => wildcardMatches(rule, id)) ? [] : unknown("allow", "rule", rule, ruleIds)),
      ...(until === undefined || /^\d{4}-\d{2}-\d{2}$/.test(until)
        ? []
        : [{ option: "allow", message: `until is a day, as in 2026-12-31, not "${until}"` }]),
    ]),
  ];
}

type Exception = Options["allow"][number];

/** An exception holds until the end of its last day, for the rule, host, place and command it names. */
function excepts(
  exception: Exception,
  rule: string,
  event: EventOf<"pre_tool_use">,
  now: Date,
  machine: Machine,
): boolean {
  const { command, host, under, until } = exception;
  if (until !== undefined && now.toISOString().slice(0, 10) > until) return false;
  if (host !== undefined && host !== event.host) return false;
  const here = machine.realPath(".", event.cwd);
  const place = under === undefined ? undefined : machine.realPath(under, machine.rootDir);
  if (place !== undefined && here !== place && !isInside(here, place)) return false;
  const text = event.tool.kind === "shell" ? event.tool.command : "";
  return wildcardMatches(exception.rule, rule) && (command === undefined || wildcardMatches(command, text));
}

/** What the command does, and what the files do that it runs: SQL, git's settings, and scripts that this session wrote. */
function effectsOf(event: ShellEvent, machine: Machine): FoundEffect[] {
  const { effects } = machine.analyse(event.tool.command, event.cwd);
  const scripts = effects.flatMap(({ effect }) => (effect.type === "run-script" ? [effect] : []));
  const code = scripts.some(({ interpreter }) => !ALWAYS_READ.includes(interpreter));
  const written = code ? writtenHere(event, machine) : new Set<string>();
  const inner = scripts.flatMap(({ path: { path }, interpreter }) => {
    if (path === undefined) return [];
    if (interpreter === PROGRAM_IN_IT)
      return programsIn(path, written).flatMap((file) => scriptEffects(file, "itself", event.cwd, machine));
    return ALWAYS_READ.includes(interpreter) || written.has(path)
      ? scriptEffects(path, interpreter, event.cwd, machine)
      : [];
  });
  return [...effects, ...inner, ...settingsWrittenHere(effects, event.tool.command)];
}

const statementEffects = (text: string): FoundEffect[] =>
  sqlEffects(text).map((effect) => ({ effect, source: text, via: [] }));

/** Programs have no ending, as a rule; what has one is more likely to be something else. */
const programsIn = (directory: string, written: ReadonlySet<string>) =>
  [...written].filter((path) => {
    const slash = path.lastIndexOf("/");
    return (path.slice(0, slash) || "/") === directory && !path.includes(".", slash);
  });

/** Data rather than programs: nobody runs them for what they were written for. */
const ALWAYS_READ = ["sql", "git-config"];

/** What is not there yet cannot be read; the line that writes it is all there is to go by. */
function settingsWrittenHere(effects: readonly FoundEffect[], command: string): FoundEffect[] {
  const written = effects.flatMap(({ effect }) => (effect.type === "overwrite" ? [effect.path.path] : []));
  const isOwn = effects.some(
    ({ effect }) =>
      effect.type === "run-script" && effect.interpreter === "git-config" && written.includes(effect.path.path),
  );
  const effect = { type: "unclear", why: "git takes settings from a file it writes itself", text: command } as const;
  return isOwn ? [{ effect, source: command, via: [] }] : [];
}

/** A script that was there before is the person's own; what the session wrote is the agent's. */
function writtenHere(event: EventOf<"pre_tool_use">, machine: Machine): Set<string> {
  const paths = new Set<string>();
  for (const call of machine.historyOf(event).calls()) {
    if (isEdit(call)) for (const path of call.paths ?? []) paths.add(machine.realPath(path, call.cwd));
    else if (call.tool_kind === "shell") {
      for (const { effect } of machine.analyse(commandOf(call), call.cwd).effects) {
        if (effect.type === "overwrite" && effect.path.path) paths.add(effect.path.path);
      }
    }
  }
  return paths;
}

/** How an interpreter is given its program on the command line, which is how the walk reads it. */
const INLINE: readonly (readonly [RegExp, string])[] = [
  [/^python/, "python3 -c"],
  [/^(node|bun|deno|tsx)/, "node -e"],
  [/^ruby/, "ruby -e"],
  [/^perl/, "perl -e"],
  [/^php/, "php -r"],
  [/^sed/, "sed -e"],
];

function scriptEffects(path: string, interpreter: string, cwd: string, machine: Machine): FoundEffect[] {
  const content = machine.readText(path);
  if (content === undefined) return [];
  const via = [`the file ${path}`];
  if (interpreter === "sql") return sqlEffects(content).map((effect) => ({ effect, source: path, via }));
  if (interpreter === "git-config") return settingsEffects(content, path, cwd, machine);
  const inline = INLINE.find(([name]) => name.test(interpreter))?.[1];
  const { effects } = machine.analyse(inline ? `${inline} ${quoted(content)}` : content, cwd);
  return effects.map((found) => ({ ...found, source: inline ? path : found.source, via: [...via, ...found.via] }));
}

/** A file of settings does what its settings would do, were they given one by one; so do the files it includes. */
function settingsEffects(
  content: string,
  path: string,
  cwd: string,
  machine: Machine,
  seen = new Set([path]),
): FoundEffect[] {
  const settings = settingsInFile(content).map((setting) =>
    asIncludedFrom(path.slice(0, path.lastIndexOf("/")), setting),
  );
  const options = settings.map(({ key, value }) => `-c ${quoted(`${key}=${value}`)}`);
  if (options.length === 0) return [];
  const { effects } = machine.analyse(`git ${options.join(" ")} status`, cwd);
  const included = effects.flatMap(({ effect }) => {
    const file = effect.type === "run-script" && effect.interpreter === "git-config" ? effect.path.path : undefined;
    if (file === undefined || seen.has(file) || seen.size >= MAX_INCLUDED) return [];
    seen.add(file);
    const text = machine.readText(file);
    return text === undefined ? [] : settingsEffects(text, file, cwd, machine, seen);
  });
  const own = effects.map((found) => ({ ...found, source: path, via: [`the settings in ${path}`, ...found.via] }));
  return [...own, ...included];
}

const MAX_INCLUDED = 50;

function verdictOf(finding: Finding, severity: Severity | "observe"): Verdict {
  const reason = reasonOf(finding);
  if (severity === "warn") return { ...NO_OPINION, context: [reason] };
  if (severity === "observe")
    return { ...NO_OPINION, effects: [{ type: "note", data: { observed: finding.rule.id, reason } }] };
  return { opinion: { kind: severity, rule: finding.rule.id, reason } };
}
