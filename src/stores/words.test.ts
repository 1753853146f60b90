import { expect, it } from "vitest";
import { approvalOf } from "../approvals/approval.fixture.ts";
import { searchableWords } from "./words.ts";

it("an approval is found by what its call would do in words, and the same as data adds none", () => {
  const effects = ["deletes /srv and all below it"];
  const deeds = [{ kind: "delete-recursive", of: ["/srv"], through: [] }];
  const { approval } = approvalOf({ call: { effects } });
  const words = searchableWords({ ...approval, call: { ...approval.call, deeds } });
  expect(words).toContain("deletes");
  expect(words).toEqual(searchableWords(approval));
});
