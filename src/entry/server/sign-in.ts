/** Sign-in and sign-out of browsers. */
import { Hono } from "hono";
import type { Person } from "../../approvals/approval.ts";
import type { ServerCall, ServerContext, ServerEnv } from "./context.ts";
import { readCookie, removeCookie, SESSION_COOKIE, writeCookie } from "./cookie.ts";
import { BEGUN_LASTS_MS, type OidcSettings, teamSignIn } from "./oidc.ts";
import { ownPath } from "./own-path.ts";
import { frameOf } from "./pages/page-call.ts";
import { linkRefusedPage, organisationsPage, signInPage, unknownPersonPage } from "./pages/sign-in-page.ts";
import { endSession, type SessionTimes, startSession } from "./sessions.ts";
import { takeSignInLink } from "./sign-in-link.ts";

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

  routes.get("/sign-in", (c) => {
    const to = ownPath(c.req.query("to"), publicUrl);
    if (c.get("principal")) return c.redirect(to, 303);
    const path = `/sign-in/team?to=${encodeURIComponent(to)}`;
    const team = oidc ? { path, issuer: new URL(oidc.issuer).host } : null;
    return c.html(
      signInPage(frameOf(context, c, null), { team, isSignedOut: c.req.query("signed-out") !== undefined }),
    );
  });

  routes.get("/sign-in/link", async (c) => {
    // Looking ahead uses nothing up.
    if (c.req.method === "HEAD" || c.req.header("sec-purpose")?.startsWith("prefetch")) return c.body(null, 204);
    await context.limit(c, "sign-in", ATTEMPTS);
    const person = await takeSignInLink(stores, c.req.query("token") ?? "");
    if (!person) return c.html(linkRefusedPage(frameOf(context, c, null)), 401);
    await signIn(c, person);
    return c.redirect("/", 303);
  });

  routes.post("/sign-out", async (c) => {
    const secret = readCookie(c, publicUrl, SESSION_COOKIE);
    if (secret !== undefined) await endSession(stores, secret);
    removeCookie(c, publicUrl, SESSION_COOKIE);
    return c.redirect("/sign-in?signed-out", 303);
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
      await signIn(c, answer.person, answer.identity);
      return c.redirect(answer.returnTo, 303);
    }
    const frame = frameOf(context, c, null);
    if (answer.kind === "several") {
      const choices = answer.organisations.map((name) => {
        const query = new URLSearchParams({ to: answer.returnTo, organisation: name });
        return { name, path: `/sign-in/team?${query}` };
      });
      return c.html(organisationsPage(frame, choices));
    }
    const { identity, email } = answer;
    return c.html(unknownPersonPage(frame, { identity, ...(email === undefined ? {} : { email }) }), 403);
  });

  return routes;

  async function signIn(c: ServerCall, person: Person, identity?: string): Promise<void> {
    const earlier = readCookie(c, publicUrl, SESSION_COOKIE);
    if (earlier !== undefined) await endSession(stores, earlier);
    const secret = await startSession(stores, person, times, identity);
    writeCookie(c, publicUrl, SESSION_COOKIE, secret, times.absoluteMs);
  }
}
