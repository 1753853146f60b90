/** `holdfast list`: what runs can be made of: assignments, agents, task files, backends. */
import { join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { type DefinitionKind, listDefinitions } from "../../runs/assignment/definition-file.ts";
import { definitionPlaces } from "../run/definitions.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { withRuns } from "./open-runs.ts";
import { near, table } from "./output.ts";

const KINDS: readonly DefinitionKind[] = ["assignments", "agents", "tasks"];

export async function run(call: CommandCall): Promise<ExitCode> {
  const { output, words, env, cwd } = call;
  const [what = ""] = words;
  if (what === "backends") return backends(call);
  const kind = KINDS.find((known) => known === what);
  if (!kind) {
    const meant = nearest(what, [...KINDS, "backends"]);
    throw new HoldfastError("HF701", `nothing of the kind "${what}" can be listed`, {
      hint: meant
        ? `did you mean holdfast list ${meant}?`
        : `holdfast list ${KINDS.join(" | ")} | backends; runs: holdfast runs list`,
    });
  }
  const { dirs } = definitionPlaces(cwd, env);
  const found = listDefinitions(kind, dirs);
  if (output.json) output.data(found);
  else if (found.length === 0) {
    // The person's own directory is always the last; a project without any is told where its own would be.
    const searched = dirs.length > 1 ? dirs : [join(cwd, ".holdfast"), ...dirs];
    output.line(`no ${kind}; they are looked for in ${searched.map((dir) => near(join(dir, kind), cwd)).join(", ")}`);
  } else for (const line of table(found.map(({ name, file }) => [name, near(file, cwd)]))) output.line(line);
  return 0;
}

const backends = (call: CommandCall): Promise<ExitCode> =>
  withRuns(call, async (runs) => {
    const found = await Promise.all(
      runs.backends.ids().map(async (id) => ({ id, ...(await (await runs.backends.named(id)).probe(runs.env)) })),
    );
    if (call.output.json) call.output.data(found);
    else {
      const rows = found.map((each) => [each.id, each.ok ? each.version || "always there" : each.problem]);
      for (const line of table(rows)) call.output.line(line);
    }
    return 0;
  });
