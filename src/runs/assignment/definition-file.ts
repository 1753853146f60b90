/** Where definitions are: by name in the project's and the person's directories, or by path. */
import { readdirSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";

export type DefinitionKind = "assignments" | "agents" | "tasks";

export interface DefinitionPlaces {
  /** Each may hold assignments/, agents/, tasks/ and hooks/; the project's first. */
  readonly dirs: readonly string[];
  /** What `./` and `../` start from. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A folder of its own for each, but for tasks. */
const FILE_IN: Readonly<Record<DefinitionKind, string | null>> = {
  assignments: "assignment.md",
  agents: "agent.md",
  tasks: null,
};
const ONE: Readonly<Record<DefinitionKind, string>> = {
  assignments: "assignment",
  agents: "agent",
  tasks: "task file",
};

export const isPath = (reference: string) => isAbsolute(reference) || /^\.\.?\//.test(reference);

export function findDefinition(kind: DefinitionKind, reference: string, { dirs, cwd }: DefinitionPlaces): string {
  const candidates = isPath(reference)
    ? atPath(kind, resolve(cwd, reference))
    : dirs.map((dir) => named(kind, join(dir, kind), reference));
  const found = candidates.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
  if (found) return found;
  const names = isPath(reference) ? [] : listDefinitions(kind, dirs).map(({ name }) => name);
  const meant = nearest(reference, names);
  throw new HoldfastError(
    "HF1001",
    `there is no ${ONE[kind]} "${reference}" (looked for ${candidates.join(", ") || "nothing"})`,
    {
      hint: meant
        ? `did you mean ${meant}?`
        : `${names.length > 0 ? `there are ${names.join(", ")}` : "there are none"}; a path begins with ./ or /`,
    },
  );
}

/** Every definition that a name leads to, each name once. */
export function listDefinitions(kind: DefinitionKind, dirs: readonly string[]): { name: string; file: string }[] {
  const found = new Map<string, string>();
  for (const dir of dirs) {
    for (const entry of entriesOf(join(dir, kind))) {
      const name = FILE_IN[kind] === null ? entry.replace(/\.md$/, "") : entry;
      const file = named(kind, join(dir, kind), name);
      if (!found.has(name) && statSync(file, { throwIfNoEntry: false })?.isFile()) found.set(name, file);
    }
  }
  return [...found].map(([name, file]) => ({ name, file })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function named(kind: DefinitionKind, dir: string, name: string): string {
  if (name.split(/[\\/]/).some((part) => part === ".." || part === "")) {
    throw new HoldfastError("HF1001", `"${name}" is no name of ${kind}`, { hint: "a path begins with ./ or /" });
  }
  const inside = FILE_IN[kind];
  return inside === null ? join(dir, `${name}.md`) : join(dir, name, inside);
}

const atPath = (kind: DefinitionKind, path: string): string[] => {
  const inside = FILE_IN[kind];
  return inside === null ? [path, `${path}.md`] : [path, join(path, inside)];
};

function entriesOf(dir: string): string[] {
  return statSync(dir, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(dir) : [];
}
