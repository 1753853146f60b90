/** `approvals:` of every file, made into one hook per file: a lower layer adds rules of its own and touches no other's. */
import { APPROVALS_HOOK, type ApprovalRule, type ApprovalWhen } from "../core/approval-rule.ts";
import { HoldfastError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { globProblem } from "../core/written-glob.ts";
import type { ApprovalEntry } from "./approvals-schema.ts";
import { durationMs } from "./duration.ts";
import { placeOf } from "./explain.ts";
import type { GuardSetting } from "./guards.ts";
import type { LoadedFile } from "./load.ts";
import type { PlanHook } from "./plan.ts";

export interface CompiledApprovals {
  readonly hooks: readonly PlanHook[];
  readonly errors: readonly HoldfastError[];
}

type Path = readonly (string | number)[];

interface Written {
  readonly entry: ApprovalEntry;
  readonly path: Path;
  readonly defaultName: string;
  /** The agent whose section it stands in. */
  readonly agent?: { readonly name: string; readonly inherited: boolean };
}

export function compileApprovals(
  files: readonly LoadedFile[],
  builtin: (setting: GuardSetting) => PlanHook,
): CompiledApprovals {
  const errors: HoldfastError[] = [];
  const hooks = files.flatMap((file): PlanHook[] => {
    const written = writtenIn(file);
    const rules = written.flatMap((one) => {
      const { rule, problems } = compileRule(one);
      errors.push(...problems.map(({ at, message }) => errorAt(file, [...one.path, ...at], message)));
      return rule ? [rule] : [];
    });
    errors.push(...doubleNames(written, file));
    const [first] = written;
    if (!first || rules.length === 0) return [];
    const entry = { name: APPROVALS_HOOK, doc: "", guards: true, options: {}, defaults: {} };
    const options = { rules: JSON.parse(JSON.stringify(rules)) } as JsonObject;
    const managed = file.layer === "managed";
    const line = file.document.lineOf(first.path);
    const made = builtin({ entry, managed, enabled: true, mode: "enforce", options });
    return [{ ...made, layer: file.layer, place: { file: file.document.file, ...(line ? { line } : {}) } }];
  });
  return { hooks, errors };
}

/** What is said of one agent stands before what is said of all. */
function writtenIn({ config }: LoadedFile): Written[] {
  const ofAgents = Object.entries(config.agents ?? {}).flatMap(([name, section]): Written[] => {
    const agent = { name, inherited: section.inherit ?? true };
    const listed = (section.approvals ?? []).map((entry, index) => ({
      entry,
      path: ["agents", name, "approvals", index],
      defaultName: `${nameable(name)}-${index + 1}`,
      agent,
    }));
    const everything = section.confirm_everything === true;
    const path = ["agents", name, "confirm_everything"];
    const all: ApprovalEntry = { when: { all: true } };
    return [
      ...listed,
      ...(everything ? [{ entry: all, path, defaultName: `${nameable(name)}-everything`, agent }] : []),
    ];
  });
  const ofAll = (config.approvals ?? []).map((entry, index) => ({
    entry,
    path: ["approvals", index],
    defaultName: `rule-${index + 1}`,
  }));
  return [...ofAgents, ...ofAll];
}

const nameable = (name: string) => name.replace(/[^\w.-]+/g, "-");

const nameOf = ({ entry, defaultName }: Written) => entry.name ?? defaultName;

function doubleNames(written: readonly Written[], file: LoadedFile): HoldfastError[] {
  const seen = new Set<string>();
  return written.flatMap((one) => {
    const name = nameOf(one);
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [new HoldfastError("HF210", `two approval rules have the name ${name}`, placeOf(file.document, one.path))];
  });
}

interface RuleProblem {
  readonly at: Path;
  readonly message: string;
}

const DEFAULT_EXPIRES_MS = 2 * 60 * 60_000;
const LONGEST_MS = 30 * 24 * 60 * 60_000;

function compileRule(written: Written): { rule?: ApprovalRule; problems: readonly RuleProblem[] } {
  const { entry, agent } = written;
  const problems: RuleProblem[] = [];
  const timed = (at: Path, text: string | undefined, leastMs = 1_000): number | undefined => {
    if (text === undefined) return undefined;
    const ms = durationMs(text);
    if (ms !== undefined && ms >= leastMs && ms <= LONGEST_MS) return ms;
    const why = ms === undefined ? "is no duration" : `must be from ${leastMs / 1000}s to 30d`;
    problems.push({ at, message: `${at.join(".")}: "${text}" ${why}; write 90s, 15m, 2h or 3d` });
    return undefined;
  };
  const expiresMs = timed(["expires"], entry.expires) ?? DEFAULT_EXPIRES_MS;
  const approvers = approversOf(entry, problems);
  const escalate = entry.escalate && {
    afterMs: timed(["escalate", "after"], entry.escalate.after) ?? 0,
    ...peopleAndRoles(entry.escalate),
    channel: entry.escalate.channel ?? null,
  };
  if (escalate && escalate.people.length + escalate.roles.length === 0)
    problems.push({ at: ["escalate"], message: "escalate names nobody; give people or roles" });
  if (escalate && escalate.afterMs >= expiresMs)
    problems.push({ at: ["escalate", "after"], message: "escalate.after is not before the approval expires" });
  if (Object.keys(entry.when).length === 0)
    problems.push({ at: ["when"], message: "when says nothing; for every call write all: true" });
  for (const glob of listOf(entry.when.paths)) {
    const message = globProblem(glob);
    if (message) problems.push({ at: ["when", "paths"], message: `when.paths: ${message}` });
  }
  if (entry.mode === "inline" && entry.channel !== undefined)
    problems.push({ at: ["channel"], message: "mode inline never asks in a channel; remove the channel or the mode" });
  const rule: ApprovalRule = {
    name: nameOf(written),
    when: compiledWhen(entry.when, agent),
    approvers,
    mode: entry.mode ?? "auto",
    channel: entry.channel ?? null,
    expiresMs,
    waitMs: timed(["wait"], entry.wait, 0) ?? null,
    remindEveryMs: timed(["remind_every"], entry.remind_every) ?? null,
    escalate: escalate ?? null,
  };
  return problems.length > 0 ? { problems } : { rule, problems };
}

function approversOf({ approvers = {} }: ApprovalEntry, problems: RuleProblem[]): ApprovalRule["approvers"] {
  const { people, roles } = peopleAndRoles(approvers);
  const { count = 1 } = approvers;
  const notInitiator = approvers.not === "initiator";
  const at = ["approvers"];
  if (approvers.role !== undefined && approvers.roles !== undefined)
    problems.push({ at, message: "approvers has both role and roles; keep one" });
  if (roles.length === 0 && people.length > 0) {
    const able = notInitiator ? people.filter((name) => name !== "@initiator") : people;
    if (able.length < count)
      problems.push({ at, message: `approvers: ${count} yes are needed, and only ${able.length} people may say it` });
  }
  return { people, roles, count, notInitiator };
}

function peopleAndRoles({ people, roles, role }: { people?: OneOrMore; roles?: OneOrMore; role?: string | undefined }) {
  const named = listOf(people).map((name) => (name === "@owner" ? "@initiator" : name));
  return { people: [...new Set(named)], roles: [...new Set([...listOf(roles), ...listOf(role)])] };
}

type OneOrMore<T extends string = string> = T | readonly T[] | undefined;

const listOf = <T extends string>(value: OneOrMore<T>): readonly T[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : value;

function compiledWhen(when: ApprovalEntry["when"], agent: Written["agent"]): ApprovalWhen {
  const agents = agent ? [agent.name] : listOf(when.agent);
  const { amount } = when;
  return {
    ...(when.tool === undefined ? {} : { tools: listOf(when.tool) }),
    ...(when.kind === undefined ? {} : { kinds: listOf(when.kind) }),
    ...(when.command === undefined ? {} : { commands: listOf(when.command) }),
    ...(when.paths === undefined ? {} : { paths: listOf(when.paths) }),
    ...(when.effect === undefined ? {} : { effects: listOf(when.effect) }),
    ...(agents.length === 0 ? {} : { agents, inheritsAgents: agent?.inherited ?? true }),
    ...(when.requires_confirmation ? { requiresConfirmation: true as const } : {}),
    ...(amount === undefined ? {} : { amount }),
    ...(when.all ? { all: true as const } : {}),
  };
}

const errorAt = ({ document }: LoadedFile, path: Path, message: string) =>
  new HoldfastError("HF200", `approvals: ${message}`, placeOf(document, path));
