/**
 * Approvals as a model: people, gates and timers all at once over one store, in every order, with a crash before or after
 * any call of the store. What must hold then is said by `holds`, from the history alone, by rules written a second time.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryStores } from "../stores/memory.ts";
import { draftOf, personOf } from "./approval.fixture.ts";
import type { Approval, HistoryEntry, Person, Status } from "./approval.ts";
import { rightToDecide } from "./rights.ts";
import { Approvals } from "./service.ts";
import type { ApprovalStore } from "./store.ts";
import { APPROVAL_HOLDS_MS } from "./transition.ts";

const RUNS = Number(process.env.HOLDFAST_FUZZ_RUNS ?? 400);
const EXPIRES_MS = 1_000;

const PEOPLE: readonly Person[] = [
  personOf("ada"),
  personOf("bob"),
  personOf("ina"),
  personOf("boss", { roles: ["lead"] }),
  personOf("eve", { roles: [] }),
  personOf("mal", { organisation: "globex", roles: ["admin"] }),
];
const personAt = (index: number) => PEOPLE[index % PEOPLE.length] as Person;

const index = fc.nat(PEOPLE.length - 1);
const wish = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("vote" as const),
      who: index,
      kind: fc.constantFrom("approve" as const, "approve" as const, "deny" as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("use" as const), event: fc.nat(2), isSameCall: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("withdraw" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delegate" as const), who: index, to: index }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("sweep" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("request" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("deliver" as const), hasFailed: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(100, 400, EXPIRES_MS) }) },
);
type Wish = typeof wish extends fc.Arbitrary<infer Value> ? Value : never;
const fault = fc.oneof(
  { weight: 8, arbitrary: fc.constant("none" as const) },
  fc.constantFrom("before" as const, "after" as const),
);

class Crash extends Error {}

/** Every call waits its turn, which the scheduler chooses, and may be cut short before or after it did its work. */
function unreliable(
  store: ApprovalStore,
  scheduler: fc.Scheduler,
  faults: readonly ("none" | "before" | "after")[],
): ApprovalStore {
  let calls = 0;
  const call = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const fate = faults[calls++ % Math.max(1, faults.length)] ?? "none";
    await scheduler.schedule(Promise.resolve(), name);
    if (fate === "before") throw new Crash();
    const result = await work();
    if (fate === "after") throw new Crash();
    return result;
  };
  return {
    ...store,
    get: (id) => call("get", () => store.get(id)),
    insert: (approval, history) => call("insert", () => store.insert(approval, history)),
    change: (...change) => call("change", () => store.change(...change)),
    note: (entry) => call("note", () => store.note(entry)),
    due: (at, limit) => call("due", () => store.due(at, limit)),
  };
}

interface Told {
  /** Calls that were let through: what a tool would have done. */
  readonly ran: { id: string; eventId: string }[];
  readonly voted: { id: string; by: string; kind: string }[];
}

async function perform(
  wish: Wish,
  approvals: Approvals,
  ids: readonly string[],
  digest: string,
  told: Told,
  pass: (ms: number) => void,
) {
  for (const id of ids) {
    if (wish.do === "vote") {
      const person = personAt(wish.who);
      const { kind } = wish;
      const outcome = await approvals.vote(id, { person, kind, reason: "because", via: "web" });
      if (outcome.kind === "done") told.voted.push({ id, by: person.id, kind });
    } else if (wish.do === "use") {
      const eventId = `event-${wish.event}`;
      const outcome = await approvals.use(id, { digest: wish.isSameCall ? digest : "another call", eventId });
      if (outcome.kind === "done") {
        expect(wish.isSameCall).toBe(true);
        told.ran.push({ id, eventId });
      }
    } else if (wish.do === "withdraw") await approvals.withdraw(id, "gone", null);
    else if (wish.do === "delegate") await approvals.delegate(id, personAt(wish.who), personAt(wish.to));
    else if (wish.do === "deliver") await approvals.delivered(id, wish.hasFailed ? "no such chat" : undefined);
  }
  if (wish.do === "sweep") await approvals.sweep();
  if (wish.do === "wait") pass(wish.ms);
}

const EDGES: Readonly<Record<Status, readonly Status[]>> = {
  pending: ["approved", "denied", "expired", "withdrawn"],
  approved: ["used", "withdrawn"],
  denied: [],
  expired: [],
  withdrawn: [],
  used: [],
};
const isStatus = (action: string): action is Status => action in EDGES && action !== "pending";

function holds(approval: Approval, history: readonly HistoryEntry[], told: Told): void {
  const changes = history.filter(({ action }) => action !== "refused");
  // The version grows by one with each change, and every change left its entry.
  expect([...new Set(changes.map(({ version }) => version))]).toEqual(
    Array.from({ length: approval.version }, (_, version) => version + 1),
  );

  let status: Status = "pending";
  const yes = new Set<string | null>();
  for (const { action, by, at, detail, version } of changes) {
    if (action === "voted") {
      expect(status).toBe("pending");
      expect(at < approval.expiresAt).toBe(true);
      // Whoever voted had the right by the delegations and escalation of that moment.
      const before = changes.filter((entry) => entry.version < version);
      const then: Approval = {
        ...approval,
        isEscalated: before.some((entry) => entry.action === "escalated"),
        delegations: approval.delegations.slice(0, before.filter((entry) => entry.action === "delegated").length),
      };
      expect(rightToDecide(then, PEOPLE.find(({ id }) => id === by) as Person)).toEqual({ may: true });
      expect(by).not.toBe("ina");
      if (detail.kind === "approve") {
        expect(yes.has(by)).toBe(false);
        yes.add(by);
      }
    }
    if (!isStatus(action)) continue;
    expect(EDGES[status]).toContain(action);
    status = action;
    if (action === "approved") expect(yes.size).toBe(approval.policy.approvers.count);
    if (action === "expired") expect(at >= approval.expiresAt).toBe(true);
  }
  expect(approval.status).toBe(status);
  expect(approval.votes.map(({ by }) => by)).toEqual(
    changes.filter(({ action }) => action === "voted").map(({ by }) => by),
  );

  // What was told is what is stored.
  const ran = new Set(told.ran.filter(({ id }) => id === approval.id).map(({ eventId }) => eventId));
  expect(ran.size).toBeLessThanOrEqual(1);
  for (const eventId of ran) {
    expect(approval).toMatchObject({ status: "used", usedBy: eventId });
    expect(yes.size).toBe(approval.policy.approvers.count);
    expect(changes.some(({ action }) => ["denied", "expired", "withdrawn"].includes(action))).toBe(false);
  }
  for (const { by, kind } of told.voted.filter(({ id }) => id === approval.id))
    expect(approval.votes.some((vote) => vote.by === by && vote.kind === kind)).toBe(true);
}

describe("X-3 X-4 whatever happens at once, and wherever it is cut short", () => {
  it("a call runs at most once, only after enough people with the right said yes, and the history agrees with the status", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.array(wish, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 6 }),
        fc.array(fault, { maxLength: 30 }),
        fc.integer({ min: 1, max: 3 }),
        async (scheduler, actors, faults, count) => {
          let nowMs = Date.parse("2026-05-01T00:00:00.000Z");
          const store = memoryStores({ now: () => new Date(nowMs) });
          for (const person of PEOPLE) await store.putPerson(person);
          const draft = draftOf({
            digest: "the call",
            policy: {
              approvers: { count, notInitiator: true },
              expiresAfterMs: EXPIRES_MS,
              remindEveryMs: 300,
              escalation: { afterMs: 400, people: [], roles: ["lead"], channel: null },
            },
          });
          const first = await new Approvals(store).request(draft);
          const told: Told = { ran: [], voted: [] };
          const ids = [first.id];

          const pass = (ms: number) => {
            nowMs += ms;
          };
          const shaky = unreliable(store, scheduler, faults);
          const running = actors.map(async (wishes) => {
            const approvals = new Approvals(shaky);
            for (const one of wishes) {
              try {
                if (one.do === "request") {
                  const { id } = await approvals.request(draft);
                  if (!ids.includes(id)) ids.push(id);
                } else await perform(one, approvals, [...ids], draft.digest, told, pass);
              } catch (error) {
                // The process is gone; the next wish is another's.
                if (!(error instanceof Crash)) throw error;
              }
            }
          });
          await scheduler.waitFor(Promise.all(running));

          const { approvals: all } = await store.list({ organisation: "personal", limit: 100 });
          expect(all.filter(({ status }) => status === "pending" || status === "approved").length).toBeLessThanOrEqual(
            1,
          );
          for (const approval of all) holds(approval, await store.history(approval.id), told);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("F-35 of people who click at once exactly one decides, and everybody else is told so", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.constantFrom("approve" as const, "deny" as const), { minLength: 2, maxLength: 8 }),
        async (scheduler, kinds) => {
          const store = memoryStores();
          const { id } = await new Approvals(store).request(draftOf());
          const shaky = unreliable(store, scheduler, []);
          const clicks = Promise.all(
            kinds.map((kind, place) =>
              new Approvals(shaky).vote(id, { person: personOf(`p${place}`), kind, reason: "", via: "web" }),
            ),
          );
          await scheduler.waitFor(clicks);
          const outcomes = await clicks;
          const winners = outcomes.filter((outcome) => outcome.kind === "done");
          expect(winners).toHaveLength(1);
          const stored = await store.get(id);
          expect(stored).toEqual(winners[0]?.approval);
          for (const outcome of outcomes) expect(outcome.approval?.status).toBe(stored?.status);
          const refusals = (await store.history(id)).filter(({ action }) => action === "refused");
          expect(refusals).toHaveLength(kinds.length - 1);
        },
      ),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  });
});

describe("the service", () => {
  const never = () => new AbortController().signal;

  it("F-23 a call asked again after its time is a new question, though nobody expired the old one", async () => {
    let nowMs = Date.now();
    const store = memoryStores({ now: () => new Date(nowMs) });
    const approvals = new Approvals(store);
    const draft = draftOf();
    const first = await approvals.request(draft);
    nowMs += draft.policy.expiresAfterMs;
    const second = await approvals.request(draft);
    expect(second.id).not.toBe(first.id);
    expect((await store.get(first.id))?.status).toBe("expired");
  });

  it("X-3 a yes that nobody used for a day is no yes to a call that is asked about then", async () => {
    let nowMs = Date.now();
    const store = memoryStores({ now: () => new Date(nowMs) });
    const approvals = new Approvals(store);
    const draft = draftOf();
    const { id } = await approvals.request(draft);
    await approvals.vote(id, { person: personOf("ada"), kind: "approve", reason: "", via: "web" });
    nowMs += APPROVAL_HOLDS_MS;
    expect((await approvals.request(draft)).id).toBe(id);
    nowMs += 1;
    expect(await approvals.request(draft)).toMatchObject({ status: "pending" });
    expect((await store.get(id))?.status).toBe("withdrawn");
  });

  it.each([
    ["on behalf of somebody else", { initiator: "mal" }],
    ["on behalf of nobody known", { initiator: null }],
    ["by another agent", { agent: "other" }],
  ])(
    "X-3 a yes that was asked for %s under the same digest is none for this call, and stays what it is",
    async (_, whose) => {
      const store = memoryStores();
      const approvals = new Approvals(store);
      const draft = draftOf();
      const click = { person: personOf("ada"), kind: "approve", reason: "", via: "web" } as const;
      const eventId = draft.call.eventId;
      const theirs = { ...draft, call: { ...draft.call, ...whose } };
      const { id } = await approvals.request(theirs);
      await approvals.vote(id, click);
      const own = await approvals.request(draft);
      expect(own).toMatchObject({ status: "pending", call: draft.call });
      expect((await store.get(id))?.status).toBe("approved");
      expect((await approvals.request(theirs)).id).toBe(id);
      // One that is used up says nothing of another's call either.
      await approvals.vote(own.id, click);
      await approvals.use(own.id, { digest: draft.digest, eventId });
      expect((await approvals.request(draft)).id).toBe(own.id);
      await approvals.use(id, { digest: draft.digest, eventId: "theirs" });
      expect(await approvals.request(theirs)).toMatchObject({ status: "pending", call: theirs.call });
    },
  );

  it("B14-7 a second yes that comes too late is not reported as done", async () => {
    let nowMs = Date.now();
    const store = memoryStores({ now: () => new Date(nowMs) });
    const approvals = new Approvals(store);
    const { id, expiresAt } = await approvals.request(draftOf({ policy: { approvers: { count: 2 } } }));
    const click = { person: personOf("ada"), kind: "approve", reason: "", via: "web" } as const;
    expect((await approvals.vote(id, click)).kind).toBe("done");
    nowMs = Date.parse(expiresAt);
    expect(await approvals.vote(id, click)).toMatchObject({ kind: "refused", code: "not-pending" });
    expect(await approvals.delegate(id, personOf("bob"), personOf("cyd"))).toMatchObject({ kind: "refused" });
    expect(await approvals.withdraw(id, "", null)).toMatchObject({ kind: "refused" });
    expect((await store.get(id))?.status).toBe("expired");
  });

  it("an approval nobody asked for is refused as unknown", async () => {
    const approvals = new Approvals(memoryStores());
    expect(await approvals.use("A-none", { digest: "", eventId: "" })).toMatchObject({ code: "unknown" });
    expect(await approvals.current("A-none")).toBeUndefined();
    expect(await approvals.until("A-none", () => true, never())).toBeUndefined();
  });

  it("F-24 sweeping twice changes what is due once", async () => {
    let nowMs = Date.now();
    const store = memoryStores({ now: () => new Date(nowMs) });
    const approvals = new Approvals(store);
    for (let made = 0; made < 3; made++) await approvals.request(draftOf());
    expect(await approvals.sweep()).toBe(0);
    nowMs += 60_000;
    expect(await approvals.sweep()).toBe(3);
    expect(await approvals.sweep()).toBe(0);
  });

  it("X-11 a waiter is woken by the decision, not by its poll", async () => {
    const store = memoryStores();
    const approvals = new Approvals(store);
    const { id } = await approvals.request(draftOf());
    const waited = approvals.until(id, ({ status }) => status !== "pending", never(), 1_000_000);
    await approvals.vote(id, { person: personOf("ada"), kind: "deny", reason: "no", via: "web" });
    expect((await waited)?.status).toBe("denied");
  });

  it("X-11 where nothing pushes, a waiter looks by itself; a store that fails meanwhile is asked again", async () => {
    const store = memoryStores();
    let failures = 3;
    const deaf: ApprovalStore = {
      ...store,
      watch: async () => {
        throw new Error("no watching here");
      },
      get: async (id) => {
        if (failures-- > 0) throw new Error("the database is down");
        return store.get(id);
      },
    };
    const { id } = await new Approvals(store).request(draftOf());
    const waited = new Approvals(deaf).until(id, ({ status }) => status !== "pending", never(), 5);
    await new Approvals(store).withdraw(id, "", null);
    expect((await waited)?.status).toBe("withdrawn");
  });

  it("a waiter whose store still fails at the end gets the error, not an answer", async () => {
    const store: ApprovalStore = {
      ...memoryStores(),
      get: async () => {
        throw new Error("the database is down");
      },
    };
    const ending = new AbortController();
    const waited = new Approvals(store).until("A-1", () => true, ending.signal, 5);
    ending.abort();
    await expect(waited).rejects.toThrow("the database is down");
  });

  it("whoever no longer waits gets how it stands", async () => {
    const approvals = new Approvals(memoryStores());
    const { id } = await approvals.request(draftOf());
    const ending = new AbortController();
    const waited = approvals.until(id, ({ status }) => status !== "pending", ending.signal);
    ending.abort();
    expect((await waited)?.status).toBe("pending");
  });

  it("what a process has seen it changes without reading it again, and refuses nothing by it", async () => {
    const store = memoryStores();
    let reads = 0;
    const counting: ApprovalStore = {
      ...store,
      get: (id) => {
        reads++;
        return store.get(id);
      },
    };
    const [here, elsewhere] = [new Approvals(counting), new Approvals(store)];
    const { id } = await here.request(draftOf({ policy: { approvers: { count: 2 } } }));
    const yes = (by: string) => ({ person: personOf(by), kind: "approve" as const, reason: "", via: "web" });
    expect((await here.vote(id, yes("ada"))).kind).toBe("done");
    expect(reads).toBe(0);
    // Somebody else's vote is missing in what is remembered: it is read, and counts.
    await elsewhere.delivered(id, "no such chat");
    expect(await here.vote(id, yes("bob"))).toMatchObject({ approval: { status: "approved", version: 4 } });
    expect(reads).toBe(1);
    // What is remembered says approved; what is stored says withdrawn, and that is what is answered.
    await elsewhere.withdraw(id, "gone", null);
    expect(await here.use(id, { digest: "other", eventId: "one" })).toMatchObject({
      kind: "refused",
      approval: { status: "withdrawn" },
    });
  });

  it("a waiter takes what the hint says it became, and a yes that was only hinted at lets nothing through", async () => {
    const store = memoryStores();
    const { id, digest } = await new Approvals(store).request(draftOf());
    const stored = (await store.get(id)) as Approval;
    const forged: ApprovalStore = {
      ...store,
      watch: async (_, onChange) => {
        setImmediate(() => onChange(id, { ...stored, status: "approved", version: 2 }));
        return () => {};
      },
    };
    const approvals = new Approvals(forged);
    const found = await approvals.until(id, ({ status }) => status !== "pending", never(), 1_000_000);
    expect(found?.status).toBe("approved");
    expect(await approvals.use(id, { digest, eventId: "one" })).toMatchObject({
      kind: "refused",
      code: "not-approved",
    });
  });
});
