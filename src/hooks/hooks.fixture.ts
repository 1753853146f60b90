/** A machine for tests of built-in hooks: plain path arithmetic, no disk. */
import { posix } from "node:path";
import type { LedgerEntry } from "../core/effect.ts";
import { sampleEvent } from "../core/engine.fixture.ts";
import type { EventOf } from "../core/event.ts";
import type { JsonObject } from "../core/json.ts";
import type { ToolCall } from "../core/tool.ts";
import { NO_OPINION, type Verdict } from "../core/verdict.ts";
import { HOSTS } from "../hosts/registry.ts";
import { analyseCommand } from "../shell/analyse.ts";
import type { BuiltinHook, Machine } from "./builtin.ts";
import type { History } from "./history.ts";
import { BUILTIN_HOOKS } from "./registry.ts";

export const machine: Machine = {
  homeDir: "/home/person",
  rootDir: "/project",
  ignoresCase: false,
  stateDir: "/home/person/.local/state/holdfast",
  settingsGlobs: HOSTS.flatMap(({ settingsGlobs }) => settingsGlobs),
  ownPaths: ["/project/holdfast.yaml", "/project/.holdfast/tracking", "/home/person/.config/holdfast"],
  realPath: (path, cwd) => posix.resolve(cwd, path),
  historyOf: () => historyOf([]),
  takeTurn: () => undefined,
  isSwitchedReadOnly: async () => false,
  analyse: (command, cwd) => analyseCommand(command, { cwd, homeDir: "/home/person", realPath: (path) => path }),
  readText: () => undefined,
  namesIn: () => undefined,
  knowledge: {
    capture: async () => NO_OPINION,
    drain: async () => NO_OPINION,
    sessionStart: async () => NO_OPINION,
    promptContext: async () => NO_OPINION,
    lintTick: async () => NO_OPINION,
  },
  git: { isClean: () => undefined, branch: () => undefined },
};

/** What a session did, oldest first as a person tells it, and the rules that stopped it. */
export const historyOf = (past: readonly LedgerEntry[], blocks: readonly string[] = []): History => ({
  calls: () => past.toReversed(),
  callAt: (index) => past[past.length - 1 - index],
  stops: () => blocks.map((rule) => ({ rule, tool: "tool" })),
});

export const toolCall = (kind: ToolCall["kind"], changes: Partial<ToolCall> & { command?: string } = {}): ToolCall =>
  ({
    kind,
    name: kind,
    input: {},
    paths: [],
    ...(kind === "mcp" ? { server: "s", method: "m" } : {}),
    ...changes,
  }) as ToolCall;

export const before = (tool: ToolCall) => sampleEvent("pre_tool_use", { tool });
export const after = (tool: ToolCall, changes: Partial<EventOf<"post_tool_use">> = {}) =>
  sampleEvent("post_tool_use", { tool, ...changes } as Partial<EventOf<"post_tool_use">>);

export const judge = (
  hook: BuiltinHook,
  event: Parameters<BuiltinHook["judge"]>[0],
  options: JsonObject = hook.defaults,
  on: Machine = machine,
) => hook.judge(event, { now: new Date(0), options, signal: new AbortController().signal }, on) as Verdict;

const PROJECT = "/home/person/work/project";

/** What all guards together say of a command, in a project in a person's home; `files`: what lies there, by its path; undefined where it cannot be read. */
export function judgedByAll(
  command: string,
  files?: Readonly<Record<string, string | undefined>>,
  project = PROJECT,
  homeDir = machine.homeDir,
): string {
  const readText = (path: string) => files?.[posix.relative(project, path)];
  const on: Machine = {
    ...machine,
    homeDir,
    rootDir: project,
    ownPaths: [`${project}/holdfast.yaml`],
    readText,
    namesIn: (directory) => files && namesBelow(posix.relative(project, directory), Object.keys(files)),
    analyse: (text, cwd) =>
      analyseCommand(text, {
        cwd,
        homeDir,
        realPath: (path) => path,
        readText,
        isMissing: (path) => !Object.hasOwn(files ?? {}, posix.relative(project, path)),
      }),
  };
  const event = sampleEvent("pre_tool_use", { cwd: project, tool: toolCall("shell", { command }) });
  const said = BUILTIN_HOOKS.filter((hook) => hook.on.includes("pre_tool_use") && !hook.optIn).map(
    (hook) => judge(hook, event, hook.defaults, on).opinion,
  );
  const strongest = said.find(({ kind }) => kind === "block") ?? said.find(({ kind }) => kind === "ask");
  return strongest ? `${strongest.kind} ${"rule" in strongest ? strongest.rule : ""}` : "none";
}

function namesBelow(directory: string, files: readonly string[]): string[] {
  const below = directory === "" ? files : files.filter((file) => file.startsWith(`${directory}/`));
  const start = directory === "" ? 0 : directory.length + 1;
  return [...new Set(below.map((file) => file.slice(start).split("/")[0] ?? ""))];
}
