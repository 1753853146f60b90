/** What became of the reader's last click, for the page after it. In a cookie: no link can make it up. */
import type { ServerCall, ServerContext } from "../context.ts";
import { readCookie, removeCookie, writeCookie } from "../cookie.ts";
import { html, type Markup } from "./markup.ts";

const COOKIE = "holdfast-said";
const LASTS_MS = 60_000;

/** Sentences by their names; each is told whom or what it is about. */
export type Sentences = Readonly<Record<string, (about: string) => Markup>>;

export const leaveWord = (context: ServerContext, c: ServerCall, sentence: string, about = ""): void =>
  writeCookie(c, context.publicUrl, COOKIE, `${sentence}.${Buffer.from(about).toString("base64url")}`, LASTS_MS);

export function takeWord(context: ServerContext, c: ServerCall, sentences: Sentences): Markup | null {
  const [name = "", about = ""] = readCookie(c, context.publicUrl, COOKIE)?.split(".") ?? [];
  const sentence = Object.hasOwn(sentences, name) ? sentences[name] : undefined;
  if (!sentence) return null;
  removeCookie(c, context.publicUrl, COOKIE);
  return html`<p class="said" role="status">${sentence(Buffer.from(about, "base64url").toString("utf8"))}</p>`;
}
