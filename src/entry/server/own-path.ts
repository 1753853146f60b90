/** Only a path on this server: a sign-in is never a way to somewhere else. */
export function ownPath(wanted: string | undefined, publicUrl: string): string {
  try {
    const url = new URL(wanted ?? "/", publicUrl);
    // A browser takes a path with two slashes at its beginning for another host: `/.//elsewhere.example` becomes one.
    const isOwn = url.origin === new URL(publicUrl).origin && !url.pathname.startsWith("//");
    return isOwn ? url.pathname + url.search : "/";
  } catch {
    return "/";
  }
}
