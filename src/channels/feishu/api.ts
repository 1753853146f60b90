/** The calls of Feishu's API that we make. */
import type { JsonObject } from "../../core/json.ts";
import { ChannelFailure, type KnownProblem } from "../failure.ts";
import type { Http } from "../http.ts";
import { asObject, asText, objectIn } from "../json-text.ts";
import { keptToken } from "../token.ts";

export interface FeishuApi {
  post(path: string, body: JsonObject): Promise<JsonObject>;
  patch(path: string, body: JsonObject): Promise<JsonObject>;
  get(path: string): Promise<JsonObject>;
}

const EXPIRED_TOKEN = new Set([99991661, 99991663, 99991664, 99991668, 99991671]);

const KNOWN: Readonly<Record<number, KnownProblem>> = {
  10003: { hint: "Check app_id and app_secret." },
  10014: { hint: "Check app_id and app_secret." },
  10015: { hint: "Check app_id and app_secret." },
  99991400: { isPassing: true, hint: "Feishu limits how often it can be called; it is tried again." },
  99991672: {
    hint: "Give the app the scopes im:message, im:message:send_as_bot and im:chat:readonly, and publish it.",
  },
  230001: { hint: "Check chat_id." },
  230002: { hint: "Add the app's bot to the chat." },
  230006: { hint: "Switch on the app's bot." },
  230020: { isPassing: true, hint: "The chat gets too many messages at once; it is tried again." },
};

export function feishuApi(http: Http, baseUrl: string, appId: string, appSecret: string): FeishuApi {
  const token = keptToken(async () => {
    const body = JSON.stringify({ app_id: appId, app_secret: appSecret });
    const url = new URL("/open-apis/auth/v3/tenant_access_token/internal", baseUrl);
    const answer = read(await http({ method: "POST", url, body }));
    return { token: asText(answer.tenant_access_token), lifetimeMs: Number(answer.expire ?? 0) * 1000 };
  });
  const call = async (method: "GET" | "POST" | "PATCH", path: string, body?: JsonObject) => {
    for (let attempt = 1; ; attempt++) {
      const bearer = await token.get();
      const answer = await http({
        method,
        url: new URL(path, baseUrl),
        headers: { authorization: `Bearer ${bearer}` },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      if (attempt === 1 && EXPIRED_TOKEN.has(codeIn(answer.body))) {
        token.forget(bearer);
        continue;
      }
      return asObject(read(answer).data);
    }
  };
  return {
    post: (path, body) => call("POST", path, body),
    patch: (path, body) => call("PATCH", path, body),
    get: (path) => call("GET", path),
  };
}

const codeIn = (body: string) => Number(objectIn(body)?.code ?? Number.NaN);

function read({ status, body }: { status: number; body: string }): JsonObject {
  const answer = objectIn(body);
  const code = codeIn(body);
  if (answer && code === 0 && status < 400) return answer;
  const known = KNOWN[code];
  const said = answer ? `code ${code}: ${asText(answer.msg).slice(0, 200)}` : `HTTP ${status} without JSON`;
  const isPassing = known?.isPassing ?? (status === 429 || status >= 500);
  throw new ChannelFailure("HF934", `Feishu refused the request with ${said}`, isPassing, known?.hint);
}
