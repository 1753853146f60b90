import { describe, expect, it } from "vitest";
import { approvalOf, type DraftChanges, personOf } from "../approvals/approval.fixture.ts";
import { type Approval, type HistoryEntry, PERSONAL } from "../approvals/approval.ts";
import type { ApprovalQuery, Stores } from "../approvals/store.ts";
import { due, expire, use, vote, withdraw } from "../approvals/transition.ts";
import { type Pair, unique } from "./conformance.fixture.ts";

const yes = (approval: Approval, by = "ada") =>
  changedBy(
    vote(
      approval,
      { person: personOf(by, { organisation: approval.organisation }), kind: "approve", reason: "fine", via: "web" },
      new Date(),
    ),
  );

function changedBy(made: ReturnType<typeof vote>) {
  if (made.kind === "refused") throw new Error(made.why);
  return made;
}

async function stored(stores: Stores, changes: DraftChanges = {}, now = new Date()): Promise<Approval> {
  const { approval, history } = approvalOf(changes, now);
  expect(await stores.insert(approval, history)).toEqual({ stored: true, approval });
  return approval;
}

async function moved(
  stores: Stores,
  made: { approval: Approval; history: readonly HistoryEntry[] },
): Promise<Approval> {
  expect(await stores.change(made.approval, made.history)).toBe(true);
  return made.approval;
}

export function approvalChangeRules({ one, other }: Pair): void {
  describe("approvals", () => {
    it("what was stored comes back whole, in another connection too", async () => {
      const { approval, history } = approvalOf({
        reason: `quotes ' " \\ and ; -- and <b>markup</b>`,
        call: { tool: "mcp__x__写", input: { text: "a\u0000b \ud83d\ude00 \ud800 end", deep: [1, null, { a: 1.5 }] } },
        policy: { escalation: { afterMs: 5, people: ["e"], roles: [], channel: null } },
      });
      expect(await one().insert(approval, history)).toEqual({ stored: true, approval });
      expect(await other().get(approval.id)).toEqual(approval);
      expect(await other().history(approval.id)).toEqual(history);
    });

    it("an approval nobody stored is undefined, with no history", async () => {
      expect(await one().get("A-none")).toBeUndefined();
      expect(await one().byDigest("personal", unique("call"))).toBeUndefined();
      expect(await one().history("A-none")).toEqual([]);
    });

    it("F-16 the same call asked twice while pending is one approval", async () => {
      const first = await stored(one());
      const again = approvalOf({ digest: first.digest });
      expect(await other().insert(again.approval, again.history)).toEqual({ stored: false, approval: first });
      expect(await one().get(again.approval.id)).toBeUndefined();
      expect(await one().history(again.approval.id)).toEqual([]);
    });

    it("X-3 a yes that was not used is found by the same call, a used one is not", async () => {
      const first = await stored(one());
      const approved = await moved(one(), yes(first));
      const again = approvalOf({ digest: first.digest });
      expect(await other().insert(again.approval, again.history)).toEqual({ stored: false, approval: approved });
      await moved(one(), changedBy(use(approved, { digest: first.digest, eventId: "e" }, new Date())));
      expect((await other().insert(again.approval, again.history)).stored).toBe(true);
      expect((await one().byDigest("personal", first.digest))?.id).toBe(again.approval.id);
    });

    it.each([
      [
        "denied",
        (approval: Approval) =>
          vote(approval, { person: personOf("a"), kind: "deny", reason: "", via: "web" }, new Date()),
      ],
      ["expired", (approval: Approval) => expire(approval, new Date(Date.parse(approval.expiresAt)))],
      ["withdrawn", (approval: Approval) => withdraw(approval, "gone", null, new Date())],
    ])("a call whose approval is %s may be asked about anew", async (status, step) => {
      const first = await stored(one());
      expect((await moved(one(), changedBy(step(first)))).status).toBe(status);
      expect((await stored(other(), { digest: first.digest })).id).not.toBe(first.id);
    });

    it("of many who ask about one call at once, one is stored and all get it", async () => {
      const digest = unique("call");
      const asked = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const { approval, history } = approvalOf({ digest });
          return (index % 2 ? one() : other()).insert(approval, history);
        }),
      );
      expect(asked.filter((answer) => answer.stored)).toHaveLength(1);
      expect(new Set(asked.map(({ approval }) => approval.id)).size).toBe(1);
    });

    it("organisations are kept apart: the same digest elsewhere is another approval", async () => {
      const mine = await stored(one(), { organisation: "acme" });
      const theirs = await stored(one(), { organisation: "globex", digest: mine.digest });
      expect((await one().byDigest("acme", mine.digest))?.id).toBe(mine.id);
      expect((await one().byDigest("globex", mine.digest))?.id).toBe(theirs.id);
    });

    it("X-4 a change is stored only over the version it was made from, with its history", async () => {
      const first = await stored(one());
      const made = yes(first);
      expect(await one().change(made.approval, made.history)).toBe(true);
      const late = changedBy(withdraw(first, "too late", null, new Date()));
      expect(await other().change(late.approval, late.history)).toBe(false);
      expect(await other().get(first.id)).toEqual(made.approval);
      expect((await other().history(first.id)).map(({ action }) => action)).toEqual(["requested", "voted", "approved"]);
    });

    it("a change of what is not there is refused", async () => {
      const { approval } = approvalOf();
      const made = yes(approval);
      expect(await one().change(made.approval, made.history)).toBe(false);
      expect(await one().history(approval.id)).toEqual([]);
    });

    it("X-4 of many changes from one version exactly one is stored", async () => {
      const first = await stored(one());
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const made = yes(first, `person-${index}`);
          return (index % 2 ? one() : other()).change(made.approval, made.history);
        }),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      expect((await one().get(first.id))?.votes).toHaveLength(1);
      expect(await one().history(first.id)).toHaveLength(3);
    });

    it("what changes nothing is noted in order, and leaves the approval as it is", async () => {
      const first = await stored(one());
      const entry: HistoryEntry = {
        approval: first.id,
        organisation: first.organisation,
        version: 1,
        at: new Date().toISOString(),
        action: "refused",
        by: "eve",
        via: "web",
        detail: { code: "not-approver" },
      };
      await other().note(entry);
      expect((await one().history(first.id)).at(-1)).toEqual(entry);
      expect(await one().get(first.id)).toEqual(first);
    });

    it("B14-16 what happened outlives the channel and the people it names", async () => {
      const organisation = unique("org");
      const channel = unique("channel");
      await one().putPerson(personOf("ada", { organisation }));
      const at = new Date().toISOString();
      await one().putChannel({
        id: channel,
        organisation,
        type: "slack",
        name: "ops",
        isActive: true,
        sealedConfig: "",
        createdAt: at,
        updatedAt: at,
      });
      const decided = await moved(one(), yes(await stored(one(), { organisation, channel })));
      await one().removeChannel(channel);
      await one().removePerson(organisation, "ada");
      expect(await other().get(decided.id)).toEqual(decided);
      expect((await other().history(decided.id)).map(({ by }) => by)).toEqual(["ina", "ada", "ada"]);
    });

    it("the time of the store is near this machine's", () => {
      expect(Math.abs(one().now().getTime() - Date.now())).toBeLessThan(60_000);
    });
  });
}

export function approvalListRules({ one, other }: Pair): void {
  const ids = async (query: ApprovalQuery) => (await other().list(query)).approvals.map(({ id }) => id);

  describe("lists of approvals", () => {
    it("pages go from the newest to the oldest, each approval once", async () => {
      const organisation = unique("org");
      const made: string[] = [];
      for (let index = 0; index < 7; index++) made.push((await stored(one(), { organisation })).id);
      const seen: string[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const page = await other().list({ organisation, limit: 3, ...(cursor !== undefined && { cursor }) });
        seen.push(...page.approvals.map(({ id }) => id));
        cursor = page.next;
        pages++;
      } while (cursor !== undefined);
      expect(seen).toEqual(made.reverse());
      expect(pages).toBe(3);
    });

    it("what comes in between pages moves nothing", async () => {
      const organisation = unique("org");
      const first = await stored(one(), { organisation });
      const second = await stored(one(), { organisation });
      const page = await one().list({ organisation, limit: 1 });
      expect(page.approvals[0]?.id).toBe(second.id);
      await stored(one(), { organisation });
      expect(await ids({ organisation, limit: 5, cursor: page.next as string })).toEqual([first.id]);
    });

    it("an organisation sees only its own", async () => {
      const [mine, theirs] = [unique("org"), unique("org")];
      const { id } = await stored(one(), { organisation: mine });
      await stored(one(), { organisation: theirs });
      expect(await ids({ organisation: mine, limit: 10 })).toEqual([id]);
    });

    it("status, session, agent and tool narrow a list, alone and together", async () => {
      const organisation = unique("org");
      const plain = await stored(one(), { organisation });
      const other = await stored(one(), { organisation, call: { session: "s2", agent: "coder", tool: "Write" } });
      const approved = await moved(one(), yes(await stored(one(), { organisation, call: { agent: "coder" } })));
      const all = { organisation, limit: 10 };
      expect(await ids({ ...all, statuses: ["pending"] })).toEqual([other.id, plain.id]);
      expect(await ids({ ...all, statuses: ["approved", "pending"] })).toEqual([approved.id, other.id, plain.id]);
      expect(await ids({ ...all, statuses: ["denied"] })).toEqual([]);
      expect(await ids({ ...all, statuses: [] })).toEqual([]);
      expect(await ids({ ...all, session: "s2" })).toEqual([other.id]);
      expect(await ids({ ...all, agent: "coder" })).toEqual([approved.id, other.id]);
      expect(await ids({ ...all, tool: "Write" })).toEqual([other.id]);
      expect(await ids({ ...all, agent: "coder", statuses: ["approved"] })).toEqual([approved.id]);
    });

    it("pages of several statuses go on where they ended", async () => {
      const organisation = unique("org");
      const made: string[] = [];
      for (let index = 0; index < 6; index++) {
        const approval = await stored(one(), { organisation });
        made.push(approval.id);
        if (index % 2) await moved(one(), yes(approval));
      }
      const query = { organisation, limit: 4, statuses: ["pending", "approved"] as const };
      const page = await one().list(query);
      const rest = await one().list({ ...query, cursor: page.next as string });
      expect([...page.approvals, ...rest.approvals].map(({ id }) => id)).toEqual(made.reverse());
      expect(rest.next).toBeUndefined();
    });

    it("a search finds whatever holds all its words, or words that begin with them", async () => {
      const organisation = unique("org");
      const invoice = await stored(one(), {
        organisation,
        reason: "Pays an invoice.",
        call: { tool: "pay", input: { to: "Müller & Söhne", amounts: [1250] }, effects: ["spends money"] },
      });
      const file = await stored(one(), {
        organisation,
        call: { input: { path: "src/app/main.ts", note: "删除文件 हिन्दी 𞤀𞤁" } },
      });
      const search = (text: string) => ids({ organisation, limit: 10, search: text });
      expect(await search("invoice")).toEqual([invoice.id]);
      expect(await search("MÜLLER inv")).toEqual([invoice.id]);
      expect(await search("money 1250")).toEqual([invoice.id]);
      expect(await search("main.ts")).toEqual([file.id]);
      expect(await search("文件")).toEqual([file.id]);
      expect(await search("हिन्दी 𞤀")).toEqual([file.id]);
      expect(await search("invoice main")).toEqual([]);
      expect(await search("voice")).toEqual([]);
      expect(await search(file.id)).toEqual([file.id]);
      expect(await search("  ")).toEqual([file.id, invoice.id]);
    });

    it("a search finds what people said when they decided, and pages like a list", async () => {
      const organisation = unique("org");
      const made: string[] = [];
      for (let index = 0; index < 3; index++) {
        const approval = await stored(one(), { organisation });
        made.push(approval.id);
        await moved(
          one(),
          changedBy(
            vote(
              approval,
              { person: personOf("grace", { organisation }), kind: "deny", reason: "unbudgeted", via: "web" },
              new Date(),
            ),
          ),
        );
      }
      await stored(one(), { organisation });
      const page = await one().list({ organisation, search: "unbudgeted grace", limit: 2 });
      expect(page.approvals.map(({ id }) => id)).toEqual([made[2], made[1]]);
      expect(await ids({ organisation, search: "unbudgeted", limit: 2, cursor: page.next as string })).toEqual([
        made[0],
      ]);
      expect(await ids({ organisation, search: "unbudgeted", limit: 5, statuses: ["pending"] })).toEqual([]);
    });

    it.each([`" OR 1=1 --`, "a* NEAR(b)", "' & | ! ( ) :*", "%_", "\u0000", "words:x", "\\"])(
      "signs that a database gives a meaning to have none in a search: %j",
      async (search) => {
        const organisation = unique("org");
        await stored(one(), { organisation, call: { input: { command: "nothing like that" } } });
        expect((await one().list({ organisation, search, limit: 5 })).approvals.length).toBeLessThanOrEqual(1);
      },
    );

    it("a cursor that no list gave out is refused with HF921", async () => {
      for (const cursor of ["", "x", Buffer.from('["1 or 1=1"]').toString("base64url"), "e30"])
        await expect(one().list({ organisation: "personal", limit: 1, cursor })).rejects.toMatchObject({
          code: "HF921",
        });
    });

    it("F-24 what is due is pending and past its moment, the most overdue first", async () => {
      const past = new Date(Date.now() - 10 * 24 * 60 * 60_000);
      const moments: DraftChanges[] = [
        { policy: { expiresAfterMs: 3_000 } },
        { policy: { remindEveryMs: 1_000 } },
        { policy: { escalation: { afterMs: 2_000, people: ["boss"], roles: [], channel: null } } },
      ];
      const made: Approval[] = [];
      for (const changes of moments)
        made.push(await stored(one(), { ...changes, policy: { expiresAfterMs: 900_000, ...changes.policy } }, past));
      await stored(one(), { policy: { expiresAfterMs: 900_000 } }, past);
      await moved(one(), yes(await stored(one(), { policy: { expiresAfterMs: 900_000_000 } }, past)));
      const [expiring, reminding, escalating] = made as [Approval, Approval, Approval];
      const at = new Date(past.getTime() + 3_500);
      const order = (await other().due(at, 10)).map(({ id }) => id);
      expect(order).toEqual([reminding.id, escalating.id, expiring.id]);
      expect(await other().due(at, 2)).toHaveLength(2);
      expect(await other().due(new Date(past.getTime() + 500), 10)).toEqual([]);

      for (const approval of made) await moved(one(), changedBy(due(approval, at) as ReturnType<typeof vote>));
      expect(await other().due(at, 10)).toEqual([]);
    });

    it("a session is listed with those of its sub-agents, and with no other that only begins alike", async () => {
      const session = unique("tree");
      const made: Approval[] = [];
      for (const name of ["", "/coder", "/coder/tester", "-other", "0", "!", " /x"])
        made.push(await stored(one(), { call: { session: `${session}${name}` } }));
      const found = await other().list({ organisation: PERSONAL, sessionTree: session, limit: 10 });
      expect(found.approvals.map(({ id }) => id)).toEqual([2, 1, 0].map((place) => made[place]?.id));
    });
  });
}

export function approvalWatchRules({ one, other }: Pair): void {
  describe("watching", () => {
    it("X-11 a change by another process calls whoever watches that approval", async () => {
      const approval = await stored(one());
      const rung = deferred<readonly [string, Approval | undefined]>();
      const unwatch = await other().watch(approval.id, (changed, news) => rung.resolve([changed, news]));
      await moved(one(), yes(approval));
      const [id, news] = await rung.promise;
      expect(id).toBe(approval.id);
      if (news) expect(news).toEqual(await other().get(id));
      unwatch();
    });

    it("whoever watches all hears of new and of changed approvals", async () => {
      const heard: string[] = [];
      let check = () => {};
      const unwatch = await other().watch(null, (id) => {
        heard.push(id);
        check();
      });
      const until = (id: string) =>
        new Promise<void>((resolve) => {
          check = () => heard.includes(id) && resolve();
          check();
        });
      const approval = await stored(one());
      await until(approval.id);
      heard.length = 0;
      await moved(one(), yes(approval));
      await until(approval.id);
      unwatch();
    });

    it("nobody is called after unwatching", async () => {
      const approval = await stored(one());
      const heard: string[] = [];
      (await other().watch(approval.id, (id) => void heard.push(id)))();
      (await other().watch(null, (id) => void heard.push(id)))();
      const rung = deferred<string>();
      const unwatch = await other().watch(approval.id, (id) => rung.resolve(id));
      await moved(one(), yes(approval));
      await rung.promise;
      expect(heard).toEqual([]);
      unwatch();
    });
  });
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
