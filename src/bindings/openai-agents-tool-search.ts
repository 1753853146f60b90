/** A tool by which the model finds other tools (`tool_search`), run by the program: what it finds is the agent's from then on. */
import type { Tool } from "./openai-agents-shapes.ts";

type Search = (request: unknown) => unknown;

/** The SDK keeps the search under a symbol that it does not publish; no other hosted tool has a function there. */
export function guardFound(tool: Tool, guard: (found: Tool) => Tool): Tool {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(tool)) as Tool & Record<symbol, unknown>;
  const searches = Object.getOwnPropertySymbols(copy).filter((key) => typeof copy[key] === "function");
  if (searches.length === 0) return tool;
  // The SDK knows what was found before by its identity.
  const known = new WeakMap<Tool, Tool>();
  const guarded = (found: Tool): Tool => {
    const made = known.get(found) ?? guard(found);
    known.set(found, made);
    return made;
  };
  for (const key of searches) {
    const search = copy[key] as Search;
    const value = async (request: unknown) => {
      const found = (await search(request)) as Tool | readonly Tool[] | null | undefined;
      return [found ?? []].flat().map(guarded);
    };
    Object.defineProperty(copy, key, { value, enumerable: false, configurable: true });
  }
  return copy;
}
