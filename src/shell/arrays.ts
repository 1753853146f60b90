/** Arrays: the values one by one under names of their own, and all of them together as `$@` has them. */
import type { Scope } from "./scope.ts";
import { elementOf } from "./words.ts";

const MAX_ELEMENTS = 64;

/** Items as they stand between the brackets: `value`, `[key]=value`. All that the array then holds. */
export function setElements({ variables }: Scope, name: string, items: readonly string[], isAdded: boolean): string {
  const before = isAdded ? variables.get(name) : undefined;
  const values = items.map((item, index) => {
    const [, key = String(index), value = item] = /^\[([^\]]*)\]=(.*)$/s.exec(item) ?? [];
    // Where an array had values before, nobody has counted them.
    if (index < MAX_ELEMENTS && (before === undefined || value !== item)) variables.set(elementOf(name, key), value);
    return value;
  });
  return [...(before ? [before] : []), ...values].join(" ");
}
