/** An access token, fetched once for everybody who needs it, and kept within its lifetime. */
export interface FetchedToken {
  readonly token: string;
  readonly lifetimeMs: number;
}

export interface Token {
  get(): Promise<string>;
  /** The platform no longer takes it. */
  forget(token: string): void;
}

/** A token is given up this long before its end: a request that starts with it still ends with it. */
const MARGIN_MS = 60_000;

export function keptToken(fetchToken: () => Promise<FetchedToken>, now: () => number = Date.now): Token {
  let current: Promise<{ token: string; endsAt: number }> | undefined;
  let endsAt = Number.POSITIVE_INFINITY;
  const fetched = () => {
    endsAt = Number.POSITIVE_INFINITY;
    const attempt = fetchToken().then(({ token, lifetimeMs }) => {
      endsAt = now() + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs / 2);
      return { token, endsAt };
    });
    attempt.catch(() => {
      if (current === attempt) current = undefined;
    });
    return attempt;
  };
  return {
    async get() {
      if (!current || now() >= endsAt) current = fetched();
      return (await current).token;
    },
    forget(token) {
      const known = current;
      known?.then(
        (kept) => {
          if (kept.token === token && current === known) current = undefined;
        },
        () => {},
      );
    },
  };
}
