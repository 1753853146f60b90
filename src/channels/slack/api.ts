/** The calls of Slack's Web API that we make. */
import type { JsonObject } from "../../core/json.ts";
import { ChannelFailure, type KnownProblem } from "../failure.ts";
import type { Http } from "../http.ts";
import { asText, objectIn } from "../json-text.ts";

/** Most methods take JSON; those that list things take a form only. */
export type SlackApi = (method: string, body: JsonObject, form?: "form") => Promise<JsonObject>;

const KNOWN: Readonly<Record<string, KnownProblem>> = {
  invalid_auth: { hint: "Check bot_token." },
  not_authed: { hint: "Check bot_token." },
  token_revoked: { hint: "Install the app again and enter its new bot_token." },
  account_inactive: { hint: "Install the app again and enter its new bot_token." },
  missing_scope: { hint: "Give the app the scopes chat:write, channels:read and groups:read, and install it again." },
  channel_not_found: { hint: "Check the channel's id, and invite the app to it." },
  not_in_channel: { hint: "Invite the app to the channel." },
  is_archived: { hint: "Choose a channel that is not archived." },
  ratelimited: { isPassing: true, hint: "Slack limits how often it can be called; it is tried again." },
  internal_error: { isPassing: true, hint: "Slack has a problem of its own; it is tried again." },
  service_unavailable: { isPassing: true, hint: "Slack has a problem of its own; it is tried again." },
};

export function slackApi(http: Http, baseUrl: string, botToken: string): SlackApi {
  return async (method, body, form) => {
    const { status, body: answered } = await http({
      method: "POST",
      url: new URL(`/api/${method}`, baseUrl),
      headers: {
        authorization: `Bearer ${botToken}`,
        ...(form ? { "content-type": "application/x-www-form-urlencoded" } : {}),
      },
      body: form ? new URLSearchParams(textsOf(body)).toString() : JSON.stringify(body),
    });
    const answer = objectIn(answered);
    if (answer?.ok === true && status < 400) return answer;
    const error = asText(answer?.error) || `HTTP ${status}`;
    const known = Object.hasOwn(KNOWN, error) ? KNOWN[error] : undefined;
    const isPassing = known?.isPassing ?? (status === 429 || status >= 500);
    throw new ChannelFailure("HF934", `Slack refused ${method}: ${error.slice(0, 200)}`, isPassing, known?.hint);
  };
}

const textsOf = (body: JsonObject) =>
  Object.fromEntries(Object.entries(body).map(([key, value]) => [key, String(value)]));
