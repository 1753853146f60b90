/** `holdfast show`: a definition as it is read: everything checked, defaults filled in. */
import { HoldfastError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { loadAgent, loadAssignment, loadTask } from "../../runs/assignment/load.ts";
import { definitionPlaces } from "../run/definitions.ts";
import type { CommandCall, ExitCode } from "./command.ts";

const LOADERS = { assignment: loadAssignment, agent: loadAgent, task: loadTask } as const;

export async function run({ output, words, env, cwd }: CommandCall): Promise<ExitCode> {
  const [kind = "", name = ""] = words;
  if (!Object.hasOwn(LOADERS, kind)) {
    const meant = nearest(kind, Object.keys(LOADERS));
    throw new HoldfastError("HF701", `nothing of the kind "${kind}" can be shown`, {
      hint: meant
        ? `did you mean holdfast show ${meant} ${name}?`
        : `holdfast show ${Object.keys(LOADERS).join(" | ")} <name>; a run: holdfast status <id>`,
    });
  }
  const definition: Readonly<Record<string, unknown>> = {
    ...LOADERS[kind as keyof typeof LOADERS](name, definitionPlaces(cwd, env)),
  };
  if (output.json) output.data(definition);
  else {
    for (const [key, value] of Object.entries(definition)) {
      if (key !== "body") output.line(`${key}  ${typeof value === "string" ? value : JSON.stringify(value)}`);
    }
    if (typeof definition.body === "string" && definition.body.trim() !== "")
      output.line(`\n${definition.body.trim()}`);
  }
  return 0;
}
