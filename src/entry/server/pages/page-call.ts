/** What a page needs of the request it answers. */
import { PERSONAL } from "../../../approvals/approval.ts";
import type { ServerCall, ServerContext } from "../context.ts";
import { readCookie, writeCookie } from "../cookie.ts";
import { type Frame, page, THEMES, type Theme, type Viewer } from "./frame.ts";
import type { Markup } from "./markup.ts";

const THEME_COOKIE = "holdfast-theme";
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

const APPROVALS = "/api/events";

/** Around a page for whoever asks, signed in or not. */
export function frameOf(context: ServerContext, c: ServerCall, viewer: Viewer | null, liveFrom = APPROVALS): Frame {
  const cookie = readCookie(c, context.publicUrl, THEME_COOKIE);
  const { pathname, search } = new URL(c.req.url);
  return {
    viewer,
    theme: themeNamed(cookie) ?? "system",
    now: context.stores.now(),
    path: pathname + search,
    liveFrom,
  };
}

export const themeNamed = (name: string | undefined): Theme | undefined => THEMES.find((theme) => theme === name);

export const keepTheme = (context: ServerContext, c: ServerCall, theme: Theme): void =>
  writeCookie(c, context.publicUrl, THEME_COOKIE, theme, YEAR_MS);

/** Pages are for people with a browser: a token without a cookie has nothing to protect a form with. */
export async function viewerOf(context: ServerContext, c: ServerCall): Promise<Viewer> {
  const person = context.signedIn(c);
  const csrf = context.csrfToken(c);
  const { isReadOnly } = await context.stores.settings(person.organisation);
  const organisation = person.organisation === PERSONAL ? "Personal" : person.organisation;
  const sections = {
    runs: context.runs?.storeOf(person.organisation) !== undefined,
    knowledge: context.knowledge !== null,
  };
  return { person, organisation, isReadOnly, csrf, sections };
}

/** `liveFrom`: the stream that says when the page is to be read again; without it that of approvals. */
export function answerPage(
  context: ServerContext,
  c: ServerCall,
  viewer: Viewer,
  title: string,
  content: Markup,
  liveFrom?: string,
) {
  return c.html(page(frameOf(context, c, viewer, liveFrom), title, content));
}
