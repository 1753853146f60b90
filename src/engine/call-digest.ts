import { sha256 } from "../config/places.ts";
import { type AgentEvent, hasTool } from "../core/event.ts";
import { canonicalJson } from "../core/json.ts";

/** What makes a call this very call: tool, arguments, directory, session and agent. Undefined: not a tool call. */
export function callDigest(event: AgentEvent): string | undefined {
  if (!hasTool(event)) return undefined;
  const { host, session, agent, cwd, tool } = event;
  return sha256(canonicalJson([host, session, agent, cwd, tool.name, tool.input]));
}

/** How a person names a call: short, and long enough not to be mistaken for another. */
export const shortCode = (digest: string) => digest.slice(0, 8);
