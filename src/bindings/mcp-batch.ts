/** Batches, which revisions before 2025-06-18 know: each message of one is looked at by itself. */
import { isJsonObject } from "../core/json.ts";
import type { Message } from "./mcp-pending-answers.ts";

/** In order, of batches within batches too. Without following them on the stack: whoever sends one chooses its depth. */
export function* messagesIn(given: unknown, drop: (remark: string) => void): Generator<Message> {
  const rest: unknown[] = [given];
  while (rest.length > 0) {
    const next = rest.pop();
    if (Array.isArray(next)) for (const item of [...next].reverse()) rest.push(item);
    else if (isJsonObject(next)) yield next;
    else drop(`something that is no message (${next === null ? "null" : typeof next}) was dropped`);
  }
}
