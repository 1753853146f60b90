/** The desk of a `holdfast serve`, over its API. */
import { setTimeout as sleep } from "node:timers/promises";
import { HoldfastError } from "../core/errors.ts";
import { type ApprovalPage, allPages } from "./all-pages.ts";
import type { Approval, Status } from "./approval.ts";
import { type Desk, DeskRefusal, shownServer } from "./desk.ts";
import type { Outcome } from "./service.ts";
import type { OrganisationSettings } from "./store.ts";

export interface RemoteDeskOptions {
  readonly server: string;
  /** Of the agent; it says on whose behalf and in which organisation. */
  readonly token: string;
  readonly fetch?: typeof fetch;
}

const PATIENCE_MS = 10_000;
/** The server holds a question open for so long at most. */
const LONG_POLL_MS = 25_000;
const RETRY_MS = { first: 250, most: 5_000 };

export function remoteDesk({ server, token, fetch: fetchIt = fetch }: RemoteDeskOptions): Desk {
  const base = server.replace(/\/+$/, "");
  const shown = shownServer(base);

  async function ask(path: string, body?: object, signal?: AbortSignal, patienceMs = PATIENCE_MS): Promise<Reply> {
    const limit = AbortSignal.timeout(patienceMs);
    try {
      return await sent(path, body, signal ? AbortSignal.any([signal, limit]) : limit);
    } catch (error) {
      if (error instanceof HoldfastError || signal?.aborted) throw error;
      throw new HoldfastError("HF901", `${shown} does not answer (${causeOf(error)})`, { hint: NO_ANSWER });
    }
  }

  async function sent(path: string, body: object | undefined, signal: AbortSignal): Promise<Reply> {
    const response = await fetchIt(`${base}/api${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      redirect: "error",
      signal,
    });
    const data = parsed(await response.text());
    if (data) return { status: response.status, data };
    throw new HoldfastError("HF901", `${shown} answered ${response.status} with no JSON object`, { hint: NOT_OURS });
  }

  const dataOf = ({ status, data }: Reply): Reply["data"] => {
    if (status >= 200 && status < 300) return data;
    const hint = status === 401 || status === 403 ? NO_RIGHT : NO_ANSWER;
    throw new HoldfastError("HF901", `${shown} answered ${status}: ${messageOf(data)}`, { hint });
  };

  const approvalOf = (reply: Reply) => dataOf(reply) as unknown as Approval;

  const outcomeOf = (reply: Reply): Outcome => {
    const { refusal, approval } = reply.data as { refusal?: { code: never; why: string }; approval?: Approval };
    if (reply.status === 404) return { kind: "refused", code: "unknown", why: "the server knows no such approval" };
    if (reply.status === 409 && refusal) return { kind: "refused", ...refusal, ...(approval ? { approval } : {}) };
    return { kind: "done", approval: approvalOf(reply) };
  };

  const ofSession = (which: SessionFilter, status: Status): Promise<readonly Approval[]> =>
    allPages(async (cursor) => {
      const query = new URLSearchParams({ ...which, status, limit: "100", ...(cursor === null ? {} : { cursor }) });
      return dataOf(await ask(`/approvals?${query}`)) as unknown as ApprovalPage;
    });

  return {
    async request({ organisation: _ofTheToken, ...draft }) {
      const reply = await ask("/approvals", draft);
      if (problemOf(reply.data).code === NO_CHANNEL) throw new DeskRefusal(messageOf(reply.data));
      return approvalOf(reply);
    },
    denials: (_organisation, sessionTree) => ofSession({ sessionTree }, "denied"),
    pending: (_organisation, session) => ofSession({ session }, "pending"),
    async until(id, isWanted, signal) {
      let known: Approval | undefined;
      let retryMs = RETRY_MS.first;
      for (;;) {
        try {
          const query = new URLSearchParams({ version: String(known?.version ?? 0), waitMs: String(LONG_POLL_MS) });
          const path = `${pathOf(id)}/wait?${query}`;
          // Nothing is known yet, so it answers at once, and is let do so: even who waits for no time wants to know.
          const reply = await (known ? ask(path, undefined, signal, LONG_POLL_MS + PATIENCE_MS) : ask(path));
          if (reply.status === 404) return undefined;
          known = approvalOf(reply);
          retryMs = RETRY_MS.first;
          if (isWanted(known) || signal.aborted) return known;
        } catch (error) {
          // A server that restarts is waited for; nothing is lost meanwhile.
          if (signal.aborted && known) return known;
          if (signal.aborted) throw error;
          await sleep(retryMs, undefined, { signal }).catch(() => {});
          retryMs = Math.min(retryMs * 2, RETRY_MS.most);
        }
      }
    },
    async use(id, use) {
      return outcomeOf(await ask(`${pathOf(id)}/use`, use));
    },
    async withdraw(id, why) {
      return outcomeOf(await ask(`${pathOf(id)}/withdraw`, { why }));
    },
    async settings() {
      const { settings } = dataOf(await ask("/organisation")) as unknown as { settings: OrganisationSettings };
      return settings;
    },
    close: async () => {},
  };
}

type SessionFilter = { readonly session: string } | { readonly sessionTree: string };

const pathOf = (id: string) => `/approvals/${encodeURIComponent(id)}`;

interface Reply {
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** undefined: it is none. */
function parsed(text: string): Reply["data"] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Reply["data"]) : undefined;
  } catch {
    return undefined;
  }
}

const NO_ANSWER = "look whether `holdfast serve` runs there and can be reached from this machine";
const NOT_OURS = "look whether approvals_store names the address of a `holdfast serve`";
const NO_RIGHT = "make a new token on the server and set it where the agent is started";

/** What fetch says is "fetch failed"; why stands in its cause. */
function causeOf(error: unknown): string {
  const { message, cause, name } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === "TimeoutError") return `not within ${PATIENCE_MS / 1000} seconds`;
  return cause?.code ?? cause?.message ?? message;
}

/** The server's code where nobody can be asked the way the rule wants it. */
const NO_CHANNEL = "HF936";

interface ProblemSaid {
  readonly code?: string;
  readonly message?: string;
  readonly fix?: string;
}

const problemOf = ({ error }: Reply["data"]) => (error ?? {}) as ProblemSaid;

function messageOf(data: Reply["data"]): string {
  const { message = "without a reason", fix = "" } = problemOf(data);
  return fix === "" ? message : `${message}. ${fix}`;
}
