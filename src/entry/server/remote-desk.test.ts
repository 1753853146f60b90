import { expect, it } from "vitest";
import { draftOf } from "../../approvals/approval.fixture.ts";
import type { Approval, Person } from "../../approvals/approval.ts";
import { DeskRefusal, type DeskRequest } from "../../approvals/desk.ts";
import { localDesk } from "../../approvals/local-desk.ts";
import { remoteDesk } from "../../approvals/remote-desk.ts";
import { PEOPLE, PUBLIC_URL, type TestServer, testServer } from "./server.fixture.ts";

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

async function deskOf(server: TestServer, through: (send: Fetch) => Fetch = (send) => send, token?: string) {
  const agent = await server.agent({ person: "mia" });
  const send: Fetch = async (url, init) => {
    init.signal?.throwIfAborted();
    const headers = { ...(init.headers as Record<string, string>), host: new URL(PUBLIC_URL).host };
    return server.app.request(url, { ...init, headers });
  };
  const fetchIt = through(send) as unknown as typeof fetch;
  return remoteDesk({ server: `${PUBLIC_URL}/`, token: token ?? agent.token, fetch: fetchIt });
}

const requestOf = (changes: Partial<DeskRequest> = {}): DeskRequest => {
  const { id: _id, ...draft } = draftOf({ digest: `${"d".repeat(30)}${Math.random()}` });
  return { ...draft, mode: "auto", ...changes };
};
const NEVER = new AbortController().signal;

it("asks in the organisation of its token, on behalf of whom the token names, and the same call once", async () => {
  const server = await testServer();
  const desk = await deskOf(server);
  const request = requestOf({ organisation: "other" });
  const approval = await desk.request(request);
  expect(approval).toMatchObject({ status: "pending", organisation: "acme", call: { initiator: "mia" } });
  expect((await desk.request(request)).id).toBe(approval.id);
  expect(await desk.pending("acme", approval.call.session)).toMatchObject([{ id: approval.id }]);
});

it("X-11 waits until a person decides, takes the yes once, and only for its call", async () => {
  const server = await testServer();
  const desk = await deskOf(server);
  const { id, digest } = await desk.request(requestOf());
  const waiting = desk.until(id, ({ status }) => status !== "pending", NEVER);
  const bob = await server.browser("bob");
  await bob("POST", `/api/approvals/${id}/respond`, { decision: "approve", reason: "" });
  expect(await waiting).toMatchObject({ id, status: "approved" });
  expect(await desk.use(id, { digest: "x".repeat(20), eventId: "e1" })).toMatchObject({ code: "other-call" });
  expect(await desk.use(id, { digest, eventId: "e1" })).toMatchObject({ kind: "done" });
  expect(await desk.use(id, { digest, eventId: "e1" })).toMatchObject({ kind: "done" });
  expect(await desk.use(id, { digest, eventId: "e2" })).toMatchObject({ kind: "refused", code: "already-used" });
});

it("tells what was denied in a session, and withdraws", async () => {
  const server = await testServer();
  const desk = await deskOf(server);
  const [one, two] = [await desk.request(requestOf()), await desk.request(requestOf())];
  const bob = await server.browser("bob");
  await bob("POST", `/api/approvals/${one.id}/respond`, { decision: "deny", reason: "no" });
  expect(await desk.denials("acme", one.call.session)).toMatchObject([{ id: one.id, votes: [{ reason: "no" }] }]);
  expect(await desk.withdraw(two.id, "over", null)).toMatchObject({ kind: "done" });
  expect(await desk.use("A-unknown", { digest: "d".repeat(20), eventId: "e" })).toMatchObject({ code: "unknown" });
});

it("F-25 a denial binds however many there are, and whichever agent of the session was refused", async () => {
  const server = await testServer();
  const session = "s-many";
  const bob = PEOPLE.find((person) => person.id === "bob") as Person;
  const denied = async (agent: string) => {
    const { id } = await server.asked({ digest: `${"d".repeat(30)}${Math.random()}`, call: { session, agent } });
    await server.context.approvals.vote(id, { person: bob, kind: "deny", reason: "", via: "web" });
    return id;
  };
  const oldest = await denied("lead");
  for (let count = 0; count < 230; count += 1) await denied("helper");
  const desk = await deskOf(server, undefined, (await server.agent({ agent: "helper" })).token);
  const found = (await desk.denials("acme", session)).map(({ id }) => id);
  expect(found).toHaveLength(231);
  expect(found).toContain(oldest);
  expect(await localDesk(server.stores).denials("acme", session)).toHaveLength(231);
  // Of what is still open, an agent sees its own only.
  await server.asked({ digest: "d".repeat(30), call: { session, agent: "lead" } });
  expect(await desk.pending("acme", session)).toEqual([]);
});

it("F-23 whoever waits for no time at all still learns how it stands", async () => {
  const server = await testServer();
  const desk = await deskOf(server);
  const { id } = await desk.request(requestOf());
  const isDecided = ({ status }: Approval) => status !== "pending";
  expect(await desk.until(id, isDecided, AbortSignal.abort())).toMatchObject({ status: "pending" });
});

it("F-18 a rule that wants a channel where there is none is refused, and says why", async () => {
  const desk = await deskOf(await testServer());
  await expect(desk.request(requestOf({ mode: "channel" }))).rejects.toThrow(DeskRefusal);
});

it("X-5 a server that is away for a while is waited for", async () => {
  const server = await testServer();
  let away = 0;
  const desk = await deskOf(server, (send) => async (url, init) => {
    if (!url.includes("/wait") || away >= 3) return send(url, init);
    away += 1;
    throw new TypeError("fetch failed");
  });
  const { id } = await desk.request(requestOf());
  const waiting = desk.until(id, ({ status }) => status !== "pending", NEVER);
  const bob = await server.browser("bob");
  await bob("POST", `/api/approvals/${id}/respond`, { decision: "approve", reason: "" });
  expect(await waiting).toMatchObject({ status: "approved" });
  expect(away).toBe(3);
});

it("X-1 what is wrong with the server or the token is an error, never a yes", async () => {
  const server = await testServer();
  await expect((await deskOf(server, undefined, "hf_wrong")).request(requestOf())).rejects.toThrow("401");
  const down = await deskOf(server, () => () => Promise.reject(new TypeError("fetch failed")));
  await expect(down.request(requestOf())).rejects.toThrow("fetch failed");
  await expect(down.use("A-1", { digest: "d".repeat(20), eventId: "e" })).rejects.toThrow("fetch failed");
  const odd = await deskOf(server, () => async () => new Response("<html>", { status: 200 }));
  await expect(odd.request(requestOf())).rejects.toThrow("no JSON");
  const gone = AbortSignal.abort();
  await expect(down.until("A-1", () => true, gone)).rejects.toThrow();
});
