/** What forms are made of. */
import type { Viewer } from "./frame.ts";
import { type Content, html, type Markup } from "./markup.ts";

export const hidden = (name: string, value: string): Markup =>
  html`<input type="hidden" name="${name}" value="${value}">`;

/** One button that changes something. */
export const buttonForm = (
  viewer: Viewer,
  action: string,
  words: Content,
  fields: Readonly<Record<string, string>> = {},
  look = "",
): Markup =>
  html`<form method="post" action="${action}">${hidden("csrf", viewer.csrf)}${Object.entries(fields).map(([name, value]) => hidden(name, value))}<button${look !== "" && html` class="${look}"`}>${words}</button></form>`;

export interface Field {
  readonly id: string;
  readonly name: string;
  readonly label: Content;
  readonly value?: string;
  readonly hint?: Content;
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  readonly type?: "text" | "search" | "number" | "password";
}

export const textField = ({ id, name, label, value = "", hint, isRequired, maxLength, type = "text" }: Field): Markup =>
  html`<div class="field"><label for="${id}">${label}</label><input id="${id}" name="${name}" type="${type}" value="${value}" autocomplete="off"${isRequired && html` required`}${maxLength !== undefined && html` maxlength="${maxLength}"`}${hint !== undefined && html` aria-describedby="${id}-hint"`}>${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}</div>`;

/** Opens by itself; asks before it does what cannot be taken back. */
export const sure = (id: string, summary: Content, question: Content, form: Markup): Markup =>
  html`<details class="sure" id="${id}"><summary data-key="x">${summary}</summary><div class="sure-body"><p>${question}</p>${form}</div></details>`;
