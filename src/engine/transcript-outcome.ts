/** Whether a command failed, where a host says it only in its transcript. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { AgentEvent, EventOf } from "../core/event.ts";
import type { Host } from "../hosts/host.ts";

/** The event with what the transcript says; a command of which it says nothing counts for nothing. */
export function withOutcome(event: AgentEvent, host: Host): AgentEvent {
  if (event.name !== "post_tool_use" || event.tool.kind !== "shell" || !host.failedInTranscript) return event;
  const failed = failedByTranscript(event, host);
  return failed === undefined ? { ...event, outcomeUnknown: true } : { ...event, failed };
}

/** One line alone has been seen to have 78 KiB. */
const TAIL_BYTES = 1024 * 1024;

function failedByTranscript({ transcriptPath, tool }: EventOf<"post_tool_use">, host: Host): boolean | undefined {
  if (transcriptPath === null || tool.id === undefined) return undefined;
  try {
    return host.failedInTranscript?.(tailOf(transcriptPath), tool.id);
  } catch {
    // No transcript, or none that can be read: then nobody knows.
    return undefined;
  }
}

function tailOf(path: string): string {
  const descriptor = openSync(path, "r");
  try {
    const { size } = fstatSync(descriptor);
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const bytes = readSync(descriptor, buffer, 0, buffer.length, size - buffer.length);
    return buffer.subarray(0, bytes).toString("utf8");
  } finally {
    closeSync(descriptor);
  }
}
