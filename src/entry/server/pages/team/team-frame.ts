/** What the pages about the organisation have in common. */
import { ADMIN } from "../../../../approvals/approval.ts";
import type { Viewer } from "../frame.ts";
import { html, type Markup } from "../markup.ts";

const TABS = [
  ["/people", "People"],
  ["/tokens", "Tokens"],
  ["/channels", "Channels"],
] as const;

export const isAdmin = ({ person }: Viewer): boolean => person.roles.includes(ADMIN);

export const teamPage = (current: string, said: Markup | null, content: Markup): Markup =>
  html`<div class="headline"><h1>${TABS.find(([path]) => path === current)?.[1]}</h1>
    <nav class="ranges" aria-label="Team"><ul>${TABS.map(
      ([path, name]) =>
        html`<li><a href="${path}"${path === current ? html` aria-current="true"` : ""}>${name}</a></li>`,
    )}</ul></nav></div>
  <div id="said">${said}</div>
  <div class="team">${content}</div>`;
