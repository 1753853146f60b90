/** What stands around every page. */
import type { Person } from "../../../approvals/approval.ts";
import { assetPath } from "./assets.ts";
import { html, type Markup } from "./markup.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** Who reads the page. */
export interface Viewer {
  readonly person: Person;
  /** What the organisation is called. */
  readonly organisation: string;
  readonly isReadOnly: boolean;
  readonly csrf: string;
  /** Which of those pages there are that not every server has. */
  readonly sections: { readonly runs: boolean; readonly knowledge: boolean };
  /** How many requests wait, where the page knows. */
  readonly pending?: { readonly count: number; readonly hasMore: boolean };
}

export interface Frame {
  /** Null: nobody is signed in. */
  readonly viewer: Viewer | null;
  readonly theme: Theme;
  /** Countdowns go by the server's clock, not by the reader's. */
  readonly now: Date;
  /** The page that is shown, for the way back. */
  readonly path: string;
  /** The stream that says when the page is to be read again. */
  readonly liveFrom: string;
}

const SECTIONS = [
  ["/inbox", "Inbox"],
  ["/runs", "Runs"],
  ["/knowledge", "Knowledge"],
  ["/history", "History"],
  ["/health", "Health"],
  ["/people", "Team"],
] as const;

/** Pages that stand under another's name. */
const UNDER: Readonly<Record<string, string>> = { "/tokens": "/people", "/channels": "/people" };

export function page(frame: Frame, title: string, content: Markup): string {
  const { viewer, theme, now } = frame;
  const isLive = viewer !== null;
  return `${html`<!doctype html>
<html lang="en" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="same-origin">
<title>${title} · Holdfast</title>
<link rel="icon" href="${assetPath("icon.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${assetPath("pages.css")}">
<script type="module" src="${assetPath("pages.js")}"></script>
</head>
<body data-now="${now.toISOString()}"${isLive ? html` data-live-from="${frame.liveFrom}"` : ""}>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
  <a class="brand" href="/inbox">${MARK}<span>Holdfast</span></a>
  ${viewer && navigation(viewer, frame.path)}
  <div class="account">${viewer && account(viewer)}${themeForm(frame)}</div>
</header>
${viewer?.isReadOnly && READ_ONLY}
<p id="announce" class="sr" role="status"></p>
<main id="main" tabindex="-1">${content}</main>
${viewer && html`<footer class="foot"><span id="liveness" class="liveness">Updates when you reload</span><button type="button" class="plain" id="keys-button" hidden>Keyboard: press <kbd>?</kbd></button></footer>${KEYS}`}
</body>
</html>`}`;
}

const navigation = ({ pending, sections }: Viewer, path: string) =>
  html`<nav aria-label="Pages"><ul>${SECTIONS.filter(
    ([to]) => (to !== "/runs" || sections.runs) && (to !== "/knowledge" || sections.knowledge),
  ).map(
    ([to, name]) =>
      html`<li><a href="${to}"${isUnder(path, to) ? html` aria-current="page"` : ""}>${name}${
        to === "/inbox" && pending ? pendingCount(pending) : ""
      }</a></li>`,
  )}</ul></nav>`;

const isUnder = (path: string, section: string) => {
  const [, first = ""] = /^(\/[^/?]*)/.exec(path) ?? [];
  return (UNDER[first] ?? first) === section;
};

const pendingCount = ({ count, hasMore }: NonNullable<Viewer["pending"]>) =>
  html` <span id="pending-count" class="count" data-live${count === 0 ? html` hidden` : ""}>${count}${hasMore && "+"}<span class="sr"> pending</span></span>`;

const account = ({
  person,
  organisation,
  csrf,
}: Viewer) => html`<details class="menu"><summary><bdi>${person.name}</bdi><span class="organisation">${organisation}</span></summary>
  <div class="menu-body">
    <p class="quiet">Signed in as <bdi>${person.id}</bdi>${person.roles.length > 0 && html`, ${person.roles.join(", ")}`}</p>
    <form method="post" action="/sign-out"><input type="hidden" name="csrf" value="${csrf}"><button>Sign out</button></form>
  </div></details>`;

const themeForm = ({
  theme,
  path,
  viewer,
}: Frame) => html`<form class="theme" method="post" action="/theme" aria-label="Theme">
  <input type="hidden" name="from" value="${path}">${viewer && html`<input type="hidden" name="csrf" value="${viewer.csrf}">`}
  ${THEMES.map((name) => html`<button name="theme" value="${name}" title="${THEME_WORDS[name].title}" aria-pressed="${String(name === theme)}"><span aria-hidden="true">${THEME_WORDS[name].sign}</span><span class="sr">${THEME_WORDS[name].title}</span></button>`)}
</form>`;

const THEME_WORDS: Readonly<Record<Theme, { sign: string; title: string }>> = {
  system: { sign: "◐", title: "Colours as the device has them" },
  light: { sign: "☼", title: "Light colours" },
  dark: { sign: "☾", title: "Dark colours" },
};

const READ_ONLY = html`<p class="banner" role="note"><strong>Read-only.</strong> No tool that writes may run in this organisation, approved or not, until an admin ends it.</p>`;

const MARK = html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="M12 2v11m0 0c-4 0-6 2.5-6 8m6-8c4 0 6 2.5 6 8m-6-8v8M7 6.5h10" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round"/></svg>`;

const SHORTCUTS = [
  ["j", "next one"],
  ["k", "previous one"],
  ["o", "open it"],
  ["a", "go to Approve or Accept; Enter then does it"],
  ["d", "write why not, or go to Reject; Ctrl+Enter or Enter then does it"],
  ["/", "search"],
  ["?", "this list"],
] as const;

const KEYS = html`<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keyboard</h2>
  <dl>${SHORTCUTS.map(([key, does]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${does}</dd></div>`)}</dl>
  <label class="check"><input type="checkbox" id="keys-on" checked> Single keys are on</label>
  <form method="dialog"><button>Close</button></form></dialog>`;
