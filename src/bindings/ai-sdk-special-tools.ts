/** Tools of AI SDK 7 of which the SDK makes others before it runs them. */

interface Caller {
  readonly type: string;
  readonly bind?: (tools: object) => object;
}

/** A tool that calls other tools: the SDK runs what it is bound to, so that is guarded too. Not enumerable, as the SDK has it. */
export function withCaller<T extends object>(guarded: T, given: object, guard: (bound: object) => object): T {
  const caller = (given as { readonly experimental_toolCaller?: Caller }).experimental_toolCaller;
  if (caller === undefined) return guarded;
  const { bind } = caller;
  const value = bind ? { ...caller, bind: (tools: object) => guard(bind(tools)) } : caller;
  return Object.defineProperty(guarded, "experimental_toolCaller", { value });
}

/** The SDK puts a search of its own in place of its `execute`. */
export const isToolSearch = (tool: object): boolean =>
  (tool as Record<symbol, unknown>)[Symbol.for("vercel.ai.toolSearch")] === true;
