/**
 * The part of Holdfast that stands next to the tools. Middleware may bring a tool of its own in place of the agent's, or
 * call it by another name: that is a call of its own, which hooks look at before it runs.
 */
import type { Handler, LangChainModule, ToolCallRequest } from "./langchain.ts";
import { isChecked, type JudgedRun } from "./langchain-checked-tool.ts";
import { problemOf } from "./langchain-input-problem.ts";

const RUN = Symbol("the run that Holdfast judged");

/** With the request, which middleware hands on: a model may give two calls one id. */
export const markedWith = (run: JudgedRun, request: ToolCallRequest): ToolCallRequest & Marked => ({
  ...request,
  [RUN]: run,
});
interface Marked {
  readonly [RUN]?: JudgedRun;
}

// biome-ignore lint/suspicious/noExplicitAny: a middleware in the SDK's own types
export function checkRuns({ createMiddleware, ToolMessage }: LangChainModule): any {
  return createMiddleware({
    name: "HoldfastRuns",
    wrapToolCall: (request: ToolCallRequest & Marked, handler: Handler) => {
      const { tool, toolCall, [RUN]: judged } = request;
      if (isChecked(tool)) return handler(request);
      const name = tool?.name ?? toolCall.name;
      if (judged === undefined) {
        const call = { tool_call_id: toolCall.id ?? "", name, status: "error" };
        return new ToolMessage({ ...call, content: `Error: ${name} was not run. ${BUILT_ANEW}` });
      }
      const run = { name, input: toolCall.args, problem: problemOf(tool?.schema) };
      return judged.run(run, (args) => handler({ ...request, toolCall: { ...toolCall, args } }));
    },
  });
}

const BUILT_ANEW =
  "Middleware made a request of its own for it, so no hook has seen the call: it must pass on the one it was given, as in `handler({ ...request, tool })`.";
