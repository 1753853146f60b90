/** Pages for whoever is not signed in, and for what went wrong. */
import { type Frame, page } from "./frame.ts";
import { html, type Markup } from "./markup.ts";

export interface SignIn {
  /** Where signing in with the organisation's account begins; null: there is none. */
  readonly oidcPath: string | null;
  /** Where a token from the terminal is posted. */
  readonly tokenPath: string;
  /** Why the last attempt failed; null: there was none. */
  readonly problem: string | null;
}

export const signInPage = (frame: Frame, { oidcPath, tokenPath, problem }: SignIn): string =>
  notice(
    frame,
    "Sign in",
    html`${problem !== null && html`<p class="problem" role="alert">${problem}</p>`}
    ${oidcPath !== null && html`<p><a class="button approve" href="${oidcPath}">Sign in with your organisation's account</a></p>`}
    <p>On the machine where the server runs, <code>holdfast serve link</code> prints a link that signs you in once. Open it, or paste its token here.</p>
    <form method="post" action="${tokenPath}"><label for="token">One-time token</label><input id="token" name="token" autocomplete="off" spellcheck="false" required><button>Sign in</button></form>`,
  );

/** Opening a link changes nothing: programs that preview links would use it up. */
export const confirmSignInPage = (frame: Frame, { token, path }: { token: string; path: string }): string =>
  notice(
    frame,
    "Sign in",
    html`<p>This link signs you in on this device, once.</p>
    <form method="post" action="${path}"><input type="hidden" name="token" value="${token}"><button class="approve">Sign in</button></form>`,
  );

export const linkExpiredPage = (frame: Frame): string =>
  notice(
    frame,
    "This link no longer works",
    html`<p>A sign-in link works once and for a short time. This one was used already, or is too old.</p><p>Make a new one where the server runs, and open that.</p>`,
  );

export const unknownPersonPage = (frame: Frame, identity: string): string =>
  notice(
    frame,
    "You are not known here",
    html`<p>You signed in as <code>${identity}</code>, but nobody here is known by it.</p><p>Ask an admin of your organisation to add you, then sign in again.</p>`,
  );

export const signedOutPage = (frame: Frame): string =>
  notice(
    frame,
    "You are signed out",
    html`<p>Requests go on waiting for people. <a href="/sign-in">Sign in again</a></p>`,
  );

export interface Problem {
  readonly title: string;
  /** What happened and why. */
  readonly detail: string;
  /** What to do next. */
  readonly next: string;
}

export const problemPage = (frame: Frame, { title, detail, next }: Problem): string =>
  notice(
    frame,
    title,
    html`<p>${detail}</p><p>${next}</p>${frame.viewer && html`<p><a href="/inbox">Back to the inbox</a></p>`}`,
  );

const notice = (frame: Frame, title: string, content: Markup): string =>
  page(frame, title, html`<div class="notice"><h1>${title}</h1>${content}</div>`);
