import { describe, expect, it } from "vitest";
import { type DraftChanges, personOf } from "../approvals/approval.fixture.ts";
import { type Approval, PERSONAL } from "../approvals/approval.ts";
import type { ApprovalQuery } from "../approvals/store.ts";
import { due, vote } from "../approvals/transition.ts";
import { type Pair, unique } from "./store-pair.fixture.ts";
import { changedBy, moved, stored, yes } from "./stored-approval.fixture.ts";

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

    it.each([10, 200_000])(
      "a search finds what each of several people said, beside a call of %i characters",
      async (length) => {
        const organisation = unique("org");
        const asked = await stored(one(), {
          organisation,
          call: { input: { command: `deploy ${"x ".repeat(length / 2)}` } },
          policy: { approvers: { people: [], roles: [], count: 3, notInitiator: false } },
        });
        let approval = asked;
        for (const [by, reason] of [
          ["grace", "budgeted"],
          ["ada", "tested"],
        ] as const) {
          const ballot = { person: personOf(by, { organisation }), kind: "approve", reason, via: "web" } as const;
          approval = await moved(one(), changedBy(vote(approval, ballot, new Date())));
        }
        const found = await ids({ organisation, search: "deploy grace budgeted ada tested", limit: 2 });
        expect(found).toEqual([asked.id]);
      },
    );

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
