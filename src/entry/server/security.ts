/** What every answer carries and every request must show, whatever it is about. */
import type { MiddlewareHandler } from "hono";
import type { ServerCall, ServerEnv } from "./context.ts";
import { Problem } from "./problem.ts";
import { isSame } from "./secret.ts";

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function securityHeaders(publicUrl: string): MiddlewareHandler<ServerEnv> {
  const isHttps = publicUrl.startsWith("https:");
  return async (c, next) => {
    await next();
    const isApi = c.req.path.startsWith("/api/");
    const { headers } = c.res;
    headers.set("content-security-policy", CONTENT_SECURITY_POLICY);
    headers.set("x-content-type-options", "nosniff");
    headers.set("x-frame-options", "DENY");
    headers.set("cross-origin-opener-policy", "same-origin");
    headers.set("cross-origin-resource-policy", "same-origin");
    // A form posted from a page with `no-referrer` has the origin `null`, and could not be told from a stranger's.
    headers.set("referrer-policy", isApi ? "no-referrer" : "same-origin");
    if (isHttps) headers.set("strict-transport-security", "max-age=31536000");
    if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  };
}

/** A name that somebody else's DNS points at this machine is not ours. A proxy says its own name: it answers for it. */
export function ownHostOnly(publicUrl: string): MiddlewareHandler<ServerEnv> {
  const { host } = new URL(publicUrl);
  return async (c, next) => {
    const asked = c.req.header("host") ?? new URL(c.req.url).host;
    if (asked !== host)
      throw new Problem(421, "HF914", "this server goes by another name", { fix: `Open ${publicUrl} instead.` });
    await next();
  };
}

export const changesSomething = (c: ServerCall) => !["GET", "HEAD", "OPTIONS"].includes(c.req.method);

/** Another site can make a browser send our cookie, but not our origin together with our token. */
export function assertOwnPage(c: ServerCall, publicUrl: string, shown: string | undefined): void {
  const csrf = c.get("csrf");
  if (csrf === undefined) return;
  assertOwnOrigin(c, publicUrl);
  if (shown === undefined || !isSame(shown, csrf))
    throw new Problem(403, "HF912", "the request does not carry the CSRF token of this sign-in", {
      fix: "Load the page again. Programs use an API token in an Authorization header instead of a cookie.",
    });
}

export function assertOwnOrigin(c: ServerCall, publicUrl: string): void {
  if (c.req.header("origin") === new URL(publicUrl).origin) return;
  throw new Problem(403, "HF912", "the request does not come from a page of this server", {
    fix: "Use the page itself, or an API token in an Authorization header.",
  });
}
