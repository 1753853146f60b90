/**
 * Middleware that stands next to the tool. The SDK puts what is added later further in, and plugins add theirs when the
 * agent starts: so ours is put there anew, by the function returned, before each call.
 */
import type { ExecuteNext, ExecuteTool, StrandsAgent, StrandsSdk } from "./strands-shapes.ts";

export function innermost(
  { ExecuteToolStage }: StrandsSdk,
  agent: StrandsAgent,
  handler: (context: ExecuteTool, next: ExecuteNext) => ReturnType<ExecuteNext>,
): () => void {
  let remove = () => {};
  return () => {
    remove();
    remove = agent.addMiddleware(ExecuteToolStage, handler);
  };
}
