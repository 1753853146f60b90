/** Everything that is wrong with the definitions people have, without making a run of any. */
import { HoldfastError } from "../../core/errors.ts";
import { type DefinitionKind, type DefinitionPlaces, listDefinitions } from "./definition-file.ts";
import { loadAgent, loadAssignment, loadTask } from "./load.ts";

const LOADERS: Readonly<Record<DefinitionKind, (file: string, places: DefinitionPlaces) => unknown>> = {
  assignments: loadAssignment,
  agents: loadAgent,
  tasks: loadTask,
};

/** The first error of each; a variable that is not set here may be set where the run is made. */
export function definitionErrors(places: DefinitionPlaces): HoldfastError[] {
  return (Object.keys(LOADERS) as DefinitionKind[]).flatMap((kind) =>
    listDefinitions(kind, places.dirs).flatMap(({ file }) => {
      try {
        LOADERS[kind](file, places);
        return [];
      } catch (error) {
        if (!(error instanceof HoldfastError)) throw error;
        return error.code === "HF1012" ? [] : [error];
      }
    }),
  );
}
