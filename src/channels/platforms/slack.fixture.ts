import { createHmac, randomBytes } from "node:crypto";
import {
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

const BOT_TOKEN = "xoxb-the-bot-token";
const SIGNING_SECRET = "slack-signing-secret";
export const SLACK_CHANNEL = "C0RELEASES";

interface Message {
  text: string;
  blocks: Record<string, unknown>[];
  updates: number;
}

export async function simulatedSlack(): Promise<SimulatedPlatform> {
  const messages = new Map<string, Message>();
  const ephemeral: string[] = [];
  const replyUrls = new Map<string, string>();
  const { failNext, failuresLeft, take } = failures();
  let sequence = 0;

  const server = await listening((request) => {
    const { pathname } = request.url;
    if (pathname.startsWith("/actions/")) return respond(pathname, request.body);
    if (request.method !== "POST" || !pathname.startsWith("/api/")) return { status: 404, body: "not found" };
    if (request.headers.authorization !== `Bearer ${BOT_TOKEN}`) return refuse("invalid_auth");
    const failing = take();
    if (failing === "passing")
      return { status: 429, headers: { "retry-after": "1" }, body: { ok: false, error: "ratelimited" } };
    if (failing === "final") return refuse("not_in_channel");
    return METHODS[pathname.slice("/api/".length)]?.(request) ?? refuse("unknown_method");
  });

  const METHODS: Record<string, (request: Incoming) => Reply> = {
    "auth.test": () => ({ body: { ok: true, team: "Acme", user: "holdfast", team_id: "T1" } }),
    "conversations.list": ({ headers, body }) => {
      if (!headers["content-type"]?.startsWith(FORM)) return refuse("invalid_arguments");
      return new URLSearchParams(body).get("cursor") === "2"
        ? {
            body: {
              ok: true,
              channels: [{ id: SLACK_CHANNEL, name: "releases" }],
              response_metadata: { next_cursor: "" },
            },
          }
        : { body: { ok: true, channels: [{ id: "C0A", name: "a" }], response_metadata: { next_cursor: "2" } } };
    },
    "chat.postMessage": ({ body }) => {
      const { channel, text, blocks = [] } = JSON.parse(body);
      if (channel !== SLACK_CHANNEL) return refuse("channel_not_found");
      const problem = problemOf(text, blocks);
      if (problem) return refuse(problem);
      const ts = `1700000000.${String(++sequence).padStart(6, "0")}`;
      messages.set(ts, { text, blocks, updates: 0 });
      return { body: { ok: true, channel, ts } };
    },
    "chat.update": ({ body }) => {
      const { channel, ts, text, blocks } = JSON.parse(body);
      if (channel !== SLACK_CHANNEL || !messages.has(ts)) return refuse("message_not_found");
      const problem = problemOf(text, blocks);
      return problem ? refuse(problem) : replaced(ts, text, blocks);
    },
  };

  function replaced(ts: string, text: string, blocks: Message["blocks"]): Reply {
    const updates = (messages.get(ts)?.updates ?? 0) + 1;
    messages.set(ts, { text, blocks, updates });
    return { body: { ok: true, channel: SLACK_CHANNEL, ts } };
  }

  function respond(pathname: string, body: string): Reply {
    const ts = replyUrls.get(pathname);
    if (ts === undefined) return { status: 404, body: "expired_url" };
    const { replace_original, response_type, text, blocks = [] } = JSON.parse(body);
    const problem = problemOf(text, blocks);
    if (problem) return { status: 400, body: problem };
    if (replace_original) return replaced(ts, text, blocks);
    if (response_type === "ephemeral") ephemeral.push(unescaped(text));
    return { body: "ok" };
  }

  const shown = ({ blocks, updates }: Message): ShownCard => {
    const buttons = objectsIn(blocks)
      .filter(({ type, value }) => type === "button" && value !== undefined)
      .map(({ value, action_id }) => ({
        approval: String(value),
        decision: String(action_id).replace("holdfast_", ""),
      }));
    const texts = objectsIn(blocks).filter(({ type }) => type === "plain_text" || type === "text");
    const title = textsIn((blocks[0] as { text: { text: string } }).text.text);
    return { text: texts.map(({ text }) => text).join("\n"), title, buttons, colour: null, updates, raw: blocks };
  };
  const isApproval = ({ blocks }: Message) => JSON.stringify(blocks).includes("Request: A-");

  const signed = (body: string, at: Date, contentType: string, isForged = false): PlatformCallback => {
    const timestamp = secondsOf(at);
    const mac = createHmac("sha256", isForged ? "a guess" : SIGNING_SECRET)
      .update(`v0:${timestamp}:${body}`)
      .digest("hex");
    const headers = {
      "Content-Type": contentType,
      "X-Slack-Request-Timestamp": timestamp,
      "X-Slack-Signature": `v0=${mac}`,
    };
    return { method: "POST", headers, query: {}, body };
  };
  const interaction = (payload: unknown, at: Date, isForged?: boolean) =>
    signed(new URLSearchParams({ payload: JSON.stringify(payload) }).toString(), at, FORM, isForged);

  return {
    type: "slack",
    isSigned: true,
    config: {
      bot_token: BOT_TOKEN,
      signing_secret: SIGNING_SECRET,
      channel: SLACK_CHANNEL,
      team_id: "T1",
      base_url: server.url,
    },
    secrets: [BOT_TOKEN, SIGNING_SECRET],
    cards: () => [...messages.values()].filter(isApproval).map(shown),
    messages: () => [
      ...[...messages.values()].filter((message) => !isApproval(message)).map((message) => textsIn(message)),
      ...ephemeral,
    ],
    tokensFetched: () => 0,
    forgetTokens: () => {},
    failNext,
    failuresLeft,
    click({ approval, decision, user, at = new Date(), isForged }) {
      const path = `/actions/T1/${randomBytes(6).toString("hex")}`;
      const [ts] = [...messages].find(([, { blocks }]) => JSON.stringify(blocks).includes(approval)) ?? [""];
      replyUrls.set(path, ts);
      const payload = {
        type: "block_actions",
        user: { id: user, username: "somebody", team_id: "T1" },
        team: { id: "T1", domain: "acme" },
        trigger_id: randomBytes(8).toString("hex"),
        response_url: `${server.url}${path}`,
        container: { type: "message", message_ts: ts, channel_id: SLACK_CHANNEL },
        actions: [
          { type: "button", action_id: `holdfast_${decision}`, block_id: `holdfast_${approval}`, value: approval },
        ],
      };
      return interaction(payload, at, isForged);
    },
    challenge(at = new Date()) {
      const challenge = randomBytes(8).toString("hex");
      const body = JSON.stringify({ type: "url_verification", token: "old", challenge });
      return { callback: signed(body, at, "application/json"), expected: challenge };
    },
    stranger: (at = new Date()) =>
      interaction({ type: "view_submission", team: { id: "T1" }, user: { id: "U1" }, view: {} }, at),
    identityOf: (user) => `slack:${user}`,
    toastIn: () => null,
    close: server.close,
  };
}

const FORM = "application/x-www-form-urlencoded";
const refuse = (error: string): Reply => ({ body: { ok: false, error } });
const unescaped = (text: string) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** What Slack says about a message that breaks its limits. */
function problemOf(text: unknown, blocks: unknown): string | undefined {
  if (typeof text !== "string" || text === "") return "no_text";
  if (text.length > 40_000) return "msg_too_long";
  if (!Array.isArray(blocks) || blocks.length > 50) return "invalid_blocks";
  const ids = blocks.flatMap(({ block_id }) => (block_id === undefined ? [] : [block_id]));
  if (new Set(ids).size !== ids.length || ids.some((id) => id.length > 255)) return "invalid_blocks";
  return blocks.every(isBlock) ? undefined : "invalid_blocks";
}

type Part = Record<string, unknown>;

function isBlock(block: Part): boolean {
  switch (block.type) {
    case "header":
      return (block.text as Part)?.type === "plain_text" && isText(block.text as Part, 150);
    case "section":
      if (block.text !== undefined && !isText(block.text as Part, 3_000)) return false;
      if (block.fields === undefined) return block.text !== undefined;
      return (block.fields as Part[]).length <= 10 && (block.fields as Part[]).every((field) => isText(field, 2_000));
    case "rich_text":
      return objectsIn(block.elements).every(
        ({ type, text }) => type !== "text" || (typeof text === "string" && text.length > 0 && text.length <= 3_000),
      );
    case "actions":
      return isActions(block.elements as Part[]);
    default:
      return false;
  }
}

const isText = ({ type, text }: Part, max: number) =>
  (type === "plain_text" || type === "mrkdwn") && typeof text === "string" && text.length > 0 && text.length <= max;

function isActions(elements: readonly Part[]): boolean {
  const ids = elements.map(({ action_id }) => String(action_id));
  if (elements.length === 0 || elements.length > 25 || new Set(ids).size !== ids.length) return false;
  return elements.every(
    ({ type, text, action_id, value, url, style }) =>
      type === "button" &&
      isText(text as Part, 75) &&
      (text as Part).type === "plain_text" &&
      String(action_id).length <= 255 &&
      String(value ?? "").length <= 2_000 &&
      String(url ?? "").length <= 3_000 &&
      (style === undefined || style === "primary" || style === "danger"),
  );
}
