/** Lint tick: the base is looked over every so many sessions, in the background. Sessions are counted, not turns. */
import { NO_OPINION } from "../../core/verdict.ts";
import { countSession } from "../attention/lint-state.ts";
import { knowledgePlaces } from "../places.ts";
import type { Role } from "../role.ts";
import { knowledgeSettings } from "../settings.ts";
import { launchRole } from "./launch-role.ts";

export const lintTick: Role = async (event, { now }, setting) => {
  if (event.name !== "session_start" || event.agent !== null) return NO_OPINION;
  const places = knowledgePlaces(setting.root);
  const { lintEvery } = knowledgeSettings(setting.section);
  const isTurn = await countSession(places, `${event.host}:${event.session}`, lintEvery, setting.takeLock);
  return isTurn ? launchRole("lint", event, setting, now) : NO_OPINION;
};
