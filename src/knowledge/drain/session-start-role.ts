/** Session start: the entry catalogue, and, once an hour, what of the base needs a person. */
import { basename } from "node:path";
import { NO_OPINION } from "../../core/verdict.ts";
import { entryCatalogue } from "../attention/catalogue.ts";
import { notifyDesktop } from "../attention/desktop.ts";
import { takesItsHour } from "../attention/hourly.ts";
import { needsAttention, type Signal } from "../attention/signals.ts";
import { messageOf } from "../background/private-file.ts";
import { knowledgePlaces } from "../places.ts";
import type { Role, RoleSetting } from "../role.ts";
import { knowledgeSettings } from "../settings.ts";

export const sessionStart: Role = async (event, { now }, setting) => {
  if (event.name !== "session_start" || event.agent !== null) return NO_OPINION;
  const catalogue = entryCatalogue(knowledgePlaces(setting.root));
  const context = catalogue === undefined ? [] : [catalogue];
  if (event.source === "compact") return { ...NO_OPINION, context };
  try {
    const signals = await toldNow(setting, now);
    return { ...NO_OPINION, context: [...context, ...(signals.length > 0 ? [attentionText(signals)] : [])] };
  } catch (error) {
    // What is known is told all the same.
    const message = `what the knowledge base needs cannot be said: ${messageOf(error)}`;
    return { ...NO_OPINION, context, effects: [notice(message)] };
  }
};

/** None where there are none, or where they were told within the hour. */
async function toldNow(setting: RoleSetting, now: Date): Promise<readonly Signal[]> {
  const places = knowledgePlaces(setting.root);
  const settings = knowledgeSettings(setting.section);
  const signals = await needsAttention(places, settings, now);
  if (signals.length === 0 || !(await takesItsHour(places, now, setting.takeLock))) return [];
  if (settings.notifications) {
    const title = `Knowledge of ${basename(setting.root)}`;
    notifyDesktop({ title, body: signals.map(({ issue, action }) => `${issue}: ${action}`).join("\n") }, setting.env);
  }
  return signals;
}

const notice = (message: string) => ({
  type: "notice" as const,
  notice: {
    event_name: "session_start" as const,
    message,
    is_error: true,
    code: "knowledge",
    hook: "knowledge-session-start",
  },
});

/** For the model to know, not to say: nobody's answers carry our messages. */
const attentionText = (signals: readonly Signal[]): string =>
  [
    "State of this project's knowledge base, for when the person asks about it; it is no part of any answer otherwise:",
    ...signals.map(({ issue, action }) => `- ${issue} (\`${action}\`)`),
  ].join("\n");
