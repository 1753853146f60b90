import { expect, it } from "vitest";
import { draftOf, POLICY, personOf } from "../approvals/approval.fixture.ts";
import type { AskedCall, Policy } from "../approvals/approval.ts";
import type { DeskRequest } from "../approvals/desk.ts";
import { localDesk } from "../approvals/local-desk.ts";
import { Approvals } from "../approvals/service.ts";
import { memoryStores } from "../stores/memory.ts";
import { decidersOf, putQuestion } from "./put-question.ts";

const approvers = { people: ["cleo", "ada"], roles: ["lead"], count: 2, notInitiator: true };
const policy: Policy = { ...POLICY, approvers };

it("a rule that never escalates is digested as it was before escalation counted: what was asked then is found after an upgrade", () => {
  expect(decidersOf(policy)).toEqual([["ada", "cleo"], ["lead"], 2, true]);
});

it("to whom and when a rule escalates is part of whose yes it takes", () => {
  const escalation = { afterMs: 1_000, people: ["eve", "bob"], roles: [], channel: null };
  expect(decidersOf({ ...policy, escalation })).toEqual([
    ...[["ada", "cleo"], ["lead"], 2, true],
    [1_000, ["bob", "eve"], []],
  ]);
});

const DEEDS: AskedCall["deeds"] = [{ kind: "delete-recursive", of: ["/srv"], through: ["sudo"] }];
const WORDS = ["deletes /srv and all below it (through sudo)"];

function asking(call: Partial<AskedCall>) {
  const stores = memoryStores();
  const { id: _, ...draft } = draftOf({ call: { effects: WORDS, deeds: DEEDS } });
  const request: DeskRequest = { ...draft, mode: "auto" };
  return {
    stores,
    request,
    desk: localDesk(stores),
    /** A question that is there already, under the same digest, and its yes. */
    async approved(through: "desk" | "store") {
      const earlier = { ...draft, call: { ...draft.call, ...call } };
      const approvals = new Approvals(stores);
      const { id } = await (through === "desk"
        ? localDesk(stores).request({ ...earlier, mode: "auto" })
        : approvals.request(earlier));
      await approvals.vote(id, { person: personOf("ada"), kind: "approve", reason: "", via: "web" });
      return id;
    },
  };
}

it("a yes that was given to another release's words for the same deeds holds", async () => {
  const { approved, desk, request } = asking({ effects: ["removes the folder /srv, with sudo"] });
  const id = await approved("store");
  expect(await putQuestion(desk, request)).toMatchObject({ id, status: "approved" });
});

it("a yes from before deeds were data holds where its words are ours, and only there", async () => {
  const same = asking({ deeds: undefined });
  const id = await same.approved("store");
  expect(await putQuestion(same.desk, same.request)).toMatchObject({ id, status: "approved" });
  const other = asking({ deeds: undefined, effects: ["reads /srv"] });
  const lied = await other.approved("store");
  expect(await putQuestion(other.desk, other.request)).toMatchObject({ status: "pending", call: { effects: WORDS } });
  expect((await other.stores.get(lied))?.status).toBe("withdrawn");
});

it("X-3 who asks does not choose the words that people read: the desk makes them of the deeds", async () => {
  const { approved, stores } = asking({ effects: ["reads /srv"] });
  expect((await stores.get(await approved("desk")))?.call.effects).toEqual(WORDS);
});

it("X-3 a yes to other deeds under the digest of this call is none", async () => {
  const { approved, desk, request, stores } = asking({ deeds: [{ kind: "read", of: ["/srv"], through: [] }] });
  const id = await approved("desk");
  expect((await stores.get(id))?.call.effects).toEqual(["reads /srv"]);
  expect(await putQuestion(desk, request)).toMatchObject({ status: "pending", call: { effects: WORDS } });
  expect((await stores.get(id))?.status).toBe("withdrawn");
});
