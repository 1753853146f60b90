/** The Claude Agent SDK, driven as its guide tells people to: its own native program, against a scripted model on loopback. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClaudeGuardOptions, guardedQuery, holdfastHooks } from "../../src/bindings/claude-agent-sdk.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { cleanPath } from "../../src/proof/host-process.ts";
import { type ScriptedModel, startScriptedModel } from "../../src/proof/scripted-model.ts";
import { anthropicWire } from "../../src/proof/wires/anthropic.ts";
import type { Driver, DriverRun, ModelStep, Ran, ScriptedTool } from "./driver.ts";
import { loadSdk } from "./installed-sdk.ts";

// biome-ignore lint/suspicious/noExplicitAny: the SDK's types are not there when ours are checked
type Loaded = any;

const SERVER = "bench";
const fullName = (tool: string) => `mcp__${SERVER}__${tool}`;

/** A home, a model and the options that keep a query offline. */
export async function offline(script: readonly ModelStep[], subAgentScript: readonly ModelStep[] = []) {
  const home = mkdtempSync(join(tmpdir(), "holdfast-claude-sdk-"));
  for (const folder of ["work", "tmp"]) mkdirSync(join(home, folder));
  const steps = (from: readonly ModelStep[]) =>
    from.map((step) =>
      "text" in step ? step : { tools: step.calls.map(({ id, name, input }) => ({ id, name, input })) },
    );
  const model = await startScriptedModel(
    {
      script: steps(script),
      subAgents: subAgentScript.length > 0 ? [{ opening: "count t", script: steps(subAgentScript) }] : [],
    },
    anthropicWire,
  );
  const options = {
    cwd: join(home, "work"),
    model: "claude-sonnet-4-5",
    settingSources: [],
    env: {
      HOME: home,
      TMPDIR: join(home, "tmp"),
      PATH: cleanPath,
      IS_SANDBOX: "1",
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "sk-ant-not-a-key",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      ENABLE_TOOL_SEARCH: "false",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
    },
  };
  const close = async () => {
    await model.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  return { model, options, close };
}

export const saw = (model: ScriptedModel, isMain: boolean): string[] =>
  model.requests
    .filter(({ lane, turn }) => turn && lane !== "side" && (lane === "main") === isMain)
    .map(({ body }) => texts((body as { messages: unknown }).messages).join("\n"));

const texts = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(texts);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
};

/** The tools as an in-process MCP server: what the SDK offers for tools of one's own. */
export async function serverOf(tools: readonly ScriptedTool[]): Promise<Loaded> {
  const { createSdkMcpServer, tool } = await loadSdk("claude-agent-sdk", "@anthropic-ai/claude-agent-sdk");
  const { z } = await loadSdk("claude-agent-sdk", "zod");
  return createSdkMcpServer({
    name: SERVER,
    tools: tools.map(({ name, description, parameters, run }) =>
      tool(
        name,
        description,
        Object.fromEntries(Object.keys(parameters.properties as JsonObject).map((key) => [key, z.string()])),
        async (input: JsonObject) => ({ content: [{ type: "text", text: String(await run(input)) }] }),
      ),
    ),
  });
}

const delegated = (steps: readonly ModelStep[], agents: ReadonlySet<string>): readonly ModelStep[] =>
  steps.map((step) =>
    "text" in step
      ? step
      : {
          calls: step.calls.map(({ id, name, input }) =>
            agents.has(name)
              ? {
                  id,
                  name: "Agent",
                  // In the background, as is the default, the caller would go on without the result.
                  input: {
                    description: "a task",
                    prompt: input.objective ?? "",
                    subagent_type: name,
                    run_in_background: false,
                  },
                }
              : { id, name: fullName(name), input },
          ),
        },
  );

export const claudeAgentSdk: Driver = {
  name: "Claude Agent SDK",
  lacks: { "two messages at once": "every message is a prompt of its own, and looked at as one" },
  history: "original",
  async run({ session, prompt, script, tools, subAgents, suspend, extension }: DriverRun): Promise<Ran> {
    const { query } = await loadSdk("claude-agent-sdk", "@anthropic-ai/claude-agent-sdk");
    const agents = new Set(subAgents.map(({ name }) => name));
    const all = [...tools, ...subAgents.flatMap((agent) => agent.tools)];
    const childScript = subAgents.flatMap((agent) => agent.script);
    const { model, options, close } = await offline(delegated(script, agents), delegated(childScript, agents));
    const ownTools = Object.fromEntries(
      all.map(({ name, parameters }) => [fullName(name), { name, inputSchema: parameters }]),
    );
    // Slower than ours: of two that change a call the SDK takes the last to finish.
    const changing = async ({ tool_input }: { tool_input: JsonObject }) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      const updatedInput = extension?.(tool_input) ?? tool_input;
      return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput } };
    };
    const common = {
      ...options,
      ...(extension ? { hooks: { PreToolUse: [{ hooks: [changing] }] } } : {}),
      mcpServers: { [SERVER]: await serverOf(all) },
      allowedTools: [...Object.keys(ownTools), "Agent"],
      agents: Object.fromEntries(
        subAgents.map(({ name, description, tools: own }) => [
          name,
          { description, prompt: "you find things out", tools: own.map((tool) => fullName(tool.name)) },
        ]),
      ),
    };

    const play = async (text: string, more: JsonObject, given: Partial<ClaudeGuardOptions>): Promise<Ran> => {
      const before = saw(model, true).length;
      const guard = holdfastHooks(session, { ownTools, suspend, ...given });
      let result: Loaded;
      for await (const message of guardedQuery<Loaded>({
        session,
        query,
        prompt: text,
        options: { ...common, ...more },
        guard,
      })) {
        if (message.type === "result") result = message;
      }
      const ran = {
        modelSaw: saw(model, true).slice(before),
        subAgentSaw: saw(model, false),
        answer: String(result.result ?? result.errors ?? ""),
      };
      const waiting = result.deferred_tool_use;
      if (!waiting) {
        await close();
        return ran;
      }
      return {
        ...ran,
        suspended: {
          reason: guard.questionOf(waiting.id) ?? "",
          resume: ({ approve }) =>
            play("", { resume: result.session_id }, { answers: { [waiting.id]: { allow: approve } } }),
        },
      };
    };
    return play(prompt, {}, {});
  },
};
