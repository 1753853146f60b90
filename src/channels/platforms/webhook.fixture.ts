import { createHmac, randomBytes } from "node:crypto";
import {
  failures,
  listening,
  type PlatformCallback,
  type ShownCard,
  type SimulatedPlatform,
  secondsOf,
} from "./platform.fixture.ts";

const SECRET = "a-webhook-secret-of-32-characters-or-more";

interface CardJson {
  readonly approval: string;
  readonly title: string;
  readonly isOpen: boolean;
  readonly call: { readonly text: string; readonly isCut: boolean };
}

/** A program of somebody's own that checks what it is sent. */
export async function simulatedWebhook(): Promise<SimulatedPlatform> {
  const cards = new Map<string, { card: CardJson; updates: number }>();
  const messages: string[] = [];
  const nonces = new Set<string>();
  const { failNext, failuresLeft, take } = failures();

  const server = await listening(({ headers, body }) => {
    const timestamp = String(headers["x-holdfast-timestamp"]);
    const nonce = String(headers["x-holdfast-nonce"]);
    if (headers["x-holdfast-signature"] !== signatureOf(timestamp, nonce, body, SECRET) || nonces.has(nonce))
      return { status: 401, body: "forged" };
    nonces.add(nonce);
    const failing = take();
    if (failing === "passing") return { status: 503, body: "later" };
    if (failing === "final") return { status: 410, body: "gone" };
    const { type, card, note, message } = JSON.parse(body);
    if (type === "approval.requested") cards.set(card.approval, { card, updates: 0 });
    else if (type === "approval.changed")
      cards.set(card.approval, { card, updates: (cards.get(card.approval)?.updates ?? 0) + 1 });
    else if (type === "note") messages.push([note.title, ...note.lines].join("\n"));
    else if (type === "test") messages.push(message);
    else return { status: 400, body: "unknown type" };
    return { body: "ok" };
  });

  const shown = ({ card, updates }: { card: CardJson; updates: number }): ShownCard => {
    const decisions = card.isOpen ? ["approve", "deny"] : [];
    const buttons = decisions.map((decision) => ({ approval: card.approval, decision }));
    return {
      text: JSON.stringify(card) + card.call.text,
      title: card.title,
      buttons,
      colour: null,
      updates,
      raw: card,
    };
  };
  const sent = (said: unknown, at: Date, isForged = false): PlatformCallback => {
    const body = JSON.stringify(said);
    const timestamp = secondsOf(at);
    const nonce = randomBytes(16).toString("hex");
    const signature = signatureOf(timestamp, nonce, body, isForged ? "a guess" : SECRET);
    const headers = { "X-Holdfast-Timestamp": timestamp, "X-Holdfast-Nonce": nonce, "X-Holdfast-Signature": signature };
    return { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, query: {}, body };
  };

  return {
    type: "webhook",
    isSigned: true,
    config: { url: `${server.url}/hook`, secret: SECRET },
    secrets: [SECRET],
    cards: () => [...cards.values()].map(shown),
    messages: () => messages,
    tokensFetched: () => 0,
    forgetTokens: () => {},
    failNext,
    failuresLeft,
    click: ({ approval, decision, user, at = new Date(), isForged }) =>
      sent({ approval, decision, user, reason: "as agreed" }, at, isForged),
    challenge: () => undefined,
    stranger: (at = new Date()) => sent({ hello: "world" }, at),
    identityOf: (user, channel) => `webhook:${channel}/${user}`,
    toastIn: ({ body }) => JSON.parse(body).message,
    close: server.close,
  };
}

const signatureOf = (timestamp: string, nonce: string, body: string, secret: string) =>
  `v1=${createHmac("sha256", secret).update(`${timestamp}.${nonce}.${body}`).digest("hex")}`;
