import { createCipheriv, createHash, randomBytes } from "node:crypto";
import {
  type ClickWish,
  failures,
  type Incoming,
  listening,
  objectsIn,
  type PlatformCallback,
  type Reply,
  type ShownCard,
  type SimulatedPlatform,
  secondsOf,
  textsIn,
} from "./platform.fixture.ts";

const SECRETS = {
  app_secret: "feishu-app-secret-value",
  encrypt_key: "feishu-encrypt-key",
  verification_token: "feishu-token",
};
export const FEISHU_CHAT = "oc_releases";
const MAX_CONTENT_BYTES = 30 * 1024;
const TAGS = new Set(["div", "plain_text", "markdown", "column_set", "column", "button", "hr"]);

export interface FeishuOptions {
  /** Which secrets the app has; both unless told. */
  readonly secrets?: readonly ("encrypt_key" | "verification_token")[];
  /** In which form it calls back. */
  readonly callbacks?: "new" | "legacy";
}

interface Message {
  readonly type: string;
  content: Record<string, unknown>;
  updates: number;
}

export async function simulatedFeishu(options: FeishuOptions = {}): Promise<SimulatedPlatform> {
  const { secrets = ["encrypt_key", "verification_token"], callbacks = "new" } = options;
  const messages = new Map<string, Message>();
  const uuids = new Map<string, string>();
  const tokens = new Set<string>();
  const { failNext, failuresLeft, take } = failures();
  let fetched = 0;

  const server = await listening((request) => {
    if (request.url.pathname === "/open-apis/auth/v3/tenant_access_token/internal") return token(request);
    const bearer = (request.headers.authorization ?? "").replace(/^Bearer /, "");
    if (!tokens.has(bearer)) return refuse(99991663, "Invalid access token");
    const failing = take();
    if (failing === "passing") return refuse(230020, "this operation triggers the frequency limit", 400);
    if (failing === "final") return refuse(230002, "Bot/User can NOT be out of the chat.", 400);
    if (request.method === "GET" && request.url.pathname === "/open-apis/im/v1/chats")
      return request.url.searchParams.get("page_token") === "2"
        ? { body: { code: 0, data: { has_more: false, items: [{ chat_id: FEISHU_CHAT, name: "Releases" }] } } }
        : { body: { code: 0, data: { has_more: true, page_token: "2", items: [{ chat_id: "oc_a", name: "A" }] } } };
    if (request.method === "POST" && request.url.pathname === "/open-apis/im/v1/messages") return post(request);
    const id = request.url.pathname.match(/^\/open-apis\/im\/v1\/messages\/(om_\w+)$/)?.[1];
    if (request.method === "PATCH" && id) return patch(id, JSON.parse(request.body));
    return refuse(99991500, "no such API", 404);
  });

  function token({ body }: Incoming): Reply {
    const { app_id, app_secret } = JSON.parse(body);
    if (app_id !== "cli_app" || app_secret !== SECRETS.app_secret) return refuse(10014, "app secret invalid");
    fetched++;
    const tenant_access_token = `t-${randomBytes(8).toString("hex")}`;
    tokens.add(tenant_access_token);
    return { body: { code: 0, msg: "ok", tenant_access_token, expire: 7200 } };
  }

  function post({ url, body }: Incoming): Reply {
    const { receive_id, msg_type, content, uuid, ...rest } = JSON.parse(body);
    if (url.searchParams.get("receive_id_type") !== "chat_id" || receive_id !== FEISHU_CHAT)
      return refuse(230001, "invalid receive_id", 400);
    if (typeof content !== "string" || Object.keys(rest).length > 0) return refuse(230001, "invalid request", 400);
    if (uuid !== undefined && (typeof uuid !== "string" || uuid.length > 50)) return refuse(230001, "uuid", 400);
    const problem = problemOf(msg_type, content);
    if (problem) return problem;
    const known = uuid && uuids.get(uuid);
    const message_id = known || `om_${randomBytes(8).toString("hex")}`;
    if (!known) messages.set(message_id, { type: msg_type, content: JSON.parse(content), updates: 0 });
    if (uuid) uuids.set(uuid, message_id);
    return { body: { code: 0, msg: "success", data: { message_id } } };
  }

  function patch(id: string, { content, ...rest }: Record<string, unknown>): Reply {
    const message = messages.get(id);
    if (!message || typeof content !== "string" || Object.keys(rest).length > 0) return refuse(230001, "invalid", 400);
    const problem = problemOf("interactive", content);
    if (problem) return problem;
    if (!(message.content.config as { update_multi?: boolean })?.update_multi) return refuse(230099, "not shared", 400);
    message.content = JSON.parse(content);
    message.updates++;
    return { body: { code: 0, msg: "success", data: {} } };
  }

  const shown = ({ content, updates }: Message): ShownCard => {
    const header = content.header as { title: { content: string }; template: string };
    const values = objectsIn(content)
      .filter(({ tag }) => tag === "button")
      .flatMap(({ behaviors }) => behaviors as { type: string; value: ShownCard["buttons"][number] }[])
      .filter(({ type }) => type === "callback")
      .map(({ value }) => value);
    const text = textsIn(objectsIn(content).filter(({ tag }) => tag === "plain_text"));
    return { text, title: header.title.content, buttons: values, colour: header.template, updates, raw: content };
  };

  return {
    type: "feishu",
    isSigned: secrets.includes("encrypt_key") || callbacks === "legacy",
    config: {
      app_id: "cli_app",
      app_secret: SECRETS.app_secret,
      chat_id: FEISHU_CHAT,
      base_url: server.url,
      ...Object.fromEntries(secrets.map((key) => [key, SECRETS[key]])),
    },
    secrets: [SECRETS.app_secret, ...secrets.map((key) => SECRETS[key])],
    cards: () => [...messages.values()].filter(isApproval).map(shown),
    messages: () =>
      [...messages.values()].filter((message) => !isApproval(message)).map(({ content }) => textsIn(content)),
    tokensFetched: () => fetched,
    forgetTokens: () => tokens.clear(),
    failNext,
    failuresLeft,
    click: (wish) => sent(callbacks === "new" ? newClick(wish, secrets) : legacyClick(wish), wish),
    challenge(at = new Date()) {
      const challenge = randomBytes(8).toString("hex");
      const body = { challenge, token: SECRETS.verification_token, type: "url_verification" };
      return { callback: sent(body, { at }), expected: JSON.stringify({ challenge }) };
    },
    stranger: (at = new Date()) =>
      sent(
        {
          schema: "2.0",
          header: header("im.message.receive_v1", at, secrets),
          event: { message: { message_id: "om_x" } },
        },
        { at },
      ),
    identityOf: (user) => `feishu:${user}`,
    toastIn: ({ body }) => JSON.parse(body).toast?.content ?? null,
    close: server.close,
  };

  function sent(payload: unknown, { at = new Date(), isForged }: Pick<ClickWish, "at" | "isForged">): PlatformCallback {
    const text = JSON.stringify(payload);
    const body = secrets.includes("encrypt_key")
      ? JSON.stringify({ encrypt: encrypted(text, SECRETS.encrypt_key) })
      : text;
    const timestamp = secondsOf(at);
    const nonce = randomBytes(8).toString("hex");
    const isLegacy = callbacks === "legacy" && !secrets.includes("encrypt_key");
    const key = isForged ? "a guess" : isLegacy ? SECRETS.verification_token : SECRETS.encrypt_key;
    const signature = createHash(isLegacy ? "sha1" : "sha256")
      .update(timestamp + nonce + key + body)
      .digest("hex");
    const signed = {
      "X-Lark-Request-Timestamp": timestamp,
      "X-Lark-Request-Nonce": nonce,
      "X-Lark-Signature": signature,
    };
    const hasSignature = secrets.includes("encrypt_key") || isLegacy;
    const headers = { "Content-Type": "application/json", ...(hasSignature ? signed : {}) };
    return { method: "POST", headers, query: {}, body };
  }
}

const isApproval = ({ type, content }: Message) =>
  type === "interactive" && JSON.stringify(content).includes("Request: A-");

const refuse = (code: number, msg: string, status = 200): Reply => ({ status, body: { code, msg } });

const header = (event_type: string, at: Date, secrets: readonly string[], isForged = false) => ({
  event_id: randomBytes(16).toString("hex"),
  token: secrets.includes("verification_token") ? (isForged ? "a guess" : SECRETS.verification_token) : "",
  create_time: `${at.getTime()}000`,
  event_type,
  tenant_key: "tenant",
  app_id: "cli_app",
});

const newClick = ({ approval, decision, user, at = new Date(), isForged }: ClickWish, secrets: readonly string[]) => ({
  schema: "2.0",
  header: header("card.action.trigger", at, secrets, isForged),
  event: {
    operator: { tenant_key: "tenant", open_id: user, union_id: "on_x" },
    token: "c-update-token",
    action: { value: { approval, decision }, tag: "button", name: `btn_${decision}_${approval}` },
    context: { open_message_id: "om_x", open_chat_id: FEISHU_CHAT },
  },
});

/** Its value may be text, and its words differ. */
const legacyClick = ({ approval, decision, user }: ClickWish) => ({
  open_id: user,
  user_id: "u",
  open_message_id: "om_x",
  tenant_key: "tenant",
  token: "c-update-token",
  action: {
    tag: "button",
    value: JSON.stringify({ approval, decision: decision === "approve" ? "Approved" : "reject" }),
  },
});

function encrypted(text: string, encryptKey: string): string {
  const iv = randomBytes(16);
  const cipher = createCipheriv("aes-256-cbc", createHash("sha256").update(encryptKey).digest(), iv);
  return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final()]).toString("base64");
}

function problemOf(type: unknown, content: string): Reply | undefined {
  if (Buffer.byteLength(content) > MAX_CONTENT_BYTES) return refuse(230025, "message content reaches its limit", 400);
  const card = JSON.parse(content);
  if (type === "text") return typeof card.text === "string" ? undefined : refuse(230001, "no text", 400);
  if (type !== "interactive" || card.schema !== "2.0" || !Array.isArray(card.body?.elements) || "elements" in card)
    return refuse(230099, "not a card of schema 2.0", 400);
  if (card.header?.title?.tag !== "plain_text") return refuse(230099, "header", 400);
  const parts = objectsIn(card.body.elements).filter(({ tag }) => tag !== undefined);
  const unknown = parts.find(({ tag }) => !TAGS.has(String(tag)));
  if (unknown) return refuse(230099, `unknown tag ${unknown.tag}`, 400);
  if (parts.some(({ tag, content: text }) => (tag === "plain_text" || tag === "markdown") && typeof text !== "string"))
    return refuse(230099, "text without content", 400);
  const buttons = parts.filter(({ tag }) => tag === "button");
  const names = new Set(buttons.map(({ name }) => name));
  if (names.has(undefined) || names.size !== buttons.length)
    return refuse(200340, "a button without a name of its own", 400);
  if (buttons.some(({ behaviors }) => !Array.isArray(behaviors) || behaviors.length === 0))
    return refuse(230099, "a button without behaviors", 400);
  return undefined;
}
