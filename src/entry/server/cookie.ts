/** The cookie of a sign-in: for this host only, out of reach of scripts. */
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { ServerCall } from "./context.ts";

/** `__Host-` makes browsers refuse one that another host, or a plain connection, tries to set. */
const nameOf = (publicUrl: string, name: string) => (isHttps(publicUrl) ? `__Host-${name}` : name);
const isHttps = (publicUrl: string) => publicUrl.startsWith("https:");

export const SESSION_COOKIE = "holdfast";

export function readCookie(c: ServerCall, publicUrl: string, name: string): string | undefined {
  return getCookie(c, nameOf(publicUrl, name));
}

export function writeCookie(c: ServerCall, publicUrl: string, name: string, value: string, maxAgeMs: number): void {
  setCookie(c, nameOf(publicUrl, name), value, {
    httpOnly: true,
    secure: isHttps(publicUrl),
    sameSite: "Lax",
    path: "/",
    maxAge: Math.floor(maxAgeMs / 1000),
  });
}

export function removeCookie(c: ServerCall, publicUrl: string, name: string): void {
  deleteCookie(c, nameOf(publicUrl, name), { path: "/", secure: isHttps(publicUrl) });
}
