/** A server in memory with two organisations, and people and agents that talk to it. */

import { onTestFinished } from "vitest";
import { z } from "zod";
import { type DraftChanges, draftOf } from "../../approvals/approval.fixture.ts";
import { ADMIN, APPROVER, type Approval, type Person } from "../../approvals/approval.ts";
import type { Stores } from "../../approvals/store.ts";
import { memoryStores } from "../../stores/memory.ts";
import { createServer, type HoldfastServer, type ServerSettings } from "./app.ts";
import type { Route } from "./route.ts";
import { ROUTES } from "./routes/table.ts";
import { startSession } from "./sessions.ts";
import { createToken, type TokenDraft } from "./tokens.ts";

export const PUBLIC_URL = "http://127.0.0.1:4173";

/** In acme: ada is an admin, bob and cleo decide, mia only reads. In other: olga is an admin. */
export const PEOPLE: readonly Person[] = [
  { id: "ada", organisation: "acme", name: "Ada", roles: [ADMIN] },
  { id: "bob", organisation: "acme", name: "Bob", roles: [APPROVER] },
  { id: "cleo", organisation: "acme", name: "Cleo", roles: [APPROVER, "release"] },
  { id: "mia", organisation: "acme", name: "Mia", roles: [] },
  { id: "olga", organisation: "other", name: "Olga", roles: [ADMIN, APPROVER] },
];

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there.
  readonly json: any;
  readonly text: string;
}

export type Ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;

export interface TestServer extends HoldfastServer {
  readonly stores: Stores;
  readonly logged: string[];
  /** Nobody in particular. */
  readonly anybody: Ask;
  /** A browser that is signed in. */
  browser(person: string): Promise<Ask & { readonly cookie: string; readonly csrf: string }>;
  agent(draft?: Partial<TokenDraft>): Promise<Ask & { readonly token: string }>;
  /** A pending approval of acme. */
  asked(changes?: DraftChanges): Promise<Approval>;
}

export async function testServer(settings: Partial<ServerSettings> = {}): Promise<TestServer> {
  const stores = settings.stores ?? memoryStores();
  for (const person of PEOPLE) await stores.putPerson(person);
  const logged: string[] = [];
  const server = createServer({ publicUrl: PUBLIC_URL, log: (line) => void logged.push(line), ...settings, stores });
  await server.start();
  onTestFinished(() => server.close());

  const asking =
    (own: Record<string, string>): Ask =>
    async (method, path, body, headers = {}) => {
      const response = await server.app.request(new URL(path, PUBLIC_URL), {
        method,
        headers: {
          host: new URL(PUBLIC_URL).host,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...own,
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.status === 200) assertDocumented(method, path, text);
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
    };

  return {
    ...server,
    stores,
    logged,
    anybody: asking({}),
    async browser(id) {
      const person = PEOPLE.find((known) => known.id === id);
      if (!person) throw new Error(`nobody is called ${id}`);
      const cookie = `holdfast=${await startSession(stores, person)}`;
      const me = await asking({ cookie })("GET", "/api/me");
      const csrf = String(me.json.csrfToken);
      return Object.assign(asking({ cookie, origin: PUBLIC_URL, "x-csrf-token": csrf }), { cookie, csrf });
    },
    async agent(draft = {}) {
      const { token } = await createToken(stores, {
        organisation: "acme",
        name: "test",
        kind: "agent",
        agent: null,
        person: null,
        namesInitiator: true,
        scopes: ["request", "wait", "use", "ingest"],
        createdBy: draft.organisation === "other" ? "olga" : "ada",
        lastsMs: 60_000,
        ...draft,
      });
      return Object.assign(asking({ authorization: `Bearer ${token}` }), { token });
    },
    asked: (changes = {}) => server.context.approvals.request(draftOf({ organisation: "acme", ...changes })),
  };
}

/** Every answer that a test sees is what the route table, and so the OpenAPI document, says it is. */
function assertDocumented(method: string, path: string, text: string): void {
  const { pathname } = new URL(path, PUBLIC_URL);
  const isMeant = (route: Route) =>
    route.method === method.toLowerCase() && new RegExp(`^${route.path.replaceAll(/:\w+/g, "[^/]+")}$`).test(pathname);
  const answer = ROUTES.toSorted((left, right) => left.path.split(":").length - right.path.split(":").length).find(
    isMeant,
  )?.answer;
  if (answer instanceof z.ZodType) answer.parse(JSON.parse(text));
}

/** What an agent posts to ask for an approval. */
export function postedDraft(changes: DraftChanges = {}) {
  const { id: _, organisation: __, ...draft } = draftOf(changes);
  return draft;
}
