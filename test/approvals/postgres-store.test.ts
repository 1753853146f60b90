import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approvalOf, personOf } from "../../src/approvals/approval.fixture.ts";
import type { Approval } from "../../src/approvals/approval.ts";
import { Approvals } from "../../src/approvals/service.ts";
import { storeConformance } from "../../src/stores/conformance.fixture.ts";
import { openStores } from "../../src/stores/open.ts";
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
