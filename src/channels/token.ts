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
  let known: { readonly token: string; readonly endsAt: number } | undefined;
  let fetching: Promise<string> | undefined;
  const fetched = async () => {
    try {
      const { token, lifetimeMs } = await fetchToken();
      known = { token, endsAt: now() + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs / 2) };
      return token;
    } finally {
      fetching = undefined;
    }
  };
  return {
    async get() {
      if (known && now() < known.endsAt) return known.token;
      fetching ??= fetched();
      return fetching;
    },
    forget(token) {
      if (known?.token === token) known = undefined;
    },
  };
}
