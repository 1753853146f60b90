/** What a client that becomes Node tells it, and what it keeps from it. None of that is for hooks. */

export interface FromClient {
  /** The host's environment: hooks see it whoever starts them. */
  readonly host: NodeJS.ProcessEnv;
  /** A client that handed the call to a daemon first may have let that record it, under this id. */
  readonly id: string | undefined;
  readonly isGranted: boolean;
  /** What the client took before it became us. */
  readonly elapsedMs: number;
}

/** Variables that the client hides from our Node, or sets for it; empty: the host has none of that name. */
const HIDDEN = {
  HOLDFAST_CALL_CA_CERTS: "NODE_EXTRA_CA_CERTS",
  HOLDFAST_CALL_NODE_OPTIONS: "NODE_OPTIONS",
  HOLDFAST_CALL_OPENSSL_CONF: "OPENSSL_CONF",
  HOLDFAST_CALL_GLIBC_TUNABLES: "GLIBC_TUNABLES",
} as const;

export function hostEnvironment(env: NodeJS.ProcessEnv): FromClient {
  const {
    HOLDFAST_FALLBACK: _why,
    HOLDFAST_CALL_ID: id,
    HOLDFAST_CALL_STATE: state,
    HOLDFAST_CALL_ELAPSED_MS: elapsed,
    ...host
  } = env;
  for (const [hidden, name] of Object.entries(HIDDEN)) {
    const value = host[hidden];
    if (value === undefined) continue;
    delete host[hidden];
    if (value === "") delete host[name];
    else host[name] = value;
  }
  return { host, id: id || undefined, isGranted: state === "granted", elapsedMs: Number(elapsed) || 0 };
}
