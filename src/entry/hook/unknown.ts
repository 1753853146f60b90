/** Events and tools a host adapter does not know: passed, recorded, and shown to a person once. */
import type { Host, Native } from "../../hosts/host.ts";
import { appendRecords } from "../../records/journal.ts";
import { journalOf } from "../engine/journals.ts";
import type { ReadyEngine } from "../engine/ready.ts";
import { sessionMemory } from "../engine/session-memory.ts";

export function recordUnknown(host: Host, native: Native, { plan, places }: ReadyEngine): void {
  const unknown = native.unknownTool
    ? {
        code: "unknown-tool",
        message: `${host.title} used a tool this version does not know: ${native.unknownTool}; it was judged as kind "other"`,
      }
    : native.unknownEvent
      ? {
          code: "unknown-event",
          message: `${host.title} sent an event this version does not know: ${native.event}; it was passed`,
        }
      : undefined;
  if (!unknown) return;
  const session = typeof native.payload.session_id === "string" ? native.payload.session_id : "";
  const memory = sessionMemory({ host: host.id, session }, places);
  if (memory.knows(unknown.message)) return;
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
  appendRecords(journalOf("notices", plan, places), [record]);
}
