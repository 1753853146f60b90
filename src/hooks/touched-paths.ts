/** The files that rules with path globs are about: those a call names, and those its command would change. */
import type { ToolEvent } from "../core/event.ts";
import type { ToolCall } from "../core/tool.ts";
import type { Machine } from "./builtin.ts";

type Looks = Pick<Machine, "realPath" | "analyse">;

export function touchedPaths({ tool, cwd }: ToolEvent, machine: Looks): readonly string[] {
  const named = tool.paths.map((path) => machine.realPath(path, cwd));
  return [...named, ...changedBy(tool, cwd, machine)];
}

function changedBy(tool: ToolCall, cwd: string, machine: Looks): string[] {
  if (tool.kind !== "shell") return [];
  return machine.analyse(tool.command, cwd).effects.flatMap(({ effect }) => {
    switch (effect.type) {
      case "delete":
      case "overwrite":
      case "make":
      case "permissions":
        return effect.path.path ?? [];
      case "move":
        return [effect.from, effect.to].flatMap(({ path }) => path ?? []);
      default:
        return [];
    }
  });
}
