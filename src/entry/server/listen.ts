/** The server on a socket: where it may listen, how patient it is with slow clients, and how it ends. */
import { createServer as createHttp, type Server } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { HoldfastError } from "../../core/errors.ts";
import { createServer, type HoldfastServer, type ServerSettings } from "./app.ts";

export interface ListenSettings extends Omit<ServerSettings, "publicUrl"> {
  readonly host: string;
  /** Zero: any that is free. */
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Where people reach it; without it, where it listens. */
  readonly publicUrl?: string | undefined;
  readonly patience?: Patience;
}

export interface Patience {
  /** From the connection to the last header. */
  readonly headersMs: number;
  /** From the connection to the end of the body. */
  readonly requestMs: number;
  /** How long answers that are under way may take when the server ends. Browsers keep spare connections open: they count too. */
  readonly graceMs: number;
}

export const PATIENCE: Patience = { headersMs: 10_000, requestMs: 30_000, graceMs: 1_000 };

export interface Listening {
  readonly url: string;
  readonly server: HoldfastServer;
  close(): Promise<void>;
}

export async function listen(settings: ListenSettings): Promise<Listening> {
  assertSafePlace(settings);
  const { host, port, tls, patience = PATIENCE } = settings;
  const socketOptions = {
    headersTimeout: patience.headersMs,
    requestTimeout: patience.requestMs,
    connectionsCheckingInterval: Math.min(1_000, patience.headersMs),
    keepAliveTimeout: 5_000,
    maxHeaderSize: 16 * 1024,
  };
  let server: HoldfastServer | undefined;
  const fetch = (request: Request, env: object) => {
    if (!server) return new Response(null, { status: 503 });
    return server.app.fetch(request, env);
  };
  const http = createAdaptorServer(
    tls
      ? { fetch, createServer: createHttps, serverOptions: { ...socketOptions, ...tls } }
      : { fetch, createServer: createHttp, serverOptions: socketOptions },
  ) as Server;
  await listening(http, host, port);
  const bound = (http.address() as AddressInfo).port;
  const url = settings.publicUrl ?? `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${bound}`;
  server = createServer({ ...settings, publicUrl: url });
  await server.start();
  return { url: server.context.publicUrl, server, close: () => close(http, server as HoldfastServer, patience) };
}

/** Cookies, tokens and calls in clear text belong on this machine only. */
export function assertSafePlace({
  host,
  tls,
  publicUrl,
  isBehindProxy,
}: Pick<ListenSettings, "host" | "tls" | "publicUrl" | "isBehindProxy">): void {
  const shown = publicUrl !== undefined && URL.canParse(publicUrl) ? new URL(publicUrl) : undefined;
  if (publicUrl !== undefined && !/^https?:$/.test(shown?.protocol ?? ""))
    throw new HoldfastError("HF918", `${publicUrl} is not a URL of a server`, {
      hint: "Give --public-url as https://holdfast.example.com.",
    });
  if (shown && (shown.pathname !== "/" || shown.search !== "" || shown.hash !== "" || shown.username !== ""))
    throw new HoldfastError("HF918", `${publicUrl} has more than a scheme, a host and a port`, {
      hint: "Give --public-url as https://holdfast.example.com.",
    });
  if (isBehindProxy && shown?.protocol !== "https:")
    throw new HoldfastError("HF918", "behind a proxy people need an address that is https", {
      hint: "Add --public-url https://… with the address the proxy serves.",
    });
  if (shown?.protocol === "http:" && !isLoopback(shown.hostname.replace(/^\[|\]$/g, "")))
    throw new HoldfastError("HF918", `${publicUrl} would carry sign-ins in clear text`, {
      hint: "Use https: give --tls-cert and --tls-key, or put a proxy with TLS in front and add --behind-proxy.",
    });
  if (isLoopback(host) || isBehindProxy) return;
  if (!tls)
    throw new HoldfastError("HF918", `${host} can be reached from other machines, and there is no TLS`, {
      hint: "Give --tls-cert and --tls-key, or --behind-proxy with --public-url https://… if a proxy does TLS.",
    });
  if (publicUrl === undefined && /^(0\.0\.0\.0|::|\*)$/.test(host))
    throw new HoldfastError("HF918", `people cannot reach the server at ${host}`, {
      hint: "Say by which name they do: --public-url https://holdfast.example.com.",
    });
}

const isLoopback = (host: string) => host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);

function listening(http: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new HoldfastError("HF918", `cannot listen on ${host} port ${port}: ${error.code ?? error.message}`, {
          hint: "Choose another with --port, or --port 0 for any that is free.",
        }),
      ),
    );
    http.listen(port, host, resolve);
  });
}

/** Nobody new comes in, whatever waits is told, and what is under way gets its time. */
async function close(http: Server, server: HoldfastServer, { graceMs }: Patience): Promise<void> {
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  const timer = setTimeout(() => http.closeAllConnections(), graceMs);
  await server.close();
  // A connection is idle only once its answer is out, which may be later.
  const sweeping = setInterval(() => http.closeIdleConnections(), 20);
  await closed;
  clearInterval(sweeping);
  clearTimeout(timer);
}
