/** Pages for whoever is not signed in, and for what went wrong. */
import { type Frame, page } from "./frame.ts";
import { html, type Markup } from "./markup.ts";

const NEW_LINK = html`<p>For a new link run <code>holdfast serve link</code> where the server runs.</p>`;

export interface SignIn {
  /** Where signing in with the organisation's account begins, and whose account it is; null: there is none. */
  readonly team: { readonly path: string; readonly issuer: string } | null;
  readonly isSignedOut: boolean;
}

export const signInPage = (frame: Frame, { team, isSignedOut }: SignIn): string =>
  notice(
    frame,
    "Sign in",
    html`${isSignedOut && html`<p role="status">You are signed out. Requests go on waiting for people.</p>`}
    ${team && html`<p><a class="button approve" href="${team.path}">Sign in with ${team.issuer}</a></p>`}
    <p>${team ? "Or with a link:" : "With a link:"} it is printed where the server was started, and signs you in once.</p>${NEW_LINK}`,
  );

export const linkRefusedPage = (frame: Frame): string =>
  notice(
    frame,
    "This link does not sign in",
    html`<p>It was used already, is older than 10 minutes, or is not one of this server.</p>${NEW_LINK}`,
  );

export const organisationsPage = (frame: Frame, choices: readonly { name: string; path: string }[]): string =>
  notice(
    frame,
    "Which organisation?",
    html`<ul class="plain-list">${choices.map(({ name, path }) => html`<li><a class="button" href="${path}">${name}</a></li>`)}</ul>`,
  );

export const unknownPersonPage = (frame: Frame, { email, identity }: { email?: string; identity: string }): string =>
  notice(
    frame,
    "You are not known here",
    html`<p>You signed in${email === undefined ? "" : ` as ${email}`}, but no organisation here has you.</p>
    <p>Ask an admin to add you with this identity, then sign in again: <code>${identity}</code></p>`,
  );

export interface Failure {
  readonly code: string;
  /** What happened and why. */
  readonly message: string;
  /** What to do next. */
  readonly fix: string;
}

export const problemPage = (frame: Frame, { code, message, fix }: Failure): string =>
  notice(
    frame,
    "That did not work",
    html`<p><strong>${sentence(message)}</strong></p><p>${fix}</p><p class="quiet">${code} · <a href="/inbox">Back to the inbox</a></p>`,
  );

const sentence = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.?]$/.test(text) ? "" : "."}`;

const notice = (frame: Frame, title: string, content: Markup): string =>
  page(frame, title, html`<div class="notice"><h1>${title}</h1>${content}</div>`);
