/** Lint tick: the base is looked over every so many sessions, in the background. Sessions are counted, not turns. */
import { existsSync } from "node:fs";
import { NO_OPINION } from "../../core/verdict.ts";
import { countSession } from "../attention/lint-state.ts";
import { ownFolder } from "../background/private-file.ts";
import { knowledgePlaces } from "../places.ts";
import type { Role } from "../role.ts";
import { knowledgeSettings } from "../settings.ts";
import { launchRole } from "./launch-role.ts";

export const lintTick: Role = async (event, { now }, setting) => {
  if (event.name !== "session_start" || event.agent !== null) return NO_OPINION;
  const places = knowledgePlaces(setting.root);
  // Nobody has written a node here: there is nothing to look over, and no folder to make.
  if (!existsSync(places.nodesDir)) return NO_OPINION;
  ownFolder(places.stateDir);
  const { lintEvery } = knowledgeSettings(setting.section);
  const isTurn = await countSession(places, `${event.host}:${event.session}`, lintEvery, setting.takeLock);
  return isTurn ? launchRole("lint", event, setting, now) : NO_OPINION;
};
