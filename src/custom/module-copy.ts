/**
 * Hooks may do with their event what they like; the next one has a copy of its own. Where in a small one there are objects
 * is found once: to look through every part again for each of many hooks takes longer than to copy it. In a large one
 * that would cost more than it spares.
 */
export function copierOf<T>(value: T): () => T {
  if (!isParted(value)) return () => value;
  return (smallCopier(value, { parts: MOST_PARTS }) as (() => T) | undefined) ?? (() => copyOf(value));
}

const MOST_PARTS = 16;

/** undefined: it has more parts than there is room for. */
function smallCopier(whole: Parted, room: { parts: number }): (() => Parted) | undefined {
  if (room.parts-- === 0) return undefined;
  const parts: { key: string; copy: () => Parted }[] = [];
  for (const key of Object.keys(whole)) {
    const part = whole[key];
    if (!isParted(part)) continue;
    const copy = smallCopier(part, room);
    if (!copy) return undefined;
    parts.push({ key, copy });
  }
  if (parts.length === 0) return () => shallow(whole);
  return () => {
    const copied = shallow(whole);
    for (const { key, copy } of parts) copied[key] = copy();
    return copied;
  };
}

/** One copy, of one who asks for no second. */
export function copyOf<T>(value: T): T {
  if (!isParted(value)) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  const copied: Parted = { ...value };
  for (const key in copied) {
    const part = copied[key];
    if (isParted(part)) copied[key] = copyOf(part);
  }
  return copied as T;
}

type Parted = { [key: string]: unknown };

const isParted = (value: unknown): value is Parted => typeof value === "object" && value !== null;

const shallow = (value: Parted): Parted => (Array.isArray(value) ? (value.slice() as unknown as Parted) : { ...value });
