/** The call, whole: what it would do, its command or diff, and every argument. What does not fit says so and where it is. */
import type { Approval, AskedCall } from "../../../approvals/approval.ts";
import type { Json } from "../../../core/json.ts";
import { commandOf } from "./call-summary.ts";
import { changesOf, diffView } from "./edit-diff.ts";
import { html, type Markup, visible } from "./markup.ts";
import { highlightedCommand } from "./shell-highlight.ts";

/** A page with more text than this no longer helps anybody: the rest is a link away, and the page says so. */
export const MAX_PAGE_CHARACTERS = 300_000;
const MAX_HIGHLIGHTED_CHARACTERS = 20_000;

export const rawCallPath = (id: string) => `/approvals/${encodeURIComponent(id)}/call.json`;

/** Whether the page shows all of it. */
export const isCut = ({ input }: AskedCall): boolean => sizeOf(input) > MAX_PAGE_CHARACTERS;

export function effectsView({ effects }: AskedCall): Markup {
  if (effects.length === 0) return html``;
  return html`<div class="effects">
    <p class="effects-title">What it would do</p>
    <ul>${effects.map((effect) => html`<li>${visible(effect)}</li>`)}</ul>
  </div>`;
}

export function callView(approval: Pick<Approval, "id" | "call">): Markup {
  const { id, call } = approval;
  if (isCut(call)) return html`${cutNotice(id, call)}${argumentsView(approval, MAX_PAGE_CHARACTERS)}`;
  const command = call.kind === "shell" ? commandOf(call.input) : undefined;
  const changes = changesOf(call);
  return html`${command === undefined ? "" : commandView(command)}${changes.map(diffView)}
    ${
      command === undefined && changes.length === 0
        ? argumentsView(approval)
        : html`<details class="more"><summary>Every argument</summary>${argumentsView(approval)}</details>`
    }`;
}

export const commandView = (command: string): Markup =>
  html`<pre class="command"><code>${
    command.length > MAX_HIGHLIGHTED_CHARACTERS ? visible(command) : highlightedCommand(command)
  }</code></pre>`;

const cutNotice = (
  id: string,
  { input }: AskedCall,
) => html`<p class="cut" role="note"><strong>Not all of this call is shown.</strong>
  It has ${sizeOf(input).toLocaleString("en-GB")} characters; what is left out below is marked.
  <a href="${rawCallPath(id)}">Read the whole call</a> before you decide.</p>`;

function argumentsView({ id, call }: Pick<Approval, "id" | "call">, maxCharacters = Number.POSITIVE_INFINITY): Markup {
  const entries = Object.entries(call.input);
  if (entries.length === 0) return html`<p class="quiet">The call has no arguments.</p>`;
  const share = Math.floor(maxCharacters / entries.length);
  return html`<dl class="arguments">${entries.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${argumentView(id, value, share)}</dd></div>`,
  )}</dl>`;
}

function argumentView(id: string, value: Json, maxCharacters: number): Markup {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  if (text.length <= maxCharacters) return textView(text);
  const leftOut = text.length - maxCharacters;
  return html`${textView(text.slice(0, maxCharacters))}
    <p class="cut">Cut here: ${leftOut.toLocaleString("en-GB")} more characters. <a href="${rawCallPath(id)}">Read the whole call</a>.</p>`;
}

const textView = (text: string) =>
  text === ""
    ? html`<span class="quiet">(empty)</span>`
    : text.includes("\n") || text.length > 80
      ? html`<pre>${visible(text)}</pre>`
      : html`<code>${visible(text)}</code>`;

function sizeOf(value: Json): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  return Object.entries(value).reduce((sum, [key, part]) => sum + key.length + sizeOf(part as Json), 0);
}
