import { createCipheriv, createHash, randomBytes } from "node:crypto";
import {
  failures,
  listening,
  type PlatformCallback,
  type Reply,
  type ShownCard,
  type SimulatedPlatform,
  secondsOf,
  textsIn,
} from "./platform.fixture.ts";

const CORP = "ww0123456789abcdef";
const AGENT = "1000002";
const SECRETS = {
  secret: "wecom-app-secret",
  token: "wecomCallbackToken",
  aes_key: "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG",
};
const RECEIVERS = "ann|bob";

interface Message {
  readonly type: string;
  content: Record<string, unknown>;
  updates: number;
}

export async function simulatedWecom(): Promise<SimulatedPlatform> {
  const messages: Message[] = [];
  const codes = new Map<string, Message>();
  const tasks = new Set<string>();
  const tokens = new Set<string>();
  const { failNext, failuresLeft, take } = failures();
  let fetched = 0;

  const server = await listening(({ method, url, body }) => {
    if (method === "GET" && url.pathname === "/cgi-bin/gettoken") {
      const { corpid, corpsecret } = Object.fromEntries(url.searchParams);
      if (corpid !== CORP) return refuse(40013, "invalid corpid");
      if (corpsecret !== SECRETS.secret) return refuse(40001, "invalid credential");
      fetched++;
      const access_token = randomBytes(8).toString("hex");
      tokens.add(access_token);
      return { body: { errcode: 0, errmsg: "ok", access_token, expires_in: 7200 } };
    }
    if (!tokens.has(url.searchParams.get("access_token") ?? "")) return refuse(40014, "invalid access_token");
    const failing = take();
    if (failing === "passing") return refuse(45009, "reach max api daily quota limit");
    if (failing === "final") return refuse(81013, "user & party & tag all invalid");
    if (method === "POST" && url.pathname === "/cgi-bin/message/send") return send(JSON.parse(body));
    if (method === "POST" && url.pathname === "/cgi-bin/message/update_template_card") return update(JSON.parse(body));
    return refuse(40035, "invalid parameter");
  });

  function send({ touser, agentid, msgtype, ...rest }: Record<string, unknown>): Reply {
    if (typeof touser !== "string" || touser === "") return refuse(40054, "no receiver");
    if (agentid !== Number(AGENT)) return refuse(40056, "invalid agentid");
    const content = rest[String(msgtype)] as Record<string, unknown> | undefined;
    if (msgtype === "text") {
      if (Buffer.byteLength(String(content?.content ?? "")) > 2048) return refuse(44004, "content size out of limit");
      messages.push({ type: "text", content: content ?? {}, updates: 0 });
      return { body: { errcode: 0, errmsg: "ok", msgid: randomBytes(6).toString("hex") } };
    }
    if (msgtype !== "template_card" || !content) return refuse(40008, "invalid message type");
    const problem = problemOf(content);
    if (problem) return refuse(42014, problem);
    const task = String(content.task_id);
    if (tasks.has(task)) return refuse(41063, "task_id is used");
    tasks.add(task);
    const message: Message = { type: "template_card", content, updates: 0 };
    messages.push(message);
    return { body: { errcode: 0, errmsg: "ok", msgid: "m", response_code: codeFor(message) } };
  }

  function update({ agentid, response_code, template_card, atall, userids }: Record<string, unknown>): Reply {
    const message = codes.get(String(response_code));
    if (agentid !== Number(AGENT)) return refuse(40056, "invalid agentid");
    if (!message) return refuse(42050, "response_code was used, or is unknown");
    if (atall !== 1 && !Array.isArray(userids)) return refuse(40054, "no receiver");
    const problem = problemOf(template_card as Record<string, unknown>);
    if (problem) return refuse(42014, problem);
    codes.delete(String(response_code));
    message.content = template_card as Record<string, unknown>;
    message.updates++;
    return { body: { errcode: 0, errmsg: "ok" } };
  }

  function codeFor(message: Message | undefined): string {
    const code = randomBytes(12).toString("hex");
    if (message) codes.set(code, message);
    return code;
  }

  const shown = ({ content, updates }: Message): ShownCard => {
    const buttons = ((content.button_list ?? []) as { key: string }[]).map(({ key }) => {
      const [decision = "", approval = ""] = key.split(":");
      return { approval, decision };
    });
    const title = (content.main_title as { title: string }).title;
    return { text: textsIn(content), title, buttons, colour: null, updates, raw: content };
  };

  const sent = (xml: string, at: Date, isForged = false): PlatformCallback => {
    const encrypt = encrypted(xml);
    const body = `<xml><ToUserName><![CDATA[${CORP}]]></ToUserName><Encrypt><![CDATA[${encrypt}]]></Encrypt><AgentID><![CDATA[${AGENT}]]></AgentID></xml>`;
    return { method: "POST", headers: { "Content-Type": "text/xml" }, query: signed(encrypt, at, isForged), body };
  };
  const event = (fields: Record<string, string>, at: Date) => {
    const all = { ToUserName: CORP, MsgType: "event", AgentID: AGENT, ...fields };
    const cdata = Object.entries(all).map(([name, value]) => `<${name}><![CDATA[${value}]]></${name}>`);
    return `<xml>${cdata.join("")}<CreateTime>${secondsOf(at)}</CreateTime></xml>`;
  };

  return {
    type: "wecom",
    isSigned: true,
    config: { corp_id: CORP, agent_id: AGENT, to: RECEIVERS, base_url: server.url, ...SECRETS },
    secrets: Object.values(SECRETS),
    cards: () => messages.filter(({ type }) => type === "template_card").map(shown),
    messages: () => messages.filter(({ type }) => type === "text").map(({ content }) => String(content.content)),
    tokensFetched: () => fetched,
    forgetTokens: () => tokens.clear(),
    failNext,
    failuresLeft,
    click({ approval, decision, user, at = new Date(), isForged }) {
      const ResponseCode = codeFor(messages.find(({ content }) => JSON.stringify(content).includes(approval)));
      const EventKey = `${decision}:${approval}`;
      const fields = {
        FromUserName: user,
        Event: "template_card_event",
        EventKey,
        ResponseCode,
        CardType: "button_interaction",
      };
      return sent(event({ ...fields, TaskId: `${approval}@x` }, at), at, isForged);
    },
    challenge(at = new Date()) {
      const expected = randomBytes(8).toString("hex");
      const echostr = encrypted(expected);
      return {
        callback: { method: "GET", headers: {}, query: { ...signed(echostr, at), echostr }, body: "" },
        expected,
      };
    },
    stranger: (at = new Date()) => sent(event({ FromUserName: "ann", Event: "enter_agent", EventKey: "" }, at), at),
    identityOf: (user) => `wecom:${CORP}/${user}`,
    toastIn: () => null,
    close: server.close,
  };
}

const refuse = (errcode: number, errmsg: string): Reply => ({ body: { errcode, errmsg } });

function signed(encrypt: string, at: Date, isForged = false) {
  const timestamp = secondsOf(at);
  const nonce = String(randomBytes(4).readUInt32BE());
  const token = isForged ? "a guess" : SECRETS.token;
  const msg_signature = createHash("sha1").update([token, timestamp, nonce, encrypt].sort().join("")).digest("hex");
  return { msg_signature, timestamp, nonce };
}

function encrypted(message: string, receiver = CORP): string {
  const key = Buffer.from(`${SECRETS.aes_key}=`, "base64");
  const text = Buffer.from(message);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  const plain = Buffer.concat([randomBytes(16), length, text, Buffer.from(receiver)]);
  const padding = 32 - (plain.length % 32);
  const cipher = createCipheriv("aes-256-cbc", key, key.subarray(0, 16)).setAutoPadding(false);
  return Buffer.concat([
    cipher.update(Buffer.concat([plain, Buffer.alloc(padding, padding)])),
    cipher.final(),
  ]).toString("base64");
}

interface TemplateCard {
  readonly card_type?: string;
  readonly main_title?: { readonly title?: string };
  readonly sub_title_text?: string;
  readonly task_id?: string;
  readonly card_action?: { readonly type?: number; readonly url?: string };
  readonly horizontal_content_list?: readonly { readonly keyname?: string; readonly value?: string }[];
  readonly button_list?: readonly { readonly text?: string; readonly key?: string; readonly style?: number }[];
}

function problemOf(card: TemplateCard): string | undefined {
  if (!card.main_title?.title && !card.sub_title_text) return "missing main_title.title";
  const rows = card.horizontal_content_list ?? [];
  if (rows.length > 6 || rows.some(({ keyname, value }) => !keyname || value === undefined))
    return "horizontal_content_list";
  if (card.card_action?.type === 1 && !card.card_action.url) return "card_action.url";
  if (card.card_type === "text_notice") return card.card_action ? undefined : "missing card_action";
  if (card.card_type !== "button_interaction") return "card_type";
  if (!/^[0-9a-zA-Z_\-@]{1,128}$/.test(card.task_id ?? "")) return "task_id";
  const buttons = card.button_list ?? [];
  if (buttons.length < 1 || buttons.length > 6) return "button_list";
  if (buttons.some(({ text, key }) => !text || text.length > 10 || !key || key.length > 1024)) return "button";
  return undefined;
}
