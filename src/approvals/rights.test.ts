import { describe, expect, it } from "vitest";
import { approvalOf, type DraftChanges, personOf } from "./approval.fixture.ts";
import { approversInWords, rightToDecide } from "./rights.ts";
import { delegate, due } from "./transition.ts";

const NOW = new Date("2026-05-01T12:00:00.000Z");
const asked = (changes: DraftChanges = {}) => approvalOf(changes, NOW).approval;
const codeOf = (...[approval, person]: Parameters<typeof rightToDecide>) => {
  const right = rightToDecide(approval, person);
  return right.may ? "may" : right.code;
};

describe("X-6 who may decide", () => {
  it("where no approvers are named, whoever has the role approver may, others may not", () => {
    expect(codeOf(asked(), personOf("ada"))).toBe("may");
    expect(codeOf(asked(), personOf("bob", { roles: [] }))).toBe("not-approver");
    expect(codeOf(asked(), personOf("bob", { roles: ["approver-in-training"] }))).toBe("not-approver");
  });

  it("B14-3 named people and named roles may; the role approver alone no longer does", () => {
    const approval = asked({ policy: { approvers: { people: ["grace"], roles: ["finance"] } } });
    expect(codeOf(approval, personOf("grace", { roles: [] }))).toBe("may");
    expect(codeOf(approval, personOf("fin", { roles: ["finance"] }))).toBe("may");
    expect(codeOf(approval, personOf("ada"))).toBe("not-approver");
  });

  it("an admin of the organisation may decide everything there, and nothing elsewhere", () => {
    const approval = asked({ policy: { approvers: { people: ["grace"] } } });
    expect(codeOf(approval, personOf("root", { roles: ["admin"] }))).toBe("may");
    expect(codeOf(approval, personOf("root", { roles: ["admin"], organisation: "globex" }))).toBe("other-organisation");
  });

  it("B14-10 whoever the agent acts for may not decide where the rule says so, admin or not", () => {
    const approval = asked({ policy: { approvers: { people: ["ina"], notInitiator: true } } });
    expect(codeOf(approval, personOf("ina"))).toBe("self-approval");
    expect(codeOf(approval, personOf("ina", { roles: ["admin"] }))).toBe("self-approval");
    expect(codeOf(asked({ policy: { approvers: { people: ["ina"] } } }), personOf("ina"))).toBe("may");
  });

  it("a namesake in another organisation has no right", () => {
    expect(codeOf(asked({ organisation: "acme" }), personOf("ada", { organisation: "globex" }))).toBe(
      "other-organisation",
    );
  });

  it("a right that was handed on belongs to the other, and no longer to the one who had it", () => {
    const approval = asked({ policy: { approvers: { people: ["ada"] } } });
    const handed = delegate(approval, personOf("ada"), personOf("bob", { roles: [] }), NOW);
    if (handed.kind === "refused") throw new Error(handed.why);
    expect(codeOf(handed.approval, personOf("ada"))).toBe("delegated-away");
    expect(codeOf(handed.approval, personOf("bob", { roles: [] }))).toBe("may");
    expect(codeOf(handed.approval, personOf("eve"))).toBe("not-approver");
  });

  it("who comes in by escalation may decide after it, not before", () => {
    const approval = asked({
      policy: {
        approvers: { people: ["ada"] },
        escalation: { afterMs: 1_000, people: ["boss"], roles: ["lead"], channel: null },
      },
    });
    expect(codeOf(approval, personOf("boss"))).toBe("not-approver");
    const escalated = due(approval, new Date(NOW.getTime() + 1_000));
    if (escalated?.kind !== "changed") throw new Error("not escalated");
    expect(codeOf(escalated.approval, personOf("boss"))).toBe("may");
    expect(codeOf(escalated.approval, personOf("l", { roles: ["lead"] }))).toBe("may");
    expect(codeOf(escalated.approval, personOf("ada"))).toBe("may");
    expect(approversInWords(escalated.approval)).toBe("ada, boss, role lead");
  });

  it("says in words who may", () => {
    expect(approversInWords(asked())).toBe("approvers of the organisation");
    expect(approversInWords(asked({ policy: { approvers: { people: ["ada", "ada"], roles: ["ops"] } } }))).toBe(
      "ada, role ops",
    );
  });
});

it.each([null, ""])(
  "X-6 where the initiator is kept out and nobody said who that is (%j), nobody may decide",
  (initiator) => {
    const { approval } = approvalOf({ call: { initiator }, policy: { approvers: { notInitiator: true } } });
    for (const roles of [["approver"], ["admin"]])
      expect(rightToDecide(approval, personOf("ada", { roles }))).toMatchObject({ may: false, code: "self-approval" });
  },
);
