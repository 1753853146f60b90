/** Holdfast itself: do the rules load, is what they run trusted, can anything be recorded. */
import { accessSync, constants } from "node:fs";
import { placesOf } from "../../config/places.ts";
import { openPause, type Pause } from "../../engine/pause.ts";
import { readyEngine } from "../../engine/ready.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import type { CommandCall } from "../cli/command.ts";
import { near } from "../cli/output.ts";
import { examineApprovals } from "./examine-approvals.ts";
import { type Finding, failure, good, warning } from "./finding.ts";

export async function examineRules(call: CommandCall): Promise<Finding[]> {
  const { cwd, env, distDir } = call;
  const engine = await readyEngine(cwd, env, distDir);
  const { plan, places } = engine;
  await engine.close();
  const errors = plan.errors.map(({ message, place: { file } }) =>
    failure("rules", `${file ? `${near(file, cwd)}: ` : ""}${message}`, "holdfast check"),
  );
  const untrusted = plan.hooks.filter(({ trust }) => trust === "untrusted").map(({ name }) => name);
  return [
    ...(errors.length > 0 ? errors : [good("rules", `${plan.hooks.length} hooks apply here`)]),
    ...(untrusted.length > 0
      ? [warning("rules", `the project brings code that does not run yet: ${untrusted.join(", ")}`, "holdfast trust")]
      : []),
    ...pauseFindings(openPause(plan.root, places, new Date())),
    ...(await examineApprovals(engine, call)),
    stateFinding(env),
  ];
}

const pauseFindings = (pause: Pause | undefined): Finding[] =>
  pause
    ? [
        warning(
          "paused",
          `until ${new Date(pause.until).toLocaleString()} a person has switched the rules off: only managed ones are enforced`,
          "holdfast pause --end",
        ),
      ]
    : [];

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
