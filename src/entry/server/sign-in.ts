/** Sign-in and sign-out of browsers. */
import { Hono } from "hono";
import type { Person } from "../../approvals/approval.ts";
import type { ServerCall, ServerContext, ServerEnv } from "./context.ts";
import { readCookie, removeCookie, SESSION_COOKIE, writeCookie } from "./cookie.ts";
import { BEGUN_LASTS_MS, type OidcSettings, teamSignIn } from "./oidc.ts";
import { page } from "./pages/frame.ts";
import { html } from "./pages/markup.ts";
import { frameOf } from "./pages/page-call.ts";
import { confirmSignInPage, linkExpiredPage, signInPage, unknownPersonPage } from "./pages/sign-in-page.ts";
import { readForm } from "./request-body.ts";
import { assertOwnOrigin } from "./security.ts";
import { endSession, type SessionTimes, startSession } from "./sessions.ts";
import { LINK_PATH, takeSignInLink } from "./sign-in-link.ts";

const ATTEMPTS = { times: 20, perMs: 60_000 };
const TEAM_COOKIE = "holdfast-sign-in";

export function signInRoutes(
  context: ServerContext,
  times: SessionTimes,
  oidc: OidcSettings | undefined,
): Hono<ServerEnv> {
  const { stores, publicUrl } = context;
  const team = oidc && teamSignIn(stores, publicUrl, oidc);
  const routes = new Hono<ServerEnv>();

  const frame = (c: ServerCall) => frameOf(context, c, null);
  const signInAt = (c: ServerCall, problem: string | null) => {
    const to = new URLSearchParams({ to: ownPath(c.req.query("to"), publicUrl) });
    return signInPage(frame(c), { oidcPath: oidc ? `/sign-in/team?${to}` : null, tokenPath: LINK_PATH, problem });
  };

  routes.get("/sign-in", (c) =>
    c.get("csrf") === undefined ? c.html(signInAt(c, null)) : c.redirect(ownPath(c.req.query("to"), publicUrl), 303),
  );

  // To look at a link uses nothing up: programs that preview links do that too.
  routes.get(LINK_PATH, (c) => {
    const token = c.req.query("token");
    return c.html(token === undefined ? signInAt(c, null) : confirmSignInPage(frame(c), { token, path: LINK_PATH }));
  });

  routes.post(LINK_PATH, async (c) => {
    await context.limit(c, "sign-in", ATTEMPTS);
    assertOwnOrigin(c, publicUrl);
    const { token = "" } = await readForm(c);
    const person = await takeSignInLink(stores, token.trim());
    if (!person) return c.html(linkExpiredPage(frame(c)), 401);
    await signIn(c, person);
    return c.redirect("/", 303);
  });

  routes.post("/sign-out", async (c) => {
    const secret = readCookie(c, publicUrl, SESSION_COOKIE);
    if (secret !== undefined) await endSession(stores, secret);
    removeCookie(c, publicUrl, SESSION_COOKIE);
    return c.redirect("/sign-in", 303);
  });

  if (!team) return routes;

  routes.get("/sign-in/team", async (c) => {
    await context.limit(c, "sign-in", ATTEMPTS);
    const { url, browser } = await team.begin(ownPath(c.req.query("to"), publicUrl), c.req.query("organisation"));
    writeCookie(c, publicUrl, TEAM_COOKIE, browser, BEGUN_LASTS_MS);
    return c.redirect(url, 303);
  });

  routes.get("/sign-in/team/callback", async (c) => {
    await context.limit(c, "sign-in", ATTEMPTS);
    const answer = await team.finish(new URL(c.req.url).searchParams, readCookie(c, publicUrl, TEAM_COOKIE));
    removeCookie(c, publicUrl, TEAM_COOKIE);
    if (answer.kind === "known") {
      await signIn(c, answer.person);
      return c.redirect(answer.returnTo, 303);
    }
    if (answer.kind === "unknown") return c.html(unknownPersonPage(frame(c), answer.identity), 403);
    const ways = answer.organisations.map((organisation) => {
      const query = new URLSearchParams({ to: answer.returnTo, organisation });
      return html`<p><a class="button" href="/sign-in/team?${query.toString()}">${organisation}</a></p>`;
    });
    return c.html(
      page(frame(c), "Which organisation?", html`<div class="notice"><h1>Which organisation?</h1>${ways}</div>`),
    );
  });

  return routes;

  async function signIn(c: ServerCall, person: Person): Promise<void> {
    const earlier = readCookie(c, publicUrl, SESSION_COOKIE);
    if (earlier !== undefined) await endSession(stores, earlier);
    writeCookie(c, publicUrl, SESSION_COOKIE, await startSession(stores, person, times), times.absoluteMs);
  }
}

/** Only a path on this server: a sign-in is never a way to somewhere else. */
export function ownPath(wanted: string | undefined, publicUrl: string): string {
  try {
    const url = new URL(wanted ?? "/", publicUrl);
    return url.origin === new URL(publicUrl).origin ? url.pathname + url.search : "/";
  } catch {
    return "/";
  }
}
