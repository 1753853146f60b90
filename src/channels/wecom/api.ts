/** The calls of WeCom's API that we make. Its token travels in the query, so no message of ours names the query. */
import type { JsonObject } from "../../core/json.ts";
import { ChannelFailure, type KnownProblem } from "../failure.ts";
import type { Http } from "../http.ts";
import { asText, objectIn } from "../json-text.ts";
import { keptToken } from "../token.ts";

export type WecomApi = (path: string, body: JsonObject) => Promise<JsonObject>;

const EXPIRED_TOKEN = new Set([40014, 42001]);

const KNOWN: Readonly<Record<number, KnownProblem>> = {
  [-1]: { isPassing: true, hint: "WeCom is busy; it is tried again." },
  40001: { hint: "Check secret." },
  40013: { hint: "Check corp_id." },
  40056: { hint: "Check agent_id." },
  45009: { isPassing: true, hint: "WeCom limits how often it can be called; it is tried again." },
  60011: { hint: "Make the receivers visible to the app." },
  60020: { hint: "Add this server's address to the app's trusted addresses." },
  81013: { hint: "Check `to`: nobody there can see the app." },
  82001: { hint: "Check `to`: nobody there can see the app." },
};

export function wecomApi(http: Http, baseUrl: string, corpId: string, secret: string): WecomApi {
  const token = keptToken(async () => {
    const url = new URL("/cgi-bin/gettoken", baseUrl);
    url.searchParams.set("corpid", corpId);
    url.searchParams.set("corpsecret", secret);
    const answer = read(await http({ method: "GET", url }));
    return { token: asText(answer.access_token), lifetimeMs: Number(answer.expires_in ?? 0) * 1000 };
  });
  return async (path, body) => {
    for (let attempt = 1; ; attempt++) {
      const access = await token.get();
      const url = new URL(path, baseUrl);
      url.searchParams.set("access_token", access);
      const answer = await http({ method: "POST", url, body: JSON.stringify(body) });
      if (attempt === 1 && EXPIRED_TOKEN.has(codeIn(answer.body))) {
        token.forget(access);
        continue;
      }
      return read(answer);
    }
  };
}

const codeIn = (body: string) => Number(objectIn(body)?.errcode ?? Number.NaN);

function read({ status, body }: { status: number; body: string }): JsonObject {
  const answer = objectIn(body);
  const code = codeIn(body);
  if (answer && code === 0 && status < 400) return answer;
  const known = KNOWN[code];
  const said = answer ? `errcode ${code}: ${asText(answer.errmsg).slice(0, 200)}` : `HTTP ${status} without JSON`;
  const isPassing = known?.isPassing ?? (status === 429 || status >= 500);
  throw new ChannelFailure("HF934", `WeCom refused the request with ${said}`, isPassing, known?.hint);
}
