/** What an attempt printed, and what of it is left out. */
import type { AttemptOutput } from "../../runs/attempt-output.ts";
import { html, type Markup, visible } from "../markup.ts";

export function outputText({ id }: { readonly id: string }, attempt: number, { text, isCut }: AttemptOutput): Markup {
  const what = text === "" ? "Its last line is too long for this page." : "The beginning is left out.";
  return html`${isCut && html`<p class="cut">${what} <a href="/runs/${id}/attempts/${attempt}/output">Read all of it</a>.</p>`}
  ${text !== "" && html`<pre class="output" id="output-text" data-follow tabindex="0" role="region" aria-label="Output of attempt ${attempt}">${visible(text)}</pre>`}`;
}
