/**
 * Cards of Slack, in Block Kit. Texts of others are plain_text or preformatted rich text, where nothing is read as markup,
 * mention or link; only the fallback text for notifications is markup, and escaped.
 */
import type { VoteKind } from "../../approvals/approval.ts";
import { type Card, shortened, shown } from "../../approvals/card.ts";
import type { Note } from "../../approvals/channel.ts";
import type { Json, JsonObject } from "../../core/json.ts";

/** Limits of the platform, less some room. */
const MAX_HEADER = 150;
const MAX_TEXT = 2_900;
const MAX_FIELD = 1_900;
const FIELDS_A_SECTION = 10;

export const ACTIONS: Readonly<Record<string, VoteKind>> = { holdfast_approve: "approve", holdfast_deny: "deny" };

export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly JsonObject[];
}

export function slackCard(card: Card): SlackMessage {
  const blocks = [
    header(card.title),
    ...text(card.why),
    { type: "section", fields: card.facts.slice(0, FIELDS_A_SECTION).map(field) },
    ...list("It would", card.effects),
    ...text("Arguments"),
    preformatted(shown(card.call, MAX_TEXT, card.link).text),
    ...list("So far", card.said),
    ...actions(card),
  ];
  return { text: escaped(shortened(`${card.title} (${card.approval})`, MAX_TEXT)), blocks };
}

export function slackNote({ title, lines, link }: Note): SlackMessage {
  const blocks = [header(title), ...lines.flatMap(text), ...(link === null ? [] : [openLink(link)])];
  return { text: escaped(shortened(title, MAX_TEXT)), blocks };
}

/** The three characters that begin markup, mentions and links in Slack. */
export const escaped = (words: string) =>
  words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const plain = (words: string, max: number): JsonObject => ({
  type: "plain_text",
  text: shortened(words, max),
  emoji: false,
});

const header = (words: string): JsonObject => ({ type: "header", text: plain(words, MAX_HEADER) });

/** An empty text is refused by the platform. */
const text = (words: string): JsonObject[] =>
  words.trim() === "" ? [] : [{ type: "section", text: plain(words, MAX_TEXT) }];

const field = ({ label, value }: { label: string; value: string }): Json => plain(`${label}: ${value}`, MAX_FIELD);

const list = (title: string, lines: readonly string[]): JsonObject[] =>
  lines.length === 0 ? [] : text([title, ...lines.map((line) => `- ${line}`)].join("\n"));

const preformatted = (words: string): JsonObject => ({
  type: "rich_text",
  elements: [{ type: "rich_text_preformatted", elements: [{ type: "text", text: words }] }],
});

function actions({ isOpen, approval, link }: Card): JsonObject[] {
  const decide = [
    button("holdfast_approve", "Approve", { value: approval, style: "primary" }),
    button("holdfast_deny", "Deny", { value: approval, style: "danger" }),
  ];
  const elements = [...(isOpen ? decide : []), ...(link === null ? [] : [open(link)])];
  return elements.length === 0 ? [] : [{ type: "actions", block_id: `holdfast_${approval}`, elements }];
}

const button = (action_id: string, words: string, rest: JsonObject): JsonObject => ({
  type: "button",
  action_id,
  text: plain(words, 75),
  ...rest,
});

const open = (url: string) => button("holdfast_open", "Open in the inbox", { url });

const openLink = (url: string): JsonObject => ({ type: "actions", elements: [open(url)] });
