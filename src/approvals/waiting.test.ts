import { describe, expect, it } from "vitest";
import { memoryStores } from "../stores/memory.ts";
import { draftOf } from "./approval.fixture.ts";
import type { Approval } from "./approval.ts";
import { Approvals } from "./service.ts";
import type { OnApprovalChange } from "./store.ts";

const isDecided = ({ status }: Approval) => status !== "pending";

/** A store whose watchers the test calls, with an approval in it. */
async function waitedFor() {
  const memory = memoryStores();
  const approval = await new Approvals(memory).request(draftOf());
  const order: string[] = [];
  let tell: OnApprovalChange = () => {};
  const store = {
    ...memory,
    watch: async (_: string | null, onChange: OnApprovalChange) => {
      tell = onChange;
      return () => void order.push("unwatched");
    },
  };
  return { approval, store, order, tell: (news: Approval) => tell(news.id, news) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("whoever waits for an approval", () => {
  it("goes on when it is told, though the look at the store has not come back", async () => {
    const { approval, store, tell } = await waitedFor();
    const approvals = new Approvals({ ...store, get: () => new Promise(() => {}) });
    const waited = approvals.until(approval.id, isDecided, new AbortController().signal, 1_000_000);
    await turn();
    tell({ ...approval, status: "denied" });
    expect((await waited)?.status).toBe("denied");
  });

  it("goes on before its watch is taken down, and the watch is taken down", async () => {
    const { approval, store, order, tell } = await waitedFor();
    const approvals = new Approvals(store);
    const waited = approvals
      .until(approval.id, isDecided, new AbortController().signal, 1_000_000)
      .then(() => order.push("went on"));
    await turn();
    tell({ ...approval, status: "denied" });
    await waited;
    await turn();
    expect(order).toEqual(["went on", "unwatched"]);
  });

  it("looks, if what it was told cannot be judged, and goes on waiting", async () => {
    const { approval, store, order, tell } = await waitedFor();
    let looks = 0;
    const approvals = new Approvals({
      ...store,
      get: (id) => {
        looks++;
        return store.get(id);
      },
    });
    const isVotedOn = ({ votes }: Approval) => votes.length > 0;
    const waited = approvals.until(approval.id, isVotedOn, new AbortController().signal, 1_000_000);
    await turn();
    const before = looks;
    tell({ ...approval, votes: undefined as unknown as Approval["votes"] });
    await turn();
    expect([looks > before, order]).toEqual([true, []]);
    const vote = {
      person: "ada",
      decision: "approve",
      at: approval.requestedAt,
      via: "web",
    } as unknown as Approval["votes"][0];
    tell({ ...approval, votes: [vote] });
    expect((await waited)?.votes).toEqual([vote]);
  });

  it("hears why, if what is stored cannot be judged", async () => {
    const { approval, store, order } = await waitedFor();
    const isJudged = () => {
      throw new TypeError("it has no votes");
    };
    const waited = new Approvals(store).until(approval.id, isJudged, new AbortController().signal, 1_000_000);
    await expect(waited).rejects.toThrow("it has no votes");
    expect(order).toEqual(["unwatched"]);
  });
});
