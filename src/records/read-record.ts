/** A line as it was read: whatever JSON object it holds. */
export type ReadRecord = Readonly<Record<string, unknown>>;

export function parseRecord(text: string): ReadRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as ReadRecord) : undefined;
  } catch {
    return undefined;
  }
}

/** The record, if reading its line gives just that, and nobody can change it meanwhile; undefined: only reading tells. */
export function asRead(record: object): ReadRecord | undefined {
  if ("seq" in record || "prev" in record || "hash" in record) return undefined;
  for (const key in record) {
    const value = (record as ReadRecord)[key];
    if (typeof value !== "string" && !isAsRead(value)) return undefined;
  }
  // A copy: what was written may still be somebody's.
  return { ...record } as ReadRecord;
}

function isAsRead(value: unknown): boolean {
  switch (typeof value) {
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    default:
      return value === null || (Array.isArray(value) && Object.isFrozen(value) && value.every(isText));
  }
}

const isText = (value: unknown) => typeof value === "string";
