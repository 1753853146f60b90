/** A project, a Holdfast and tools that remember what they were run with: what a scenario needs besides its hooks. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PERSONAL } from "../../src/approvals/approval.ts";
import { Approvals } from "../../src/approvals/service.ts";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { createHoldfast, type Holdfast, type HoldfastOptions } from "../../src/embed/holdfast.ts";
import type { Session } from "../../src/embed/session.ts";
import { openStores } from "../../src/stores/open.ts";
import type { Driver, DriverRun, ModelStep, Ran, ScriptedSubAgent, ScriptedTool } from "./driver.ts";

const distDir = join(import.meta.dirname, "../../dist");

const DESCRIPTIONS = { bash: { kind: "shell", command: "command" } } as const;

export interface Scenario extends Pick<HoldfastOptions, "hooks" | "ask" | "maxContinuations" | "onNotice"> {
  readonly script: readonly ModelStep[];
  readonly prompt?: string;
  readonly said?: readonly string[];
  readonly extension?: DriverRun["extension"];
  readonly tools?: readonly ScriptedTool[];
  readonly subAgents?: readonly ScriptedSubAgent[];
  readonly suspend?: boolean;
  /** The person's holdfast.yaml. */
  readonly config?: string;
}

export interface ToolRun {
  readonly name: string;
  readonly input: JsonObject;
}

export interface Workbench {
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What tools were run with, in order. */
  readonly toolRuns: ToolRun[];
  /** A shell tool that prints what it is told to; it runs nothing. */
  bash(output?: (input: JsonObject) => Json | Promise<Json>): ScriptedTool;
  run(driver: Driver, scenario: Scenario): Promise<Ran>;
  session(options: HoldfastOptions): Promise<Session>;
  /** Writes the person's holdfast.yaml, whose hooks need no trust. */
  configure(rules: string): void;
  /** Decides the one approval that is pending, as a person in the inbox would; its id. */
  decide(kind: "approve" | "deny", reason?: string): Promise<string>;
  /** Calls of which it is kept what a person was asked. */
  questionsKept(): readonly string[];
  records(journal: "audit" | "ledger" | "notices"): readonly Record<string, unknown>[];
  close(): Promise<void>;
}

/** A config with one command hook on tools of a name. */
export function rule(matcher: string, decision: "deny" | "ask", reason: string): string {
  const answer = {
    hook_specific_output: {
      hook_event_name: "pre_tool_use",
      permission_decision: decision,
      permission_decision_reason: reason,
    },
  };
  const hook = { type: "command", command: `printf %s '${JSON.stringify(answer)}'` };
  return JSON.stringify({ hooks: { pre_tool_use: [{ matcher, hooks: [hook] }] } });
}

export function workbench(): Workbench {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-sdk-"));
  const project = join(dir, "project");
  mkdirSync(join(project, ".git"), { recursive: true });
  const env = {
    PATH: process.env.PATH,
    HOME: dir,
    HOLDFAST_CONFIG_DIR: join(dir, "config"),
    HOLDFAST_STATE_DIR: join(dir, "state"),
  };
  const opened: Holdfast[] = [];
  const toolRuns: ToolRun[] = [];

  const session: Workbench["session"] = async (options) => {
    const holdfast = await createHoldfast({
      host: "bound",
      cwd: project,
      env,
      tools: DESCRIPTIONS,
      distDir,
      ...options,
    });
    opened.push(holdfast);
    return holdfast.session({ agent: "lead", user: "mona" });
  };

  const configure = (rules: string) => {
    mkdirSync(env.HOLDFAST_CONFIG_DIR, { recursive: true });
    writeFileSync(join(env.HOLDFAST_CONFIG_DIR, "holdfast.yaml"), rules);
  };

  return {
    project,
    configure,
    env,
    toolRuns,
    bash: (output = ({ command }) => `output of ${command}`) => ({
      name: "bash",
      description: "runs a command",
      parameters: {
        type: "object",
        properties: { command: { type: "string" } },
        required: ["command"],
        additionalProperties: false,
      },
      run(input) {
        toolRuns.push({ name: "bash", input });
        return output(input);
      },
    }),
    session,
    async run(driver, scenario) {
      const { script, prompt = "do it", tools = [this.bash()], subAgents = [], suspend = false, config } = scenario;
      if (config !== undefined) configure(config);
      const { hooks = [], ask, maxContinuations, onNotice, said = [], extension } = scenario;
      const guarded = await session({
        hooks,
        ...(ask ? { ask } : {}),
        ...(onNotice ? { onNotice } : {}),
        ...(maxContinuations === undefined ? {} : { maxContinuations }),
      });
      const given = { session: guarded, prompt, said, script, tools, subAgents, suspend };
      return driver.run(extension ? { ...given, extension } : given);
    },
    async decide(kind, reason = "") {
      const stores = await openStores({ url: join(env.HOLDFAST_STATE_DIR, "approvals", "approvals.db") });
      try {
        const { approvals } = await stores.list({ organisation: PERSONAL, statuses: ["pending"], limit: 10 });
        const [pending, ...others] = approvals;
        if (!pending || others.length > 0) throw new Error(`${approvals.length} approvals are pending`);
        const person = { id: "ada", organisation: PERSONAL, name: "Ada", roles: ["approver"] };
        await new Approvals(stores).vote(pending.id, { person, kind, reason, via: "web" });
        return pending.id;
      } finally {
        await stores.close();
      }
    },
    questionsKept() {
      const directory = join(env.HOLDFAST_STATE_DIR, "questions");
      return existsSync(directory) ? readdirSync(directory) : [];
    },
    records(journal) {
      const file = join(project, `.holdfast/tracking/${journal}.jsonl`);
      if (!existsSync(file)) return [];
      return readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    },
    async close() {
      for (const holdfast of opened.splice(0)) await holdfast.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
