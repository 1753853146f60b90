/**
 * Hooks may do with their event what they like; the next one has a copy of its own. Where in it there are objects is
 * found once: to look through every part again for each of many hooks takes longer than to copy it.
 */
export function copierOf<T>(value: T): () => T {
  if (!isParted(value)) return () => value;
  return (Array.isArray(value) ? listCopier(value) : objectCopier(value)) as () => T;
}

function listCopier(list: readonly unknown[]): () => unknown[] {
  if (!list.some(isParted)) return () => list.slice();
  const copiers = list.map(copierOf);
  return () => copiers.map((copy) => copy());
}

function objectCopier(object: object): () => object {
  const parts = Object.entries(object).flatMap(([key, part]) =>
    isParted(part) ? [{ key, copy: copierOf(part) }] : [],
  );
  if (parts.length === 0) return () => ({ ...object });
  return () => {
    const whole: Record<string, unknown> = { ...object };
    for (const { key, copy } of parts) whole[key] = copy();
    return whole;
  };
}

const isParted = (value: unknown): value is object => typeof value === "object" && value !== null;
