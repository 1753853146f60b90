/** The server as a function of its stores: routes, sign-in and pages, without a socket. */
import { setMaxListeners } from "node:events";
import { Hono } from "hono";
import { Approvals, type Listener } from "../../approvals/service.ts";
import type { Stores } from "../../approvals/store.ts";
import type { Keyring } from "../../channels/credentials.ts";
import { type Dispatcher, type DispatcherOptions, startDispatcher } from "../../channels/dispatcher.ts";
import { OpenChannels } from "../../channels/open-channels.ts";
import { type ErrorCode, HoldfastError } from "../../core/errors.ts";
import { VERSION } from "../../engine/version.ts";
import { authenticate } from "./authenticate.ts";
import { channelCallbacks, linkTo } from "./channel-callbacks.ts";
import type { ChannelAccess, RateLimit, ServerCall, ServerContext, ServerEnv } from "./context.ts";
import { addRoutes } from "./dispatch.ts";
import type { KnowledgeSource } from "./knowledge/knowledge-source.ts";
import { LiveEvents } from "./live-events.ts";
import type { OidcSettings } from "./oidc.ts";
import { openApiDocument } from "./openapi.ts";
import { frameOf } from "./pages/page-call.ts";
import { pageRoutes } from "./pages/routes.ts";
import { problemPage } from "./pages/sign-in-page.ts";
import { Problem, type ProblemStatus } from "./problem.ts";
import { MAX_FORM_BYTES, readForm } from "./request-body.ts";
import { ROUTES } from "./routes/table.ts";
import type { RunSource } from "./runs/run-source.ts";
import { assertOwnPage, changesSomething, ownHostOnly, securityHeaders } from "./security.ts";
import type { SessionTimes } from "./sessions.ts";
import { SESSION_TIMES } from "./sessions.ts";
import { signInRoutes } from "./sign-in.ts";
import { guardedStores, StoreDown } from "./store-guard.ts";
import { type Sweeper, startSweeper } from "./sweeper.ts";

export interface ServerSettings {
  readonly stores: Stores;
  readonly publicUrl: string;
  /** A proxy in front says who is asking, and answers for the host name. */
  readonly isBehindProxy?: boolean;
  /** Opens the secrets of channels; without it channels are neither shown nor used. */
  readonly keyring?: Keyring | undefined;
  /** Of whoever runs the server: its channels may lead to this machine, those of others may not. Undefined: all may. */
  readonly homeOrganisation?: string | undefined;
  /** How a team signs in; without it only one-time links do. */
  readonly oidc?: OidcSettings | undefined;
  readonly runs?: RunSource | undefined;
  readonly knowledge?: KnowledgeSource | undefined;
  readonly sessionTimes?: SessionTimes;
  readonly keepaliveMs?: number;
  readonly log?: (line: string) => void;
}

export interface HoldfastServer {
  readonly app: Hono<ServerEnv>;
  readonly context: ServerContext;
  /** Begins to hear of what other processes change, to do what is due, and to send cards. */
  start(): Promise<void>;
  /** Ends whatever waits. The stores stay open: they are the caller's. */
  close(): Promise<void>;
}

export function createServer(settings: ServerSettings): HoldfastServer {
  const { isBehindProxy = false, sessionTimes = SESSION_TIMES, log = () => {} } = settings;
  const publicUrl = settings.publicUrl.replace(/\/+$/, "");
  const stores = guardedStores(settings.stores);
  const closing = new AbortController();
  // Every open stream listens for the end.
  setMaxListeners(0, closing.signal);
  const events = new LiveEvents(stores, log);
  const listeners: Listener[] = [(approval) => events.changed(approval)];
  const approvals = new Approvals(stores, (approval, history) => {
    for (const listener of listeners) {
      try {
        listener(approval, history);
      } catch (error) {
        log(`a listener failed on ${approval.id}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  });

  const { keyring, homeOrganisation } = settings;
  const mayReachHere = (organisation: string) => (homeOrganisation ?? organisation) === organisation;
  const channels = keyring ? { keyring, open: new OpenChannels(stores, keyring, mayReachHere) } : null;
  const context: ServerContext = {
    stores,
    approvals,
    events,
    channels,
    runs: settings.runs ?? null,
    knowledge: settings.knowledge ?? null,
    publicUrl,
    version: VERSION,
    keepaliveMs: settings.keepaliveMs ?? 15_000,
    closing: closing.signal,
    signedIn: (c) => {
      const principal = c.get("principal");
      if (principal?.kind !== "person") throw new Problem(401, "HF911", "nobody is signed in");
      return principal.person;
    },
    organisation: (c) => context.signedIn(c).organisation,
    csrfToken: (c) => {
      const csrf = c.get("csrf");
      if (csrf === undefined) throw new Problem(401, "HF911", "nobody is signed in");
      return csrf;
    },
    form: (c) => c.get("form"),
    onChange: (listener) => void listeners.push(listener),
    limit: (c, what, limit) => assertNotTooOften(context, c, what, limit),
    log,
  };

  const app = new Hono<ServerEnv>();
  app.onError((error, c) => answerProblem(context, c, problemOf(error, log)));
  app.notFound((c) => answerProblem(context, c, new Problem(404, "HF913", "there is nothing at this address")));
  app.use(securityHeaders(publicUrl));
  if (!isBehindProxy) app.use(ownHostOnly(publicUrl));
  app.use(async (c, next) => {
    c.set("address", addressOf(c, isBehindProxy));
    c.set("form", {});
    await next();
  });
  app.get("/api/health", async (c) => {
    const isUp = await stores.kept("health").then(
      () => true,
      () => false,
    );
    return c.json({ ok: isUp, store: isUp ? "up" : "down", version: VERSION }, isUp ? 200 : 503);
  });
  app.get("/api/openapi.json", (c) => c.json(openApiDocument(VERSION)));
  if (channels) app.route("/", channelCallbacks(context, channels));
  app.use(authenticate(context, sessionTimes));
  app.use(async (c, next) => {
    if (changesSomething(c) && c.get("csrf") !== undefined) {
      const isApi = c.req.path.startsWith("/api/");
      if (!isApi) {
        c.set("form", await readForm(c, MAX_FORM_BYTES));
        await c.get("identifyAgain")();
        if (c.get("csrf") === undefined) throw new Problem(401, "HF911", "nobody is signed in");
      }
      assertOwnPage(c, publicUrl, isApi ? c.req.header("x-csrf-token") : c.get("form").csrf);
    }
    await next();
  });
  app.route("/", signInRoutes(context, sessionTimes, settings.oidc));
  app.route("/", pageRoutes(context));
  addRoutes(app, context, ROUTES);

  let sweeper: Sweeper | undefined;
  let dispatcher: Dispatcher | undefined;
  return {
    app,
    context,
    async start() {
      sweeper = startSweeper(stores, approvals, log);
      await events.start();
      if (channels) dispatcher = await startDispatcher(dispatching(context, channels));
    },
    async close() {
      closing.abort();
      events.close();
      await Promise.all([sweeper?.close(), dispatcher?.close()]);
    },
  };
}

const dispatching = (context: ServerContext, { open }: ChannelAccess): DispatcherOptions => ({
  stores: context.stores,
  approvals: context.approvals,
  channels: open,
  linkTo: (approval) => linkTo(context, approval),
  onProblem: (approval, problem) => context.log(`${approval ?? "channels"}: ${problem}`),
});

async function assertNotTooOften(
  { stores }: ServerContext,
  c: ServerCall,
  what: string,
  { times, perMs, by }: RateLimit,
): Promise<void> {
  const count = await stores.count(`rate:${what}:${by ?? c.get("address")}`, perMs);
  if (count <= times) return;
  const seconds = Math.ceil(perMs / 1000);
  throw new Problem(429, "HF916", `this was tried more than ${times} times in ${seconds} seconds`, {
    headers: { "retry-after": String(seconds) },
  });
}

/** The last address a proxy added is the one it saw itself; the ones before it are what the client claims. */
function addressOf(c: ServerCall, isBehindProxy: boolean): string {
  const forwarded = isBehindProxy ? c.req.header("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
  if (forwarded) return forwarded;
  return c.env?.incoming?.socket.remoteAddress ?? "unknown";
}

/** Errors of what the server is made of that are for whoever asked. All others are the server's own. */
const STATUS_OF: Readonly<Partial<Record<ErrorCode, ProblemStatus>>> = {
  HF912: 403,
  HF921: 400,
  HF932: 409,
  HF933: 400,
  HF934: 400,
  HF935: 502,
  HF936: 409,
  HF1021: 404,
  HF1022: 409,
  HF1081: 409,
  HF1103: 400,
  HF1104: 409,
  HF1105: 400,
  HF1106: 404,
  HF1107: 404,
  HF1110: 409,
  HF1112: 409,
};

function problemOf(error: unknown, log: (line: string) => void): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof HoldfastError && error.code in STATUS_OF)
    return new Problem(STATUS_OF[error.code] ?? 500, error.code, error.message, { fix: error.fix });
  log(error instanceof Error ? String(error.stack) : String(error));
  if (error instanceof StoreDown)
    return new Problem(503, "HF917", "the store of approvals cannot be reached", { headers: { "retry-after": "5" } });
  return new Problem(500, "HF919", "the server failed at this request; what happened is in its log");
}

function answerProblem(context: ServerContext, c: ServerCall, problem: Problem): Response {
  const { status, extras, body } = problem;
  const wantsPage = !c.req.path.startsWith("/api/") && (c.req.header("accept") ?? "").includes("text/html");
  if (wantsPage && status === 401 && c.req.method === "GET") {
    const wanted = new URL(c.req.url);
    return c.redirect(`/sign-in?to=${encodeURIComponent(wanted.pathname + wanted.search)}`, 303);
  }
  if (wantsPage) return c.html(problemPage(frameOf(context, c, null), problem), status, { ...extras.headers });
  return c.json(body, status, { ...extras.headers });
}
