/** The knowledge of the project a person stands in, wired to the lock, the clock and the config. */
import { placesOf } from "../../config/places.ts";
import type { HoldfastError } from "../../core/errors.ts";
import { compileFresh } from "../../engine/fresh-compile.ts";
import { assertBase } from "../../knowledge/base/rebuild.ts";
import type { Curator } from "../../knowledge/curation/curate.ts";
import { knowledgePlaces } from "../../knowledge/places.ts";
import { type KnowledgeSettings, knowledgeSettings } from "../../knowledge/settings.ts";
import type { CommandCall } from "../cli/command.ts";
import { printError } from "../cli/output.ts";
import { baseLocks } from "./base-locks.ts";

export interface OpenKnowledge extends Curator {
  readonly settings: KnowledgeSettings;
  /** Whether the config switches it on here. */
  readonly isEnabled: boolean;
  readonly configErrors: readonly HoldfastError[];
}

// Several people's terminals and agents may come at once, and each holds the lock for milliseconds.
const WAIT_MS = 30_000;

/** Throws HF1101 where there is no base. */
export async function openKnowledge(call: CommandCall): Promise<OpenKnowledge> {
  const opened = await lookAtKnowledge(call);
  assertBase(opened.places);
  return opened;
}

export async function lookAtKnowledge({ cwd, env, distDir, output }: CommandCall): Promise<OpenKnowledge> {
  const { plan, errors } = await compileFresh({ cwd, env, places: placesOf(env), distDir });
  for (const error of errors.slice(0, 1)) printError(error, output, cwd);
  return {
    places: knowledgePlaces(plan.root),
    ...baseLocks(WAIT_MS),
    now: () => new Date(),
    settings: knowledgeSettings(plan.settings.knowledge),
    isEnabled: plan.settings.knowledge !== undefined,
    configErrors: errors,
  };
}
