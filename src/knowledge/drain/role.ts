/** Drain: proposals of the logs that wait, made in the background by the host a person uses. Off until switched on. */
import { NO_OPINION } from "../../core/verdict.ts";
import { knowledgePlaces } from "../places.ts";
import type { Role } from "../role.ts";
import { knowledgeSettings } from "../settings.ts";
import { launchRole } from "./launch-role.ts";
import { mayHavePending } from "./pending.ts";

export const drain: Role = async (event, { now }, setting) => {
  if (event.name !== "session_start" || event.source === "compact" || event.agent !== null) return NO_OPINION;
  if (!knowledgeSettings(setting.section).drain.enabled) return NO_OPINION;
  return mayHavePending(knowledgePlaces(setting.root), now) ? launchRole("drain", event, setting, now) : NO_OPINION;
};
