/** Whose question an approval is: the same call asked by another agent, or on behalf of somebody else, is another question. */
import { describe, expect, it } from "vitest";
import { approvalOf, type DraftChanges } from "../approvals/approval.fixture.ts";
import type { Asker, Stores } from "../approvals/store.ts";
import { type Pair, unique } from "./store-pair.fixture.ts";

const ASKERS: readonly Asker[] = [
  { agent: null, initiator: null },
  { agent: null, initiator: "" },
  { agent: "", initiator: null },
  { agent: null, initiator: "ina" },
  { agent: "coder", initiator: null },
  { agent: "coder", initiator: "ina" },
  { agent: "ina", initiator: "coder" },
  { agent: "nul\0", initiator: "nul\0" },
];

async function asked(stores: Stores, changes: DraftChanges) {
  const { approval, history } = approvalOf(changes);
  return stores.insert(approval, history);
}

export function askerRules({ one, other }: Pair): void {
  describe("askers", () => {
    it("each has a question of their own under one digest, and finds that one again", async () => {
      const [organisation, digest] = [unique("org"), unique("call")];
      const first = [];
      for (const call of ASKERS) first.push(await asked(one(), { organisation, digest, call }));
      expect(first.map(({ stored }) => stored)).toEqual(ASKERS.map(() => true));
      for (const [index, call] of ASKERS.entries()) {
        const again = await asked(other(), { organisation, digest, call });
        expect(again).toEqual({ stored: false, approval: first[index]?.approval });
        expect(await other().byDigest(organisation, digest, call)).toEqual(first[index]?.approval);
      }
    });

    it("of many who ask at once, each asker gets one and the same", async () => {
      const [organisation, digest] = [unique("org"), unique("call")];
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, index) =>
          asked(index % 2 ? one() : other(), { organisation, digest, call: ASKERS[index % ASKERS.length] ?? {} }),
        ),
      );
      expect(answers.filter(({ stored }) => stored)).toHaveLength(ASKERS.length);
      expect(new Set(answers.map(({ approval }) => approval.id)).size).toBe(ASKERS.length);
    });

    it("a list is of one initiator, or of what is asked on nobody's behalf", async () => {
      const organisation = unique("org");
      for (const call of ASKERS) await asked(one(), { organisation, call });
      const initiatorsOf = async (initiator: string | null) =>
        (await other().list({ organisation, initiator, limit: 50 })).approvals.map(({ call }) => call.initiator);
      expect(await initiatorsOf("ina")).toEqual(["ina", "ina"]);
      expect(await initiatorsOf("")).toEqual([""]);
      expect(await initiatorsOf("nul\0")).toEqual(["nul\0"]);
      expect(await initiatorsOf(null)).toEqual([null, null, null]);
    });
  });
}
