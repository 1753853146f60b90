/** Sign-in and sign-out of browsers. */
import { type Context, Hono } from "hono";
import { html } from "hono/html";
import type { Person } from "../../approvals/approval.ts";
import type { ServerCall, ServerContext, ServerEnv } from "./context.ts";
import { readCookie, removeCookie, SESSION_COOKIE, writeCookie } from "./cookie.ts";
import { BEGUN_LASTS_MS, type OidcSettings, teamSignIn } from "./oidc.ts";
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
    return page(c, "Sign in", [
      ...(oidc
        ? [
            html`<p><a href="/sign-in/team?to=${encodeURIComponent(to)}">Sign in with ${new URL(oidc.issuer).host}</a></p>`,
          ]
        : []),
      html`<p>With a link: it is printed where the server was started. <code>holdfast serve link</code> prints a new one.</p>`,
    ]);
  });

  routes.get("/sign-in/link", async (c) => {
    // HEAD is what programs send that look ahead: it uses nothing up.
    if (c.req.method === "HEAD") return c.body(null, 200);
    await context.limit(c, "sign-in", ATTEMPTS);
    const person = await takeSignInLink(stores, c.req.query("token") ?? "");
    if (!person)
      return page(
        c,
        "This link does not sign in",
        [
          html`<p>It was used already, is older than 10 minutes, or is not one of this server.</p>`,
          html`<p>For a new one run <code>holdfast serve link</code> where the server runs.</p>`,
        ],
        401,
      );
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
    if (answer.kind === "several")
      return page(
        c,
        "Which organisation?",
        answer.organisations.map((organisation) => {
          const query = new URLSearchParams({ to: answer.returnTo, organisation });
          return html`<p><a href="/sign-in/team?${query.toString()}">${organisation}</a></p>`;
        }),
      );
    return page(
      c,
      "You are not known here",
      [
        html`<p>You signed in${answer.email === undefined ? "" : ` as ${answer.email}`}, but no organisation here has you.</p>`,
        html`<p>Ask an admin to add you with this identity: <code>${answer.identity}</code></p>`,
      ],
      403,
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

type Part = ReturnType<typeof html>;

function page(c: Context<ServerEnv>, title: string, parts: readonly Part[], status: 200 | 401 | 403 = 200) {
  return c.html(
    html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} · Holdfast</title></head><body><main><h1>${title}</h1>${parts}</main></body></html>`,
    status,
  );
}
