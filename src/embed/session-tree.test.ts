import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Approval, PERSONAL, type Person } from "../approvals/approval.ts";
import { localDesk } from "../approvals/local-desk.ts";
import { Approvals } from "../approvals/service.ts";
import type { Stores } from "../approvals/store.ts";
import { defineHook } from "../custom/define-hook.ts";
import { memoryStores } from "../stores/memory.ts";
import { createHoldfast, type Holdfast } from "./holdfast.ts";
import type { Session } from "./session.ts";

const ada: Person = { id: "ada", organisation: PERSONAL, name: "Ada", roles: ["approver"] };

let dir: string;
let stores: Stores;
let holdfast: Holdfast;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-tree-"));
  mkdirSync(join(dir, "config"));
  writeFileSync(
    join(dir, "config", "holdfast.yaml"),
    "approvals:\n  - { name: money, when: { tool: pay }, wait: 0s }\n",
  );
  stores = memoryStores();
  holdfast = await createHoldfast({
    cwd: dir,
    env: { HOME: dir, HOLDFAST_CONFIG_DIR: join(dir, "config"), HOLDFAST_STATE_DIR: join(dir, "state") },
    tools: { pay: { kind: "other" }, spoil: { kind: "other" } },
    hooks: [
      defineHook({
        name: "broken",
        on: ["pre_tool_use"],
        when: { tool: "spoil" },
        onError: "continue",
        judge() {
          throw new Error("boom");
        },
      }),
    ],
    distDir: join(import.meta.dirname, "../../dist"),
    desk: localDesk(stores),
  });
});
afterEach(async () => {
  await holdfast.close();
  rmSync(dir, { recursive: true, force: true });
});

async function pay(session: Session): Promise<string> {
  const outcome = await session.callTool({ name: "pay", input: { amount: 900 }, run: () => "paid" });
  return outcome.status === "blocked" ? outcome.reason : outcome.status;
}

/** Somebody says no to what it asks for. */
async function refuse(session: Session): Promise<void> {
  expect(await pay(session)).toContain("pending");
  const { approvals } = await stores.list({ organisation: PERSONAL, statuses: ["pending"], limit: 1 });
  await new Approvals(stores).vote((approvals[0] as Approval).id, {
    person: ada,
    kind: "deny",
    reason: "",
    via: "web",
  });
}

describe("a refusal holds for one session, whatever its id", () => {
  const [one, two] = [randomUUID(), randomUUID()];

  it.each([
    ["of one team", "team/a", "team/b"],
    ["whose ids are all but unique", `tenant/${one}`, `tenant/${two}`],
    ["whose id is the beginning of the other's", "team/a", "team"],
    ["whose id begins with the other's", "team", "team/a"],
    ["whose ids are paths", "/home/ada/1", "/home/ada/2"],
  ])("not for another %s", async (_, refused, other) => {
    await refuse(holdfast.session({ id: refused }));
    expect(await pay(holdfast.session({ id: refused }))).toContain("denied in this session");
    expect(await pay(holdfast.session({ id: other }))).toContain("pending");
    expect(await pay(holdfast.session({ id: other }).child({ agent: "helper" }))).toContain("pending");
  });

  it.each(["plain", "team/a", `tenant/${one}`])("for all sub-agents of %s, at any depth", async (id) => {
    const session = holdfast.session({ id });
    const helper = session.child({ agent: "helper" }).child({ agent: "helper's helper" });
    await refuse(helper);
    for (const each of [session, helper, session.child({ agent: "another" })])
      expect(await pay(each)).toContain("denied in this session");
  });

  it("for the session of a sub-agent that is taken up again by its id", async () => {
    const session = holdfast.session({ id: "team/a" });
    await refuse(session);
    const { id } = session.child({ agent: "helper" });
    expect(await pay(holdfast.session({ id }))).toContain("denied in this session");
  });
});

it("notices of a session are its own and its sub-agents', not those of one whose id begins with its", async () => {
  const [team, other] = [holdfast.session({ id: "team" }), holdfast.session({ id: "team/a" })];
  const helper = team.child({ agent: "helper" });
  for (const session of [team, other, helper]) await session.callTool({ name: "spoil", input: {}, run: () => "ran" });
  const heard = async (id: string) => (await holdfast.notices(id)).map(({ session }) => session);
  expect(await heard("team")).toEqual(["team", helper.id]);
  expect(await heard("team/a")).toEqual(["team/a"]);
  expect(await heard(helper.id)).toEqual([helper.id]);
});
