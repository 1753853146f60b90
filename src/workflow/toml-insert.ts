import type { TomlTable } from "smol-toml";
import { isTable, renderToml } from "./toml-fields.ts";

/**
 * Adds what `wanted` has beyond `table` to the text `table` was read from, so that comments stay where they are.
 * Knows plain `[section]` headers only; the caller reads the result back and falls back where that was not enough.
 */
export function insertMissing(source: string, table: TomlTable, wanted: TomlTable): string | undefined {
  const lines = source.split("\n");
  const added: string[] = [];
  for (const [name, section] of Object.entries(wanted)) {
    const present = table[name];
    if (!isTable(section)) continue;
    const missing = Object.entries(section).filter(([key]) => !isTable(present) || !Object.hasOwn(present, key));
    if (missing.length === 0) continue;
    const rendered = renderToml(Object.fromEntries(missing))?.trimEnd().split("\n");
    if (!rendered) return undefined;
    const header = lines.findIndex((line) => line.replace(/#.*/, "").trim() === `[${name}]`);
    if (header === -1) added.push("", `[${name}]`, ...rendered);
    else lines.splice(header + 1, 0, ...rendered);
  }
  while (lines.at(-1)?.trim() === "") lines.pop();
  return added.length === 0 && lines.length === source.trimEnd().split("\n").length
    ? source
    : `${[...lines, ...added].join("\n")}\n`;
}
