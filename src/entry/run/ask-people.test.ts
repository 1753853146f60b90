import { describe, expect, it } from "vitest";
import { approvalOf, personOf } from "../../approvals/approval.fixture.ts";
import { PERSONAL } from "../../approvals/approval.ts";
import { localDesk } from "../../approvals/local-desk.ts";
import { Approvals } from "../../approvals/service.ts";
import { memoryStores } from "../../stores/memory.ts";
import { askPeople } from "./ask-people.ts";

const question = {
  run: "abc123",
  cwd: "/project",
  session: 0,
  task: "ship",
  title: "Ship it?",
  body: "",
  approvers: [],
};
const now = { cwd: "/project", signal: new AbortController().signal, waitMs: 0 };
const long = { ...now, waitMs: 20_000 };

function office() {
  const stores = memoryStores();
  const desk = localDesk(stores);
  const approvals = new Approvals(stores);
  const decide = async (kind: "approve" | "deny", reason = "") => {
    for (;;) {
      const [open] = (await stores.list({ organisation: "personal", statuses: ["pending"], limit: 1 })).approvals;
      if (open) return approvals.vote(open.id, { person: personOf("ada"), kind, reason, via: "web" });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return { desk, decide, stores };
}

describe("what a run asks people", () => {
  it("waits for their answer, and goes on with a yes that is good for one time", async () => {
    const { desk, decide } = office();
    const asked = askPeople(question, desk, long);
    await decide("approve");
    expect(await asked).toEqual({ kind: "approved", by: "ada" });
    await askPeople(question, desk, now);
    const again = askPeople(question, desk, long);
    await decide("approve");
    expect(await again).toEqual({ kind: "approved", by: "ada" });
  });

  it("X-3 is not answered by a yes to another question", async () => {
    const { desk, stores } = office();
    const { approval: other, history } = approvalOf({ organisation: PERSONAL });
    await stores.insert(other, history);
    await new Approvals(stores).vote(other.id, { person: personOf("ada"), kind: "approve", reason: "", via: "web" });
    const misled = { ...desk, until: () => stores.get(other.id) };
    expect(await askPeople(question, misled, now)).toMatchObject({ kind: "pending" });
    expect(await stores.get(other.id)).toMatchObject({ status: "approved" });
  });

  it("is open until then; asking the same again finds the answer", async () => {
    const { desk, decide } = office();
    const first = await askPeople(question, desk, now);
    expect(first).toMatchObject({ kind: "pending" });
    expect(await askPeople(question, desk, now)).toEqual(first);
    await decide("approve");
    expect(await askPeople(question, desk, now)).toEqual({ kind: "approved", by: "ada" });
  });

  it("stays denied for the session of the run, and is asked anew in the next", async () => {
    const { desk, decide } = office();
    await askPeople(question, desk, now);
    await decide("deny", "too early");
    const denied = { kind: "denied", by: "ada", reason: "too early" };
    expect(await askPeople(question, desk, now)).toEqual(denied);
    expect(await askPeople(question, desk, now)).toEqual(denied);
    expect(await askPeople({ ...question, session: 1 }, desk, now)).toMatchObject({ kind: "pending" });
  });
});
