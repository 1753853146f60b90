/** The projects of this machine: every one that was ever judged here left a plan, which names it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export function projectRoots({ stateDir }: { readonly stateDir: string }): Set<string> {
  const directory = join(stateDir, "plans");
  const roots = new Set<string>();
  for (const name of filesIn(directory)) {
    try {
      const { root } = JSON.parse(readFileSync(join(directory, name), "utf8")) as { root?: unknown };
      if (typeof root === "string") roots.add(root);
    } catch {
      // Being written, or of another version: the next look finds it.
    }
  }
  return roots;
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
}
