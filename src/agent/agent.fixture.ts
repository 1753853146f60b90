/** A scratch machine for an agent: a project to work in, and a config of [agent.hooks] with real commands. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { type Agent, type AgentOptions, createAgent } from "./agent.ts";
import { type ScriptedModel, type ScriptedStep, scriptedModel } from "./scripted-model.ts";
import type { StreamEvent } from "./stream-event.ts";

export const call = (name: string, input: JsonObject, id?: string) => ({ name, input, ...(id ? { id } : {}) });
export const calls = (...all: ReturnType<typeof call>[]): ScriptedStep => ({ calls: all });
export const shell = (command: string, id?: string) => call("shell", { command }, id);

/** What a command hook prints, as JSON or as text, and for which calls it is asked. */
export interface TomlHook {
  readonly on: string;
  readonly matcher?: string;
  readonly says?: object | string;
  /** A shell script instead: its stdin is the event. */
  readonly script?: string;
}

export interface AgentScene {
  readonly dir: string;
  readonly project: string;
  readonly env: Record<string, string>;
  readonly events: StreamEvent[];
  /** Writes the [agent.hooks] config; every hook also notes the events it was given, see `seen`. */
  hooks(...hooks: TomlHook[]): void;
  /** What the hooks on an event were given on stdin, in order. */
  seen(event: string): Record<string, unknown>[];
  agent(
    steps: readonly ScriptedStep[],
    options?: Partial<AgentOptions>,
  ): Promise<{ agent: Agent; model: ScriptedModel }>;
  records(journal: "audit" | "ledger" | "notices"): Record<string, unknown>[];
  types(): string[];
  of<T extends StreamEvent["type"]>(type: T): Extract<StreamEvent, { type: T }>[];
}

/** For one test file: made anew before each test. */
export function agentScene(): AgentScene {
  const opened: Agent[] = [];
  const scene = {
    dir: "",
    project: "",
    env: {} as Record<string, string>,
    events: [] as StreamEvent[],
    hooks(...hooks: TomlHook[]) {
      const config = join(scene.dir, "config");
      mkdirSync(join(config, "hooks"), { recursive: true });
      const tables = hooks.map(({ on, matcher, says, script }, index) => {
        const file = join(config, "hooks", `${index}.sh`);
        const answer = typeof says === "string" ? says : JSON.stringify(says ?? {});
        const log = join(scene.dir, "seen.jsonl");
        const answering = script ?? `cat <<'ANSWER'\n${answer}\nANSWER`;
        writeFileSync(file, `event="$(cat)"\nprintf '%s\\n' "$event" >> '${log}'\n${answering}\n`);
        const group = matcher === undefined ? "" : `matcher = ${JSON.stringify(matcher)}\n`;
        return `[[agent.hooks.${on}]]\n${group}[[agent.hooks.${on}.hooks]]\ntype = "command"\ncommand = "sh ${file}"\n`;
      });
      writeFileSync(join(config, "holdfast.toml"), `[agent]\n[agent.hooks]\nenabled = true\n${tables.join("")}`);
    },
    seen: (event: string) => linesOf(join(scene.dir, "seen.jsonl")).filter((line) => line.hook_event_name === event),
    async agent(steps: readonly ScriptedStep[], options: Partial<AgentOptions> = {}) {
      const model = scriptedModel(steps);
      const agent = await createAgent({
        model,
        cwd: scene.project,
        env: scene.env,
        distDir: join(import.meta.dirname, "../../dist"),
        onEvent: (event) => scene.events.push(event),
        ...options,
      });
      opened.push(agent);
      return { agent, model };
    },
    records: (journal: string) => linesOf(join(scene.project, ".holdfast", "tracking", `${journal}.jsonl`)),
    types: () => scene.events.map(({ type }) => type),
    of: <T extends StreamEvent["type"]>(type: T) =>
      scene.events.filter((event): event is Extract<StreamEvent, { type: T }> => event.type === type),
  };
  beforeEach(() => {
    scene.dir = mkdtempSync(join(tmpdir(), "holdfast-agent-"));
    scene.project = join(scene.dir, "project");
    scene.events.length = 0;
    mkdirSync(join(scene.project, ".git"), { recursive: true });
    scene.env = {
      PATH: process.env.PATH ?? "",
      HOME: join(scene.dir, "home"),
      HOLDFAST_CONFIG_DIR: join(scene.dir, "config"),
      HOLDFAST_STATE_DIR: join(scene.dir, "state"),
    };
  });
  afterEach(async () => {
    for (const agent of opened.splice(0)) await agent.close();
    rmSync(scene.dir, { recursive: true, force: true });
  });
  return scene;
}

const linesOf = (file: string): Record<string, unknown>[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    : [];
