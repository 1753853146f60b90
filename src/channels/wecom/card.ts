/** Cards of WeCom: template cards, whose texts are plain but short. What does not fit is in the inbox. */
import { randomBytes } from "node:crypto";
import { type Card, shortened, shown } from "../../approvals/card.ts";
import type { Note } from "../../approvals/channel.ts";
import type { JsonObject } from "../../core/json.ts";

const MAX_TITLE = 36;
const MAX_WHY = 44;
const MAX_CALL = 512;
const MAX_LABEL = 10;
const MAX_VALUE = 30;
const FACTS_A_CARD = 6;
/** A text message, in bytes. */
const MAX_TEXT_BYTES = 2_000;

/** The facts people decide by; the others are in the inbox. */
const SHOWN_FACTS = ["Request", "Agent", "Acts for", "Directory", "Rule", "Until"];

export function wecomCard(card: Card): JsonObject {
  const facts = card.facts.filter(({ label }) => SHOWN_FACTS.includes(label)).slice(0, FACTS_A_CARD);
  return {
    card_type: "button_interaction",
    main_title: { title: shortened(card.title, MAX_TITLE), desc: shortened(card.why, MAX_WHY) },
    sub_title_text: shown(card.call, MAX_CALL, card.link).text,
    horizontal_content_list: facts.map(({ label, value }) => ({
      keyname: shortened(label, MAX_LABEL),
      value: shortened(value, MAX_VALUE),
    })),
    ...(card.link === null ? {} : { card_action: { type: 1, url: card.link } }),
    task_id: `${card.approval}@${randomBytes(8).toString("hex")}`,
    button_list: [
      { text: "Approve", style: 1, key: `approve:${card.approval}` },
      { text: "Deny", style: 2, key: `deny:${card.approval}` },
    ],
  };
}

/** A card that can no longer be decided: a notice in the place of the one with buttons. */
export function settledCard(card: Card): JsonObject {
  const said = card.said.join("\n");
  return {
    card_type: "text_notice",
    main_title: { title: shortened(card.title, MAX_TITLE), desc: card.approval },
    sub_title_text: shortened(said === "" ? card.title : said, MAX_CALL),
    card_action: { type: card.link === null ? 0 : 1, ...(card.link === null ? {} : { url: card.link }) },
  };
}

/** Text messages know one piece of markup, the link: without `<` there is none. */
export function wecomText(lines: readonly string[]): string {
  const text = lines.join("\n").replaceAll("<", "＜").replaceAll(">", "＞");
  let cut = text;
  while (Buffer.byteLength(cut) > MAX_TEXT_BYTES) cut = shortened(cut, Math.floor(cut.length * 0.9));
  return cut;
}

export const noteText = ({ title, lines, link }: Note) =>
  wecomText([title, ...lines, ...(link === null ? [] : [link])]);
