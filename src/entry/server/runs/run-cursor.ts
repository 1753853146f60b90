/** Where a page of runs ended, as a text for links. */
import type { RunSummary } from "../../../runs/store.ts";
import { unusable } from "../problem.ts";

type Place = Pick<RunSummary, "createdAt" | "id">;

export const encodeRunCursor = ({ createdAt, id }: Place): string =>
  Buffer.from(JSON.stringify([createdAt, id])).toString("base64url");

export function decodeRunCursor(cursor: string): Place {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (Array.isArray(parts) && parts.length === 2) {
      const [createdAt, id] = parts as unknown[];
      if (typeof createdAt === "string" && typeof id === "string") return { createdAt, id };
    }
  } catch {
    // Said below, with whatever else is no cursor.
  }
  throw unusable("the cursor is not one that a list of runs gave out", "Begin again at the first page.");
}
