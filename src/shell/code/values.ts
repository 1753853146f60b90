/** Values of expressions, put together. */
import { type Arg, UNKNOWN } from "../arg.ts";
import type { Value } from "./deeds.ts";

const MAX_TEXT = 200_000;

/** `node:fs/promises` is fs. */
export const moduleName = (name: string) => name.replace(/^node:/, "").replace(/\/promises$/, "");

/** Where text came from goes along with it. */
export const keptOf = (a: Value, b: Value): Value => ({
  ...((a.remote ?? b.remote) ? { remote: a.remote ?? b.remote ?? "" } : {}),
  ...((a.file ?? b.file) ? { file: (a.file ?? b.file) as Arg } : {}),
  ...(a.decoded || b.decoded ? { decoded: true } : {}),
  ...(a.environment || b.environment ? { environment: true } : {}),
});
export const carried = (values: readonly Value[]): Value =>
  values
    .flatMap((value) => [value, ...(value.items ?? []), ...(value.fields?.values() ?? [])])
    .reduce(keptOf, {} as Value);

export const joined = (a: Value, b: Value): Value => {
  if (a.items && b.items && a.items.length + b.items.length < 1_000) return { items: [...a.items, ...b.items] };
  const text = `${a.text ?? UNKNOWN}${b.text ?? UNKNOWN}`;
  return { ...keptOf(a, b), text: text.length > MAX_TEXT ? UNKNOWN : text, glob: a.glob === true || b.glob === true };
};
