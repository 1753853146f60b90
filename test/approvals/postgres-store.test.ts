import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { RightLost } from "../../src/approvals/actor.ts";
import { approvalOf, personOf } from "../../src/approvals/approval.fixture.ts";
import type { Approval } from "../../src/approvals/approval.ts";
import { Approvals } from "../../src/approvals/service.ts";
import { storeConformance } from "../../src/stores/conformance.fixture.ts";
import { openStores } from "../../src/stores/open.ts";
import { migrate, STEPS } from "../../src/stores/postgres/migrations.ts";
import { approvalColumns } from "../../src/stores/sql/approval-row.ts";
import { latencyOf } from "../../src/stores/sql/latency-class.ts";
import { type Postgres, startPostgres } from "./postgres.ts";

let postgres: Postgres | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

storeConformance("PostgreSQL", () => openStores({ url: postgres?.url ?? "" }));

describe("what PostgreSQL tells whoever waits", () => {
  const heardOf = async (command: string) => {
    const [one, other] = await Promise.all([
      openStores({ url: postgres?.url ?? "" }),
      openStores({ url: postgres?.url ?? "" }),
    ]);
    try {
      const { approval, history } = approvalOf({ call: { input: { command } } });
      await one.insert(approval, history);
      let hear: (news: Approval | undefined) => void = () => {};
      const heard = new Promise<Approval | undefined>((resolve) => {
        hear = resolve;
      });
      await other.watch(approval.id, (_, news) => hear(news));
      const ballot = { person: personOf("ada"), kind: "approve" as const, reason: "", via: "web" };
      expect((await new Approvals(one).vote(approval.id, ballot)).kind).toBe("done");
      return { news: await heard, stored: await one.get(approval.id) };
    } finally {
      await Promise.all([one.close(), other.close()]);
    }
  };

  it("is the decided approval itself, so that nobody has to read it", async () => {
    const { news, stored } = await heardOf("deploy --größe 1");
    expect(news).toEqual(stored);
    expect(news?.status).toBe("approved");
  });

  it("is only its name where it is longer than a notification may be", async () => {
    expect((await heardOf("ü".repeat(4_000))).news).toBeUndefined();
  });
});

it.each([
  ["a vote", "ada", "approved"],
  ["handing a decision on", "ada", "handed on"],
  ["handing a decision on", "bob", "handed on"],
] as const)("X-6 %s waits for a removal of %s that is under way, and then does not count", async (_, leaver, wish) => {
  const url = postgres?.url ?? "";
  const [stores, client] = [await openStores({ url }), new pg.Client(url)];
  onTestFinished(async () => {
    await client.end();
    await stores.close();
  });
  await client.connect();
  const [ada, bob] = [personOf("ada", { organisation: "leaving" }), personOf("bob", { organisation: "leaving" })];
  for (const person of [ada, bob]) await stores.putPerson(person);
  const { approval, history } = approvalOf({ organisation: "leaving" });
  await stores.insert(approval, history);
  await client.query("begin");
  await client.query("delete from holdfast.people where organisation = 'leaving' and id = $1", [leaver]);
  let hasAnswered = false;
  const approvals = new Approvals(stores);
  const yes = { person: ada, kind: "approve", reason: "", via: "web", isMember: true } as const;
  const wished = wish === "approved" ? approvals.vote(approval.id, yes) : approvals.delegate(approval.id, ada, bob);
  const answered = wished.finally(() => {
    hasAnswered = true;
  });
  await expect
    .poll(async () => {
      const { rows } = await client.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'");
      return rows.length;
    })
    .toBe(1);
  expect(hasAnswered).toBe(false);
  await client.query("commit");
  expect((await answered).kind).not.toBe("done");
  expect(await stores.get(approval.id)).toEqual(approval);
});

it.each([
  ["removal", "delete from holdfast.people where organisation = 'losing' and id = 'bob'"],
  ["loss of the role", "update holdfast.people set body = $1 where organisation = 'losing' and id = 'bob'"],
] as const)("X-6 what an admin changes waits for their %s that is under way, and is refused", async (_, losing) => {
  const url = postgres?.url ?? "";
  const [stores, client] = [await openStores({ url }), new pg.Client(url)];
  onTestFinished(async () => {
    await client.end();
    await stores.close();
  });
  await client.connect();
  const bob = personOf("bob", { organisation: "losing", roles: ["admin"] });
  for (const person of [bob, { ...bob, id: "ada" }]) await stores.putPerson(person);
  await client.query("begin");
  await client.query(losing, losing.includes("$1") ? [JSON.stringify({ ...bob, roles: [] })] : []);
  const asked = stores.by({ organisation: "losing", id: "bob", roles: ["admin"] }).putPerson({ ...bob, id: "eve" });
  const answered = asked.catch((error: unknown) => error);
  await expect
    .poll(async () => (await client.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'")).rows.length)
    .toBe(1);
  await client.query("commit");
  expect(await answered).toBeInstanceOf(RightLost);
  expect(await stores.person("losing", "eve")).toBeUndefined();
});

describe("any client of the database may notify, without a right to anything", () => {
  const heardBy = async (payloadsFor: (approval: Approval) => readonly string[]) => {
    const url = postgres?.url ?? "";
    const [stores, client] = [await openStores({ url }), new pg.Client(url)];
    onTestFinished(async () => {
      await client.end();
      await stores.close();
    });
    await client.connect();
    const approvals = new Approvals(stores);
    const { approval, history } = approvalOf();
    await stores.insert(approval, history);
    const waiting = approvals.until(approval.id, ({ status }) => status !== "pending", new AbortController().signal);
    // Until somebody listens.
    await stores.watch(approval.id, () => {});
    for (const payload of payloadsFor(approval)) {
      await client.query("select pg_notify('holdfast_approvals', $1)", [payload]);
    }
    return { approval, approvals, stores, waiting };
  };

  it("what is no news of ours is passed over, and the next decision still arrives", async () => {
    const { approval, approvals, waiting } = await heardBy(({ id }) => [
      "{",
      '{"id":7}',
      "{}",
      `{"id":"${id}","status":"approved"}`,
      `{"id":"${id}","status":"done","version":1,"call":{}}`,
      "",
    ]);
    const ballot = { person: personOf("ada"), kind: "approve" as const, reason: "", via: "web" };
    expect((await approvals.vote(approval.id, ballot)).kind).toBe("done");
    expect(await waiting).toMatchObject({ id: approval.id, status: "approved", votes: [{ by: "ada" }] });
  });

  it("X-11 a yes that somebody made up lets nothing run, and does not become the stored one", async () => {
    const { approval, approvals, stores, waiting } = await heardBy((asked) => [
      JSON.stringify({ ...asked, status: "approved" }),
    ]);
    await waiting;
    const use = { digest: approval.digest, eventId: "e1" };
    expect(await approvals.use(approval.id, use)).toMatchObject({ kind: "refused" });
    expect(await stores.get(approval.id)).toEqual(approval);
  });
});

it("counts of an older version are taken along: a chart looks the same afterwards", async () => {
  const url = (await postgres?.database("older")) ?? "";
  const client = new pg.Client(url);
  await client.connect();
  await client.query("create schema holdfast; set search_path to holdfast");
  await migrate(client, STEPS.slice(0, 1));
  await client.query(`insert into audit_counts (organisation, width_ms, starts_at, decision, ms_class, rows) values
    ('personal', 60000, 0, 'allow', 3, 7), ('personal', 60000, 0, 'allow', 30, 2), ('personal', 60000, 0, 'block', 0, 1),
    ('personal', 60000, 60000, 'allow', 5, 4), ('other', 60000, 0, 'allow', 3, 9)`);
  await client.end();
  const stores = await openStores({ url });
  const buckets = await stores.auditBuckets("personal", new Date(0), new Date(120_000), 60_000);
  await stores.close();
  expect(buckets).toEqual([
    {
      startsAt: "1970-01-01T00:00:00.000Z",
      decisions: { allow: 9, block: 1 },
      p50Ms: latencyOf(3),
      p95Ms: latencyOf(30),
    },
    { startsAt: "1970-01-01T00:01:00.000Z", decisions: { allow: 4 }, p50Ms: latencyOf(5), p95Ms: latencyOf(5) },
  ]);
});

it("whose question it was is read out of every older body, whatever stands in the call", async () => {
  const url = (await postgres?.database("older_askers")) ?? "";
  const client = new pg.Client(url);
  await client.connect();
  await client.query("create schema holdfast; set search_path to holdfast");
  await migrate(client, STEPS.slice(0, 3));
  const deep = JSON.parse(`${"[".repeat(1_500)}${"]".repeat(1_500)}`);
  const inputs = [{ lone: "\ud83d" }, { low: "\udc00" }, { escaped: "\\ud83d" }, { nul: "\0" }, { deep }];
  const asked = inputs.map((input) => approvalOf({ organisation: "acme", call: { initiator: "ina", input } }).approval);
  asked.push(approvalOf({ organisation: "acme", call: { initiator: null } }).approval);
  for (const approval of asked) {
    const { initiator: _, ...columns } = approvalColumns(approval);
    const places = Object.keys(columns).map((_, index) => `$${index + 1}`);
    await client.query(
      `insert into approvals (${Object.keys(columns).join(", ")}, words) values (${places.join(", ")}, '')`,
      Object.values(columns),
    );
  }
  await client.end();
  const stores = await openStores({ url });
  onTestFinished(() => stores.close());
  const listed = async (initiator: string | null) =>
    (await stores.list({ organisation: "acme", initiator, limit: 9 })).approvals.map(({ id }) => id).toReversed();
  expect(await listed("ina")).toEqual(asked.slice(0, -1).map(({ id }) => id));
  expect(await listed(null)).toEqual([asked.at(-1)?.id]);
});
