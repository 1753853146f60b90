/** Only a path on this server: a sign-in is never a way to somewhere else. */
export function ownPath(wanted: string | undefined, publicUrl: string): string {
  try {
    const url = new URL(wanted ?? "/", publicUrl);
    return url.origin === new URL(publicUrl).origin ? url.pathname + url.search : "/";
  } catch {
    return "/";
  }
}
