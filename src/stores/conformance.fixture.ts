/** What every store holds to, whatever it keeps things in: each rule of the ports in src/approvals/store.ts. */
import { afterAll, beforeAll, describe } from "vitest";
import type { Stores } from "../approvals/store.ts";
import { actorRules } from "./conformance-actors.fixture.ts";
import { approvalChangeRules } from "./conformance-approval-changes.fixture.ts";
import { approvalListRules } from "./conformance-approval-lists.fixture.ts";
import { approvalWatchRules } from "./conformance-approval-watches.fixture.ts";
import { askerRules } from "./conformance-askers.fixture.ts";
import { auditRules } from "./conformance-audit.fixture.ts";
import { delegationRules } from "./conformance-delegations.fixture.ts";
import { channelRules, keptRules, peopleRules, settingsRules } from "./conformance-directory.fixture.ts";
import type { Pair } from "./store-pair.fixture.ts";

/** `open` opens one more connection to the same store: two of them are two processes as far as the store can tell. */
export function storeConformance(name: string, open: () => Promise<Stores>): void {
  describe(`${name} holds the rules of a store`, () => {
    const opened: Stores[] = [];
    beforeAll(async () => {
      opened.push(await open(), await open());
    });
    afterAll(async () => {
      await Promise.all(opened.map((stores) => stores.close()));
    });
    const pair: Pair = {
      one: () => opened[0] as Stores,
      other: () => opened[1] as Stores,
    };
    for (const rules of [
      approvalChangeRules,
      approvalListRules,
      approvalWatchRules,
      askerRules,
      delegationRules,
      actorRules,
      peopleRules,
      channelRules,
      keptRules,
      settingsRules,
      auditRules,
    ])
      rules(pair);
  });
}
