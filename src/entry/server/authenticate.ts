/** Who asks: by an API token in the Authorization header, or else by the cookie of a sign-in. */
import type { MiddlewareHandler } from "hono";
import type { ServerCall, ServerContext, ServerEnv } from "./context.ts";
import { readCookie, SESSION_COOKIE } from "./cookie.ts";
import { Problem } from "./problem.ts";
import { type SessionTimes, sessionOf } from "./sessions.ts";
import { principalOfToken, refusalOfToken } from "./tokens.ts";

export function authenticate(context: ServerContext, times: SessionTimes): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const identify = async () => {
      c.set("principal", undefined);
      c.set("csrf", undefined);
      const header = c.req.header("authorization");
      if (header !== undefined) await byToken(context, c, header);
      else await bySession(context, c, times);
    };
    c.set("identifyAgain", identify);
    await identify();
    await next();
  };
}

/** A header that is wrong is refused, not passed over: the cookie beside it may belong to somebody else. */
async function byToken(context: ServerContext, c: ServerCall, header: string): Promise<void> {
  const [, token] = /^Bearer ([\w.~+/=-]{1,512})$/i.exec(header) ?? [];
  const principal = token === undefined ? undefined : await principalOfToken(context.stores, token);
  if (principal && token !== undefined) {
    c.set("principal", principal);
    c.set("isStillSignedIn", async () => (await principalOfToken(context.stores, token)) !== undefined);
    return;
  }
  await context.limit(c, "token", BAD_TOKENS);
  const rest = token === undefined ? null : await refusalOfToken(context.stores, token);
  throw new Problem(401, "HF911", rest ? `the API token rests: ${rest.why}` : UNKNOWN_TOKEN, {
    fix: "Ask an admin of the organisation for a new one (POST /api/tokens).",
    headers: { "www-authenticate": 'Bearer realm="holdfast"' },
  });
}

const UNKNOWN_TOKEN = "the API token is unknown, revoked or expired";
const BAD_TOKENS = { times: 20, perMs: 60_000 };

async function bySession({ stores, publicUrl }: ServerContext, c: ServerCall, times: SessionTimes): Promise<void> {
  const secret = readCookie(c, publicUrl, SESSION_COOKIE);
  if (secret === undefined) return;
  const session = await sessionOf(stores, secret, times);
  if (!session) return;
  const { person, csrf } = session;
  c.set("principal", { kind: "person", person, via: "web", organisation: person.organisation });
  c.set("csrf", csrf);
  c.set("isStillSignedIn", async () => (await sessionOf(stores, secret, times)) !== undefined);
}
