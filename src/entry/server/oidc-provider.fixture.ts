/** A small OpenID provider on this machine that signs for real and checks what it is sent as strictly as the big ones. */
import { createHash, createSign, generateKeyPairSync, type KeyPairKeyObjectResult, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Account {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
}

export interface OidcProvider {
  readonly issuer: string;
  /** Who signs in there next. */
  account: Account;
  /** What is wrong with the next ID token. */
  forge: ((claims: Record<string, unknown>) => Record<string, unknown>) | undefined;
  /** Signs with a key that is not published. */
  usesAnotherKey: boolean;
  /** Makes the next ID tokens itself, of the claims and the published key. */
  makeToken: ((claims: Record<string, unknown>, keys: KeyPairKeyObjectResult) => string) | undefined;
  /** Besides what the issuer says of itself. */
  saysToo: Record<string, unknown>;
  /** Why requests were refused. */
  readonly refused: string[];
  close(): Promise<void>;
}

export const CLIENT = { clientId: "holdfast", clientSecret: "a secret + with : signs" } as const;

interface Grant {
  readonly challenge: string;
  readonly nonce: string;
  readonly redirectUri: string;
  readonly account: Account;
}

export async function startOidcProvider(allowedRedirect: () => string): Promise<OidcProvider> {
  const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const otherKeys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const grants = new Map<string, Grant>();
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => refuse(response, "server_error", String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: OidcProvider = {
    issuer,
    account: { sub: "0" },
    forge: undefined,
    usesAnotherKey: false,
    makeToken: undefined,
    saysToo: {},
    refused: [],
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
  return provider;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", issuer);
    const route = `${request.method} ${url.pathname}`;
    if (route === "GET /.well-known/openid-configuration") return json(response, metadata());
    if (route === "GET /jwks")
      return json(response, { keys: [{ ...keys.publicKey.export({ format: "jwk" }), ...KEY }] });
    if (route === "GET /authorize") return authorize(url.searchParams, response);
    if (route === "POST /token") return token(request, response, new URLSearchParams(await textOf(request)));
    return refuse(response, "not_found", route);
  }

  function metadata() {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["client_secret_basic"],
      authorization_response_iss_parameter_supported: true,
      ...provider.saysToo,
    };
  }

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const is = (name: string, wanted: string | RegExp) =>
      typeof wanted === "string" ? query.get(name) === wanted : wanted.test(query.get(name) ?? "");
    const checks: [string, boolean][] = [
      ["client_id", is("client_id", CLIENT.clientId)],
      ["redirect_uri", is("redirect_uri", allowedRedirect())],
      ["response_type", is("response_type", "code")],
      ["scope", is("scope", /\bopenid\b/)],
      ["code_challenge_method", is("code_challenge_method", "S256")],
      ["code_challenge", is("code_challenge", /^[\w-]{43}$/)],
      ["state", is("state", /^.{22,}$/)],
      ["nonce", is("nonce", /^.{22,}$/)],
    ];
    const [wrong] = checks.filter(([, isRight]) => !isRight);
    if (wrong) return refuse(response, "invalid_request", wrong[0]);
    const code = randomBytes(24).toString("base64url");
    grants.set(code, {
      challenge: query.get("code_challenge") ?? "",
      nonce: query.get("nonce") ?? "",
      redirectUri: query.get("redirect_uri") ?? "",
      account: provider.account,
    });
    const back = new URL(allowedRedirect());
    back.search = new URLSearchParams({ code, state: query.get("state") ?? "", iss: issuer }).toString();
    response.writeHead(303, { location: back.href }).end();
  }

  function token(request: IncomingMessage, response: ServerResponse, body: URLSearchParams): void {
    const form = (text: string) => encodeURIComponent(text).replaceAll("%20", "+");
    const credentials = Buffer.from(`${form(CLIENT.clientId)}:${form(CLIENT.clientSecret)}`).toString("base64");
    if (decoded(request.headers.authorization) !== decoded(`Basic ${credentials}`))
      return refuse(response, "invalid_client", "authorization");
    const grant = grants.get(body.get("code") ?? "");
    grants.delete(body.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(body.get("code_verifier") ?? "")
      .digest("base64url");
    if (!grant || body.get("grant_type") !== "authorization_code") return refuse(response, "invalid_grant", "code");
    if (challenge !== grant.challenge) return refuse(response, "invalid_grant", "code_verifier");
    if (body.get("redirect_uri") !== grant.redirectUri) return refuse(response, "invalid_grant", "redirect_uri");
    const now = Math.floor(Date.now() / 1000);
    const honest = {
      iss: issuer,
      aud: CLIENT.clientId,
      iat: now,
      exp: now + 300,
      nonce: grant.nonce,
      ...grant.account,
    };
    const claims = provider.forge ? provider.forge(honest) : honest;
    const input = [KEY, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    const { privateKey } = provider.usesAnotherKey ? otherKeys : keys;
    const signature = createSign("RSA-SHA256").update(input).sign(privateKey, "base64url");
    json(response, {
      access_token: randomBytes(16).toString("hex"),
      token_type: "Bearer",
      id_token: provider.makeToken?.(claims, keys) ?? `${input}.${signature}`,
    });
  }

  function refuse(response: ServerResponse, error: string, why: string): void {
    provider.refused.push(`${error}: ${why}`);
    response.writeHead(error === "invalid_client" ? 401 : 400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error, error_description: why }));
  }
}

const KEY = { alg: "RS256", kid: "one", use: "sig" } as const;

/** Two ways to percent-encode are in use; the bytes behind them are the same. */
const decoded = (header: string | undefined) =>
  decodeURIComponent(
    Buffer.from(header?.split(" ")[1] ?? "", "base64")
      .toString()
      .replaceAll("+", " "),
  );

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
