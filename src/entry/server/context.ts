/** What everything inside the server shares: routes, pages and channels are functions of it. */
import type { IncomingMessage } from "node:http";
import type { Context } from "hono";
import type { Person } from "../../approvals/approval.ts";
import type { Approvals, Listener } from "../../approvals/service.ts";
import type { Stores } from "../../approvals/store.ts";
import type { Keyring } from "../../channels/credentials.ts";
import type { OpenChannels } from "../../channels/open-channels.ts";
import type { KnowledgeSource } from "./knowledge/knowledge-source.ts";
import type { LiveEvents } from "./live-events.ts";
import type { Principal } from "./principal.ts";
import type { RunSource } from "./runs/run-source.ts";

export interface ServerContext {
  readonly stores: Stores;
  readonly approvals: Approvals;
  /** What happens to approvals, for whoever looks at them now. */
  readonly events: LiveEvents;
  /** Null: the server was started without a key for their secrets. */
  readonly channels: ChannelAccess | null;
  /** Null: this server shows no runs. */
  readonly runs: RunSource | null;
  /** Null: this server shows no knowledge. */
  readonly knowledge: KnowledgeSource | null;
  /** Where people reach the server, without a slash at the end: the only base for links and redirects. */
  readonly publicUrl: string;
  readonly version: string;
  /** How often a stream says that it is still there. */
  readonly keepaliveMs: number;
  /** Aborted when the server ends: whatever waits, ends with it. */
  readonly closing: AbortSignal;
  /** The signed-in person; throws the Problem that sends a browser to the sign-in. */
  signedIn(c: ServerCall): Person;
  /** Of the signed-in person: whatever reads or changes anything, does it there. */
  organisation(c: ServerCall): string;
  /** To be sent back as header `x-csrf-token` or form field `csrf` by whatever changes something. */
  csrfToken(c: ServerCall): string;
  /** The fields of a posted form. Its CSRF token and origin were checked before any handler ran. */
  form(c: ServerCall): Readonly<Record<string, string>>;
  /** Hears of every change that this process made. What it throws is logged and stops nobody. */
  onChange(listener: Listener): void;
  /** Throws 429 when the one who asks has done this too often. */
  limit(c: ServerCall, what: string, limit: RateLimit): Promise<void>;
  log(line: string): void;
}

/** Channels with their secrets: only where a key to open them is there. */
export interface ChannelAccess {
  readonly open: OpenChannels;
  readonly keyring: Keyring;
}

export interface RateLimit {
  readonly times: number;
  readonly perMs: number;
  /** Counted per this; without it per address. */
  readonly by?: string;
}

export interface ServerVariables {
  /** Undefined: nobody is signed in. */
  principal: Principal | undefined;
  /** Of a sign-in by cookie; undefined: there is none, or a token spoke for the request. */
  csrf: string | undefined;
  /** Who asks, looked up anew: after whatever took as long as they liked. */
  identifyAgain: () => Promise<void>;
  /** For what goes on after the request: a sign-in may end, a token be revoked meanwhile. */
  isStillSignedIn: () => Promise<boolean>;
  /** Of whoever connected. */
  address: string;
  /** Of a posted form whose CSRF token was checked; else empty. */
  form: Readonly<Record<string, string>>;
}

/** Without a socket, as in tests, there is no incoming message. */
export type ServerEnv = { Variables: ServerVariables; Bindings: { readonly incoming?: IncomingMessage } };
export type ServerCall = Context<ServerEnv>;
