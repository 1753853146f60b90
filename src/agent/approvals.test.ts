import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { PERSONAL, type Person } from "../approvals/approval.ts";
import { localDesk } from "../approvals/local-desk.ts";
import { Approvals } from "../approvals/service.ts";
import type { Stores } from "../approvals/store.ts";
import { memoryStores } from "../stores/memory.ts";
import { agentScene, call, calls, shell } from "./agent.fixture.ts";

const scene = agentScene();
const ada: Person = { id: "ada", organisation: PERSONAL, name: "Ada", roles: ["approver"] };
const ask = () => ({ allow: true }) as const;

let stores: Stores;
let approvals: Approvals;
beforeEach(() => {
  stores = memoryStores();
  approvals = new Approvals(stores);
  mkdirSync(join(scene.dir, "config"), { recursive: true });
  writeFileSync(
    join(scene.dir, "config", "holdfast.yaml"),
    "approvals:\n  - { name: ship, when: { command: 'touch *' } }\n",
  );
});

/** Votes as soon as the stream says that a call waits. */
async function decideOnStream(kind: "approve" | "deny"): Promise<void> {
  for (let waited = 0; waited < 5_000; waited += 5) {
    const [event] = scene.of("awaiting_confirmation");
    if (event) {
      await approvals.vote(event.waiting.approval, { person: ada, kind, reason: "", via: "web" });
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("nobody was told");
}

it("F-36 the stream of a turn says that its call waits, and the turn goes on after the yes", async () => {
  const { agent } = await scene.agent([calls(shell("touch made")), "done"], { ask, desk: localDesk(stores) });
  const conversation = await agent.open();
  const turn = conversation.send("go");
  await decideOnStream("approve");
  expect(await turn).toEqual({ status: "completed", text: "done" });
  expect(existsSync(join(scene.project, "made"))).toBe(true);
  const types = scene.types();
  expect(types.indexOf("awaiting_confirmation")).toBeLessThan(types.indexOf("tool_finished"));
  const [event] = scene.of("awaiting_confirmation");
  expect(event).toMatchObject({ session: conversation.session.id, agent: null, waiting: { tool: "shell" } });
});

it("F-10 F-44 X-9 a sub-agent's call waits too, in the sub-agent's own stream", async () => {
  const steps = [
    calls(call("delegate", { target_agent_id: "coder", objective: "make it" })),
    calls(shell("touch made")),
    "made",
    "done",
  ];
  const { agent } = await scene.agent(steps, { ask, desk: localDesk(stores), agents: { coder: {} } });
  const turn = (await agent.open()).send("go");
  await decideOnStream("deny");
  await turn;
  expect(existsSync(join(scene.project, "made"))).toBe(false);
  expect(scene.of("awaiting_confirmation")).toMatchObject([{ agent: "coder", waiting: { agent: "coder" } }]);
  expect(scene.of("tool_blocked")).toMatchObject([
    { agent: "coder", reason: expect.stringContaining("denied by ada") },
  ]);
});

it("a turn that is cancelled while it waits ends, and the question stays", async () => {
  const { agent } = await scene.agent([calls(shell("touch made")), "done"], { ask, desk: localDesk(stores) });
  const cancel = new AbortController();
  const turn = (await agent.open()).send("go", { signal: cancel.signal });
  while (scene.of("awaiting_confirmation").length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  cancel.abort();
  await turn;
  expect(existsSync(join(scene.project, "made"))).toBe(false);
  const { approvals: all } = await stores.list({ organisation: PERSONAL, limit: 10 });
  expect(all).toMatchObject([{ status: "pending" }]);
});
