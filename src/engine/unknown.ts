/** Events, tools and MCP servers a host adapter does not know: passed, recorded, and shown to a person once. */
import type { Host, Native } from "../hosts/host.ts";
import { recorder } from "./perform.ts";
import type { ReadyEngine } from "./ready.ts";
import { memoryOf } from "./session-memory.ts";

/** Returns what could not be recorded, in a person's words. */
export async function recordUnknown(host: Host, native: Native, engine: ReadyEngine): Promise<string[]> {
  const unknown = unknownOf(host, native);
  if (!unknown) return [];
  const { session_id: id } = native.payload;
  const session = native.events[0]?.session ?? (typeof id === "string" ? id : "");
  const memory = memoryOf({ host: host.id, session }, engine);
  if (memory.knows(unknown.message)) return [];
  memory.learn([unknown.message]);
  const record = {
    timestamp: native.events[0]?.at ?? new Date().toISOString(),
    host: host.id,
    session,
    event_name: native.events[0]?.name ?? "load",
    is_error: false,
    hook: null,
    ...unknown,
  };
  return recorder(engine)("notices", [record]);
}

function unknownOf(host: Host, { event, unknownTool, unknownEvent, namelessTool }: Native) {
  if (namelessTool !== undefined) {
    return {
      code: "unknown-server",
      message: `${host.title} did not say whose tool ${namelessTool} is: rules for an MCP server (mcp:server/tool) did not look at it`,
    };
  }
  if (unknownTool !== undefined) {
    return {
      code: "unknown-tool",
      message: `${host.title} used a tool this version does not know: ${unknownTool}; it was judged as kind "other"`,
    };
  }
  if (unknownEvent === undefined) return undefined;
  return {
    code: "unknown-event",
    message: `${host.title} sent an event this version does not know: ${event}; it was passed`,
  };
}
