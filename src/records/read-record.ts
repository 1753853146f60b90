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
