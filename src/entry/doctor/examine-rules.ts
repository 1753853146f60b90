/** Holdfast itself: do the rules load, is what they run trusted, can anything be recorded. */
import { accessSync, constants } from "node:fs";
import { placesOf } from "../../config/places.ts";
import { readyEngine } from "../../engine/ready.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import type { CommandCall } from "../cli/command.ts";
import { near } from "../cli/output.ts";
import { type Finding, failure, good, warning } from "./finding.ts";

export async function examineRules({ cwd, env, distDir }: CommandCall): Promise<Finding[]> {
  const { plan, close } = await readyEngine(cwd, env, distDir);
  await close();
  const errors = plan.errors.map(({ message, place: { file } }) =>
    failure("rules", `${file ? `${near(file, cwd)}: ` : ""}${message}`, "holdfast check"),
  );
  const untrusted = plan.hooks.filter(({ trust }) => trust === "untrusted").map(({ name }) => name);
  return [
    ...(errors.length > 0 ? errors : [good("rules", `${plan.hooks.length} hooks apply here`)]),
    ...(untrusted.length > 0
      ? [warning("rules", `the project brings code that does not run yet: ${untrusted.join(", ")}`, "holdfast trust")]
      : []),
    stateFinding(env),
  ];
}

function stateFinding(env: CommandCall["env"]): Finding {
  const { stateDir } = placesOf(env);
  try {
    makeDirectory(stateDir, 0o700);
    accessSync(stateDir, constants.W_OK);
    return good("records", stateDir);
  } catch (error) {
    return failure(
      "records",
      `${stateDir} cannot be written: ${(error as Error).message}`,
      "make that directory yours",
    );
  }
}
