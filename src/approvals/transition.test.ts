import { describe, expect, it } from "vitest";
import { approvalOf, type DraftChanges, personOf } from "./approval.fixture.ts";
import type { Approval } from "./approval.ts";
import {
  APPROVAL_HOLDS_MS,
  delegate,
  delivered,
  due,
  expire,
  nextDueAt,
  type Transition,
  use,
  vote,
  withdraw,
} from "./transition.ts";

const NOW = new Date("2026-05-01T12:00:00.000Z");
const later = (ms: number) => new Date(NOW.getTime() + ms);
const asked = (changes: DraftChanges = {}) => approvalOf(changes, NOW).approval;
const ballot = (by: string, kind: "approve" | "deny" = "approve", reason = "") => ({
  person: personOf(by),
  kind,
  reason,
  via: "web",
});

function done(made: Transition | undefined): Approval {
  if (made?.kind !== "changed") throw new Error(made ? made.why : "nothing was due");
  return made.approval;
}
const actions = (made: Transition | undefined) =>
  made?.kind === "changed" ? made.history.map(({ action }) => action) : made?.code;

describe("a vote", () => {
  it("F-17 one yes approves where one is enough, and says who, why, when and where", () => {
    const approval = asked();
    const made = vote(approval, ballot("ada", "approve", "looked at it"), later(5));
    expect(done(made)).toMatchObject({
      status: "approved",
      version: 2,
      decidedAt: later(5).toISOString(),
      votes: [{ by: "ada", kind: "approve", reason: "looked at it", via: "web", at: later(5).toISOString() }],
    });
    expect(actions(made)).toEqual(["voted", "approved"]);
  });

  it("F-17 B14-10 a no denies at once, whatever the quorum, and keeps its reason", () => {
    const approval = asked({ policy: { approvers: { count: 3 } } });
    const half = done(vote(approval, ballot("ada"), NOW));
    const denied = done(vote(half, ballot("bob", "deny", "not on a Friday"), NOW));
    expect(denied).toMatchObject({ status: "denied", version: 3 });
    expect(denied.votes[1]).toMatchObject({ by: "bob", reason: "not on a Friday" });
  });

  it("X-6 a quorum counts different people, and nobody twice", () => {
    const approval = asked({ policy: { approvers: { count: 2 } } });
    const half = done(vote(approval, ballot("ada"), NOW));
    expect(half).toMatchObject({ status: "pending", decidedAt: null });
    expect(vote(half, ballot("ada"), NOW)).toMatchObject({ code: "already-voted" });
    expect(vote(half, ballot("ada", "deny"), NOW)).toMatchObject({ code: "already-voted" });
    expect(done(vote(half, ballot("bob"), NOW))).toMatchObject({ status: "approved", version: 3 });
  });

  it("F-30 a click after the decision changes nothing and says how it stands", () => {
    const denied = done(vote(asked(), ballot("ada", "deny"), NOW));
    const late = vote(denied, ballot("bob"), later(1));
    expect(late).toMatchObject({ kind: "refused", code: "not-pending" });
    expect(late.kind === "refused" && late.why).toContain("denied");
  });

  it("X-6 somebody without the right changes nothing", () => {
    const made = vote(asked(), { ...ballot("eve"), person: personOf("eve", { roles: [] }) }, NOW);
    expect(made).toMatchObject({ kind: "refused", code: "not-approver" });
  });

  it("B14-7 a click at the very end of the time finds it expired; one just before counts", () => {
    const approval = asked({ policy: { expiresAfterMs: 1_000 } });
    expect(done(vote(approval, ballot("ada"), later(999))).status).toBe("approved");
    expect(done(vote(approval, ballot("ada"), later(1_000)))).toMatchObject({ status: "expired", votes: [] });
  });
});

describe("time", () => {
  it("F-23 F-24 only what is pending and past its time expires, with the moment it did", () => {
    const approval = asked({ policy: { expiresAfterMs: 1_000 } });
    expect(expire(approval, later(999)).kind).toBe("refused");
    const expired = done(expire(approval, later(1_500)));
    expect(expired).toMatchObject({ status: "expired", decidedAt: later(1_500).toISOString() });
    expect(expire(expired, later(2_000)).kind).toBe("refused");
    const approved = done(vote(approval, ballot("ada"), NOW));
    expect(expire(approved, later(9_000)).kind).toBe("refused");
  });

  it("X-6 reminders come one at a time and stay within their pace, however late one looks", () => {
    const approval = asked({ policy: { expiresAfterMs: 10_000, remindEveryMs: 1_000 } });
    expect(due(approval, later(999))).toBeUndefined();
    const reminded = done(due(approval, later(3_500)));
    expect(reminded.reminders).toBe(3);
    expect(due(reminded, later(3_999))).toBeUndefined();
    expect(nextDueAt(reminded)).toBe(later(4_000).toISOString());
  });

  it("X-6 escalation happens once, then expiry is next", () => {
    const approval = asked({
      policy: { expiresAfterMs: 10_000, escalation: { afterMs: 500, people: ["boss"], roles: [], channel: null } },
    });
    expect(nextDueAt(approval)).toBe(later(500).toISOString());
    const made = due(approval, later(600));
    expect(actions(made)).toEqual(["escalated"]);
    expect(due(done(made), later(700))).toBeUndefined();
    expect(nextDueAt(done(made))).toBe(later(10_000).toISOString());
    expect(done(due(done(made), later(10_000))).status).toBe("expired");
  });

  it("nothing is due of what is settled", () => {
    const approved = done(vote(asked(), ballot("ada"), NOW));
    expect(due(approved, later(APPROVAL_HOLDS_MS * 2))).toBeUndefined();
    expect(nextDueAt(approved)).toBeUndefined();
  });
});

describe("use", () => {
  const approved = (changes: DraftChanges = {}) => done(vote(asked(changes), ballot("ada"), NOW));

  it("X-3 a yes lets one call through, the one it was given for", () => {
    const yes = approved();
    const used = done(use(yes, { digest: yes.digest, eventId: "e1" }, NOW));
    expect(used).toMatchObject({ status: "used", usedBy: "e1" });
    expect(use(used, { digest: yes.digest, eventId: "e2" }, NOW)).toMatchObject({ code: "already-used" });
  });

  it("the same event asking again is one call: it passes, and nothing changes", () => {
    const yes = approved();
    const used = done(use(yes, { digest: yes.digest, eventId: "e1" }, NOW));
    expect(use(used, { digest: yes.digest, eventId: "e1" }, NOW)).toEqual({
      kind: "changed",
      approval: used,
      history: [],
    });
  });

  it("X-3 B14-8 arguments that changed after the yes are another call", () => {
    const yes = approved();
    expect(use(yes, { digest: `${yes.digest}x`, eventId: "e1" }, NOW)).toMatchObject({ code: "other-call" });
    const used = done(use(yes, { digest: yes.digest, eventId: "e1" }, NOW));
    expect(use(used, { digest: "other", eventId: "e1" }, NOW)).toMatchObject({ code: "other-call" });
  });

  it.each([
    ["pending", (approval: Approval) => approval],
    ["denied", (approval: Approval) => done(vote(approval, ballot("ada", "deny"), NOW))],
    ["expired", (approval: Approval) => done(expire(approval, later(60_000)))],
    ["withdrawn", (approval: Approval) => done(withdraw(approval, "", null, NOW))],
  ])("F-17 what is %s lets nothing through", (status, step) => {
    const approval = step(asked());
    expect(approval.status).toBe(status);
    expect(use(approval, { digest: approval.digest, eventId: "e" }, later(60_000))).toMatchObject({
      code: "not-approved",
    });
  });

  it("a yes whose call does not come within a day is withdrawn when it does", () => {
    const yes = approved();
    const late = done(use(yes, { digest: yes.digest, eventId: "e" }, later(APPROVAL_HOLDS_MS + 1)));
    expect(late).toMatchObject({ status: "withdrawn", usedBy: null });
    expect(done(use(yes, { digest: yes.digest, eventId: "e" }, later(APPROVAL_HOLDS_MS))).status).toBe("used");
  });
});

describe("withdrawal, delegation, delivery", () => {
  it("a question can be withdrawn while pending or unused, and not after", () => {
    const approval = asked();
    const yes = done(vote(approval, ballot("ada"), NOW));
    expect(done(withdraw(approval, "the session ended", "ina", NOW)).status).toBe("withdrawn");
    expect(done(withdraw(yes, "the session ended", "ina", NOW)).status).toBe("withdrawn");
    const used = done(use(yes, { digest: yes.digest, eventId: "e" }, NOW));
    expect(withdraw(used, "", null, NOW).kind).toBe("refused");
  });

  it("X-6 a right is handed on once, within the organisation, by who has it, to who may and has not voted", () => {
    const approval = asked({ policy: { approvers: { people: ["ada", "bob"], count: 2, notInitiator: true } } });
    const [ada, bob, cyd] = ["ada", "bob", "cyd"].map((id) => personOf(id)) as [
      ReturnType<typeof personOf>,
      ReturnType<typeof personOf>,
      ReturnType<typeof personOf>,
    ];
    const code = (made: Transition) => (made.kind === "refused" ? made.code : "changed");
    expect(code(delegate(approval, cyd, bob, NOW))).toBe("not-approver");
    expect(code(delegate(approval, ada, { ...cyd, organisation: "globex" }, NOW))).toBe("other-organisation");
    expect(code(delegate(approval, ada, personOf("ina"), NOW))).toBe("self-approval");
    expect(code(delegate(approval, ada, ada, NOW))).toBe("delegated-away");
    const voted = done(vote(approval, ballot("bob"), NOW));
    expect(code(delegate(voted, bob, cyd, NOW))).toBe("already-voted");
    expect(code(delegate(voted, ada, bob, NOW))).toBe("already-voted");
    const handed = done(delegate(approval, ada, cyd, NOW));
    expect(code(delegate(handed, cyd, ada, NOW))).toBe("delegated-away");
    expect(code(delegate(handed, ada, bob, NOW))).toBe("delegated-away");
    expect(done(vote(done(vote(handed, ballot("cyd"), NOW)), ballot("bob"), NOW)).status).toBe("approved");
  });

  it("F-21 what became of the card is noted once, with the reason it failed", () => {
    const approval = asked({ channel: "ops" });
    expect(approval.delivery.state).toBe("waiting");
    const made = delivered(approval, "the chat does not exist", NOW);
    expect(done(made).delivery).toEqual({ state: "failed", detail: "the chat does not exist" });
    expect(actions(made)).toEqual(["delivery-failed"]);
    expect(delivered(done(made), "the chat does not exist", NOW)).toMatchObject({ approval: done(made), history: [] });
    expect(done(delivered(done(made), undefined, NOW)).delivery).toEqual({ state: "delivered", detail: "" });
  });
});
