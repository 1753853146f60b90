/** The calls of one step: in parallel, each through its own hooks. */
import type { JsonObject } from "../core/json.ts";
import type { Conversation } from "./conversation.ts";
import { asText, contextMessages, type Message, type ToolRequest } from "./message.ts";
import { permissionFor } from "./permission-mode.ts";
import { inputProblem } from "./tools/tool.ts";
import { unlessAborted } from "./unless-aborted.ts";

/** Every call has its result, in the order of the calls; what hooks have to say about them comes after. */
export async function callTools(
  agent: Conversation,
  requests: readonly ToolRequest[],
  signal: AbortSignal,
): Promise<Message[]> {
  const called = await Promise.all(
    requests.map((request) => callTool(agent, request, signal).catch((error) => broken(agent, request, error))),
  );
  return [...called.map(({ result }) => result), ...contextMessages(called.flatMap(({ context }) => context))];
}

interface Called {
  readonly result: Message;
  readonly context: readonly string[];
}

/** Neither a tool nor a hook failed but what is around them: a call without a result would spoil the conversation. */
function broken(agent: Conversation, { id, name, input }: ToolRequest, error: unknown): Called {
  const message = error instanceof Error ? error.message : String(error);
  agent.tell({ type: "error", message: `${name} could not be called: ${message}` });
  return { result: { role: "tool", callId: id, name, input, text: `Error: ${message}`, failed: true }, context: [] };
}

async function callTool(agent: Conversation, request: ToolRequest, signal: AbortSignal): Promise<Called> {
  const { id, name } = request;
  const tool = agent.toolNamed(name);
  let ranWith: JsonObject | undefined;

  const outcome = await agent.session.callTool({
    ...request,
    signal,
    ...(tool ? permissionFor(tool, agent.session.permissionMode) : {}),
    async run(input) {
      agent.tell({ type: "tool_started", id, name, input });
      if (!tool) throw new Error(`there is no tool "${name}"; there are: ${agent.toolNames.join(", ")}`);
      const problem = inputProblem(tool, input);
      if (problem !== undefined) throw new Error(`the input does not fit ${name}: ${problem}`);
      const noteInput = (changed: JsonObject) => {
        ranWith = changed;
      };
      return unlessAborted(tool.run(input, { ...agent.place, signal, callId: id, ranWith: noteInput }), signal);
    },
  });

  const input = ranWith ?? outcome.input;
  const { context } = outcome;
  if (outcome.status === "blocked") {
    agent.tell({ type: "tool_blocked", id, name, input, reason: outcome.reason });
    return {
      result: { role: "tool", callId: id, name, input, text: `Error: ${outcome.reason}`, failed: true },
      context,
    };
  }
  const { failed } = outcome;
  const text = asText(outcome.output);
  agent.tell({ type: "tool_finished", id, name, input, output: text, failed });
  return { result: { role: "tool", callId: id, name, input, text, failed }, context };
}
