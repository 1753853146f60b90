/**
 * Cards of Feishu, schema 2.0. Every text of others is a plain_text element, which has no markup to break out of; names,
 * layout and colours are ours alone.
 */

import type { Status } from "../../approvals/approval.ts";
import { type Card, shortened, shown } from "../../approvals/card.ts";
import type { Note } from "../../approvals/channel.ts";
import type { Json, JsonObject } from "../../core/json.ts";

/** A card with all its markup must stay below the platform's 30 KB. */
const MAX_CARD_BYTES = 28_000;
const MAX_TITLE = 100;
const MAX_WHY = 2_000;
const MAX_FACT = 300;
const MAX_LIST = 1_500;
const MAX_CALL = 6_000;

const COLOURS: Readonly<Record<Status, string>> = {
  pending: "orange",
  approved: "green",
  used: "green",
  denied: "red",
  expired: "grey",
  withdrawn: "grey",
};

/** As much of the call as fits; characters outside ASCII take several bytes. */
export function feishuCard(card: Card): JsonObject {
  for (let limit = MAX_CALL; ; limit = Math.floor(limit / 2)) {
    const made = cardWith(card, limit);
    if (Buffer.byteLength(JSON.stringify(made)) <= MAX_CARD_BYTES || limit < 300) return made;
  }
}

function cardWith(card: Card, limit: number): JsonObject {
  const elements: Json[] = [
    plain(shortened(card.why, Math.min(MAX_WHY, limit))),
    ...rows(card.facts.map(({ label, value }) => `${label}: ${shortened(value, MAX_FACT)}`)),
    ...list("It would", card.effects, limit),
    plain("Arguments"),
    plain(shown(card.call, limit, card.link).text),
    ...list("So far", card.said, limit),
    ...(card.isOpen ? [buttons(card.approval)] : []),
    ...(card.link === null ? [] : [open(card.approval, card.link)]),
  ];
  return whole(card.title, COLOURS[card.status], elements);
}

export function feishuNote({ tone, title, lines, link }: Note): JsonObject {
  const colour = { good: "green", bad: "red", waiting: "orange" }[tone];
  const texts = lines.map((line) => plain(shortened(line, MAX_WHY)));
  return whole(title, colour, [...texts, ...(link === null ? [] : [open("note", link)])]);
}

const whole = (title: string, template: string, elements: readonly Json[]): JsonObject => ({
  schema: "2.0",
  config: { update_multi: true },
  header: { title: { tag: "plain_text", content: shortened(title, MAX_TITLE) }, template },
  body: { direction: "vertical", elements },
});

const plain = (content: string): JsonObject => ({ tag: "div", text: { tag: "plain_text", content } });

const rows = (lines: readonly string[]): Json[] => (lines.length === 0 ? [] : [plain(lines.join("\n"))]);

const list = (title: string, lines: readonly string[], limit: number): Json[] =>
  lines.length === 0
    ? []
    : [plain(shortened([title, ...lines.map((line) => `- ${line}`)].join("\n"), Math.min(MAX_LIST, limit)))];

function buttons(approval: string): JsonObject {
  return {
    tag: "column_set",
    columns: [
      column(button(approval, "approve", "Approve", "primary_filled")),
      column(button(approval, "deny", "Deny", "danger_filled")),
    ],
  };
}

const column = (element: Json): JsonObject => ({ tag: "column", width: "weighted", weight: 1, elements: [element] });

/** Without a name the platform answers clicks with error 200340. */
const button = (approval: string, decision: string, text: string, type: string): JsonObject => ({
  tag: "button",
  name: `btn_${decision}_${approval}`,
  type,
  text: { tag: "plain_text", content: text },
  behaviors: [{ type: "callback", value: { approval, decision } }],
});

const open = (approval: string, link: string): JsonObject => ({
  tag: "button",
  name: `btn_open_${approval}`,
  type: "default",
  text: { tag: "plain_text", content: "Open in the inbox" },
  behaviors: [{ type: "open_url", default_url: link }],
});
