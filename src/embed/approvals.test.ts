import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { approvalOf, type DraftChanges } from "../approvals/approval.fixture.ts";
import { type Approval, PERSONAL, type Person } from "../approvals/approval.ts";
import type { Desk, DeskRequest } from "../approvals/desk.ts";
import { localDesk } from "../approvals/local-desk.ts";
import { Approvals } from "../approvals/service.ts";
import type { Stores } from "../approvals/store.ts";
import { placesOf } from "../config/places.ts";
import type { JsonObject } from "../core/json.ts";
import { defineHook } from "../custom/define-hook.ts";
import { grantPass } from "../engine/one-time-pass.ts";
import { startPause } from "../engine/pause.ts";
import { memoryStores } from "../stores/memory.ts";
import { sqliteStores } from "../stores/sqlite/stores.ts";
import { type AwaitingConfirmation, createHoldfast, type Holdfast, type HoldfastOptions } from "./holdfast.ts";
import type { Session } from "./session.ts";
import type { ToolOutcome } from "./tool-call.ts";
import type { ToolDescriptions } from "./tools.ts";

const distDir = join(import.meta.dirname, "../../dist");
const TOOLS: ToolDescriptions = {
  shell: { kind: "shell", command: "command" },
  pay: { kind: "other" },
  flagged: { kind: "other", requiresConfirmation: true },
  unsure: {
    kind: "other",
    requiresConfirmation: () => {
      throw new Error("the predicate is broken");
    },
  },
};
const RULES = "approvals:\n  - name: money\n    when: { tool: pay }\n";
const me = userInfo().username;
const ada: Person = { id: "ada", organisation: PERSONAL, name: "Ada", roles: ["approver"] };

let dir: string;
let project: string;
let config: string;
let stores: Stores;
let approvals: Approvals;
let nowMs: number;
const opened: Holdfast[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-approvals-"));
  project = join(dir, "project");
  config = join(dir, "config");
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(config);
  nowMs = Date.now();
  stores = memoryStores({ now: () => new Date(nowMs) });
  approvals = new Approvals(stores);
});
afterEach(async () => {
  for (const holdfast of opened.splice(0)) await holdfast.close();
  await stores.close();
  rmSync(dir, { recursive: true, force: true });
});

async function create(rules = RULES, options: HoldfastOptions = {}): Promise<Holdfast> {
  writeFileSync(join(config, "holdfast.yaml"), rules);
  const env = {
    PATH: process.env.PATH,
    HOME: dir,
    HOLDFAST_CONFIG_DIR: config,
    HOLDFAST_STATE_DIR: join(dir, "state"),
  };
  const holdfast = await createHoldfast({
    cwd: project,
    env,
    tools: TOOLS,
    distDir,
    desk: localDesk(stores),
    ...options,
  });
  opened.push(holdfast);
  return holdfast;
}

let ran: JsonObject[];
beforeEach(() => {
  ran = [];
});

const call = (session: Session, name = "pay", input: JsonObject = { amount: 900 }, signal?: AbortSignal) =>
  session.callTool({
    name,
    input,
    ...(signal ? { signal } : {}),
    run(given) {
      ran.push(given);
      return "ran";
    },
  });

const listed = async (): Promise<readonly Approval[]> =>
  (await stores.list({ organisation: PERSONAL, limit: 100 })).approvals;

async function asked(count = 1): Promise<Approval> {
  for (let waited = 0; waited < 5_000; waited += 5) {
    const all = await listed();
    if (all.length >= count) return all[0] as Approval;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("nobody was asked");
}

const vote = (id: string, kind: "approve" | "deny", reason = "", person = ada) =>
  approvals.vote(id, { person, kind, reason, via: "web" });

const reasonOf = (outcome: ToolOutcome) => (outcome.status === "blocked" ? outcome.reason : `ran ${outcome.output}`);
const audit = () =>
  readFileSync(join(project, ".holdfast/tracking/audit.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("a call that needs an approval, in an agent of one's own", () => {
  it("F-16 is stored as one pending approval with the call, the agent, the person and the rule; the tool has not run", async () => {
    const session = (await create()).session({ id: "s1", agent: "buyer", user: "ina" });
    const calling = call(session, "pay", { amount: 900, password: "hunter22" });
    const approval = await asked();
    expect(approval).toMatchObject({
      status: "pending",
      organisation: PERSONAL,
      rule: "approvals/money",
      channel: null,
      call: { tool: "pay", agent: "buyer", initiator: "ina", session: "s1", host: "embedded", cwd: project },
    });
    expect(approval.call.input).toEqual({ amount: 900, password: "[redacted:field]" });
    expect(ran).toEqual([]);
    await vote(approval.id, "approve");
    await calling;
    expect(ran).toEqual([{ amount: 900, password: "hunter22" }]);
    expect(await listed()).toHaveLength(1);
  });

  it("F-17 runs after a yes, once, and the audit says whose", async () => {
    const session = (await create()).session();
    const calling = call(session);
    await vote((await asked()).id, "approve");
    expect(reasonOf(await calling)).toBe("ran ran");
    const [approval] = await listed();
    expect(approval).toMatchObject({ status: "used" });
    const notes = audit().flatMap((record) => record.notes ?? []);
    expect(notes).toContainEqual({ approval: approval?.id, approvedBy: ["ada"] });
  });

  it("F-17 is blocked after a no, with the person's reason in words for the model", async () => {
    const session = (await create()).session();
    const calling = call(session);
    await vote((await asked()).id, "deny", "too expensive");
    const reason = reasonOf(await calling);
    expect(reason).toContain("denied by ada");
    expect(reason).toContain('"too expensive"');
    expect(reason).not.toContain("allow-once");
    expect(reason.length).toBeLessThan(400);
    expect(ran).toEqual([]);
  });

  it("F-17 F-23 times out when nobody answers, and that is never called a denial", async () => {
    const session = (await create("approvals:\n  - { when: { tool: pay }, expires: 1s }\n")).session();
    const calling = call(session);
    const { id } = await asked();
    nowMs += 1_000;
    const reason = reasonOf(await calling);
    expect(reason).toContain("timed out: nobody answered");
    expect(reason).not.toContain("denied");
    const approval = await stores.get(id);
    expect(approval).toMatchObject({ status: "expired" });
    expect(approval?.decidedAt).not.toBeNull();
    // A later call asks anew.
    const again = call(session);
    const fresh = await asked(2);
    expect(fresh.id).not.toBe(id);
    await vote(fresh.id, "approve");
    expect(reasonOf(await again)).toBe("ran ran");
  });

  it("F-23 waits only as long as the rule says, and the repeated call passes at once when it is approved", async () => {
    const session = (await create("approvals:\n  - { when: { tool: pay }, wait: 0s }\n")).session();
    const reason = reasonOf(await call(session));
    const { id } = await asked();
    expect(reason).toContain(`approval ${id} is pending`);
    expect(reason).toContain("repeat exactly this call");
    expect(reason.length).toBeLessThan(400);
    await vote(id, "approve");
    expect(reasonOf(await call(session))).toBe("ran ran");
    expect(ran).toHaveLength(1);
  });

  it("an argument that is undefined, which no store keeps, is in nobody's way: one card, and the call runs on its yes", async () => {
    stores = await sqliteStores(join(dir, "approvals.db"));
    approvals = new Approvals(stores);
    const input = { amount: 900, memo: undefined, lines: [{ memo: undefined }] } as unknown as JsonObject;
    const session = (await create("approvals:\n  - { when: { tool: pay }, wait: 0s }\n")).session();
    expect(reasonOf(await call(session, "pay", input))).toContain("is pending");
    await vote((await asked()).id, "approve");
    expect(reasonOf(await call(session, "pay", input))).toBe("ran ran");
    expect(await listed()).toMatchObject([{ status: "used" }]);
  });

  it("a yes is good for one call: the same call later is a new question", async () => {
    const session = (await create()).session();
    const first = call(session);
    await vote((await asked()).id, "approve");
    await first;
    const second = call(session);
    const { id } = await asked(2);
    await vote(id, "approve");
    await second;
    expect(ran).toHaveLength(2);
  });

  it("two identical calls at once share one approval, and only one of them runs", async () => {
    const session = (await create()).session();
    const both = [call(session), call(session)];
    await vote((await asked()).id, "approve");
    const outcomes = (await Promise.all(both)).map(reasonOf).sort();
    expect(await listed()).toHaveLength(1);
    expect(ran).toHaveLength(1);
    expect(outcomes.filter((text) => text === "ran ran")).toHaveLength(1);
    expect(outcomes.find((text) => text !== "ran ran")).toContain("a yes is good for one call");
  });

  it("F-11 different calls at once are asked about independently", async () => {
    const session = (await create()).session();
    const [one, two] = [call(session, "pay", { amount: 1 }), call(session, "pay", { amount: 2 })];
    await asked(2);
    const all = await listed();
    const of = (amount: number) => all.find(({ call: { input } }) => input.amount === amount)?.id ?? "";
    await vote(of(1), "deny");
    await vote(of(2), "approve");
    expect(reasonOf(await one)).toContain("denied");
    expect(reasonOf(await two)).toBe("ran ran");
    expect(ran).toEqual([{ amount: 2 }]);
  });

  it("many calls of one turn wait under one signal, and Node has nothing to warn of", async () => {
    const warnings: string[] = [];
    const hear = ({ message }: Error) => void warnings.push(message);
    process.on("warning", hear);
    const session = (await create()).session();
    const cancel = new AbortController();
    const calls = Array.from({ length: 30 }, (_, amount) => call(session, "pay", { amount }, cancel.signal));
    await asked(30);
    for (const { id } of await listed()) await vote(id, "approve");
    expect((await Promise.all(calls)).map(reasonOf)).toEqual(Array.from({ length: 30 }, () => "ran ran"));
    process.off("warning", hear);
    expect(warnings).toEqual([]);
  });

  it("X-3 B14-8 people see the call after every rewrite, and what runs is what they saw", async () => {
    const doubles = defineHook({
      name: "doubles",
      on: ["pre_tool_use"],
      priority: 900,
      judge: ({ tool }) => ({ rewrite: { ...tool.input, amount: 1800 } }),
    });
    const session = (await create(RULES, { hooks: [doubles] })).session();
    const calling = call(session);
    const approval = await asked();
    expect(approval.call.input).toEqual({ amount: 1800 });
    await vote(approval.id, "approve");
    await calling;
    expect(ran).toEqual([{ amount: 1800 }]);
  });

  it("X-3 B14-8 a call that hooks change after the yes is not run on it", async () => {
    let amount = 100;
    const drifts = defineHook({
      name: "drifts",
      on: ["pre_tool_use"],
      judge: ({ tool }) => ({ rewrite: { ...tool.input, amount } }),
    });
    const session = (await create(RULES, { hooks: [drifts] })).session();
    const calling = call(session);
    const { id } = await asked();
    amount = 100_000;
    await vote(id, "approve");
    expect(reasonOf(await calling)).toContain("was changed by hooks while people were asked");
    expect(ran).toEqual([]);
    expect(await stores.get(id)).toMatchObject({ status: "approved", usedBy: null });
  });

  it("X-3 a directory that became a link while people were asked is judged by where it leads now", async () => {
    const tools: ToolDescriptions = { save: { kind: "write", paths: ["path"] } };
    const rules = "approvals:\n  - name: saving\n    when: { tool: save }\n";
    mkdirSync(join(project, "out"));
    mkdirSync(join(project, ".git/hooks"));
    const session = (await create(rules, { tools })).session();
    const calling = call(session, "save", { path: "out/pre-commit" });
    const approval = await asked();
    rmSync(join(project, "out"), { recursive: true });
    symlinkSync(join(project, ".git/hooks"), join(project, "out"));
    await vote(approval.id, "approve");
    expect(reasonOf(await calling)).toContain("runs on every commit");
    expect(ran).toEqual([]);
  });

  it("B14-11 a call that no rule names asks no store, and opens none", async () => {
    const untouched = new Proxy({} as Desk, {
      get() {
        throw new Error("the store was asked");
      },
    });
    const session = (await create(RULES, { desk: untouched })).session();
    expect(await call(session, "shell", { command: "ls" })).toMatchObject({ status: "ran" });
    expect(reasonOf(await call(session))).toContain("the store was asked");
  });

  it("nobody is asked about a call that another hook blocks", async () => {
    const forbids = defineHook({ name: "forbids", on: ["pre_tool_use"], judge: () => ({ block: "never" }) });
    const session = (await create(RULES, { hooks: [forbids] })).session();
    expect(reasonOf(await call(session))).toContain("never");
    expect(await listed()).toEqual([]);
  });

  it("what a built-in guard asks is answered by the approval; what it blocks is not", async () => {
    const session = (await create("approvals:\n  - when: { effect: publish }\n")).session();
    const calling = call(session, "shell", { command: "npm publish" });
    await vote((await asked()).id, "approve");
    expect(reasonOf(await calling)).toBe("ran ran");
    const blocked = call(session, "shell", { command: "npm publish && git push --force origin main" });
    expect(reasonOf(await blocked)).toContain("git/force-push");
    expect(await listed()).toHaveLength(1);
  });

  it("what a hook of people asks stays asked after the approval", async () => {
    const asks = defineHook({ name: "asks", on: ["pre_tool_use"], judge: () => ({ ask: "are you sure?" }) });
    const questions: string[] = [];
    const ask: HoldfastOptions["ask"] = ({ reason }) => {
      questions.push(reason);
      return { allow: true };
    };
    const session = (await create(RULES, { hooks: [asks], ask })).session();
    const calling = call(session);
    await vote((await asked()).id, "approve");
    expect(reasonOf(await calling)).toBe("ran ran");
    expect(questions).toEqual(["are you sure?"]);
  });
});

describe("what a person bends for now", () => {
  const places = () => placesOf({ HOME: dir, HOLDFAST_CONFIG_DIR: config, HOLDFAST_STATE_DIR: join(dir, "state") });

  it("a one-time pass stands for no approval: the guard steps aside, and people are asked all the same", async () => {
    const rules = "approvals:\n  - { when: { effect: publish }, wait: 0s }\n";
    const session = (await create(rules)).session({ id: "s1" });
    const command = "npm publish && git push --force origin main";
    expect(reasonOf(await call(session, "shell", { command }))).toContain("git/force-push");
    expect(await listed()).toEqual([]);
    grantPass(audit()[0].call, places(), new Date());
    expect(reasonOf(await call(session, "shell", { command }))).toContain("is pending");
    expect(await listed()).toHaveLength(1);
    expect(ran).toEqual([]);
  });

  it("in a pause rules of the person only observe, and the audit says so; managed ones still ask", async () => {
    const holdfast = await create();
    startPause(project, 10, places(), new Date(Date.now() - 1_000));
    expect(reasonOf(await call(holdfast.session()))).toBe("ran ran");
    expect(audit()[0].notes).toMatchObject([{ paused: expect.any(String) }]);
    const managed = join(dir, "managed");
    mkdirSync(managed);
    writeFileSync(join(managed, "holdfast.yaml"), "approvals:\n  - { when: { tool: pay }, wait: 0s }\n");
    const env = {
      PATH: process.env.PATH,
      HOME: dir,
      HOLDFAST_CONFIG_DIR: config,
      HOLDFAST_STATE_DIR: join(dir, "state"),
      HOLDFAST_MANAGED_DIR: managed,
    };
    const strict = await create(RULES, { env });
    expect(reasonOf(await call(strict.session()))).toContain("is pending");
  });
});

describe("which calls, and who decides", () => {
  it("F-19 gate-everything covers tools that nothing marks", async () => {
    const session = (await create("approvals:\n  - when: { all: true }\n")).session();
    const calling = call(session, "unheard-of", { x: 1 });
    await vote((await asked()).id, "approve");
    expect(reasonOf(await calling)).toBe("ran ran");
  });

  it("F-19 confirm_everything holds for its agent and those it asks, and for nobody else", async () => {
    const holdfast = await create("agents:\n  buyer: { confirm_everything: true }\n");
    expect(reasonOf(await call(holdfast.session({ agent: "reader" })))).toBe("ran ran");
    const calling = call(holdfast.session({ agent: "buyer" }));
    await vote((await asked()).id, "approve");
    expect(reasonOf(await calling)).toBe("ran ran");
    // F-44: sub-agents inherit.
    const inherited = call(holdfast.session({ agent: "buyer" }).child({ agent: "helper" }), "pay", { amount: 1 });
    await vote((await asked(2)).id, "deny");
    expect(reasonOf(await inherited)).toContain("denied");
  });

  it("F-44 who opts out of hooks says why, and the audit has it", async () => {
    const holdfast = await create();
    const session = holdfast.session({ observeOnly: "evaluation run 7" });
    expect(reasonOf(await call(session))).toBe("ran ran");
    expect(await listed()).toEqual([]);
    expect(audit()[0].notes).toContainEqual({ observeOnly: "evaluation run 7" });
  });

  it("B14-12 calls marked requires_confirmation are asked about, also where the predicate throws; then nobody asks a second time", async () => {
    const rules = "approvals:\n  - when: { requires_confirmation: true }\n";
    const session = (await create(rules)).session();
    for (const [index, name] of ["flagged", "unsure"].entries()) {
      const calling = call(session, name);
      await vote((await asked(index + 1)).id, "approve");
      expect(reasonOf(await calling)).toBe("ran ran");
    }
    expect(reasonOf(await call(session, "pay"))).toBe("ran ran");
  });

  it("B14-12 an amount that is missing or no number counts as too much", async () => {
    const rules = "approvals:\n  - when: { tool: pay, amount: { field: order.total, above: 100 } }\n    wait: 0s\n";
    const session = (await create(rules)).session();
    expect(reasonOf(await call(session, "pay", { order: { total: 99 } }))).toBe("ran ran");
    const inputs: JsonObject[] = [{ order: { total: 101 } }, { order: {} }, {}, { order: { total: "many" } }];
    const reasons = await Promise.all(inputs.map((input) => call(session, "pay", input)));
    for (const outcome of reasons) expect(reasonOf(outcome)).toContain("pending");
    expect(ran).toHaveLength(1);
  });

  it("F-22 an agent without a name or an organisation is asked about all the same (B14-2, B14-12)", async () => {
    const session = (await create()).session();
    const calling = call(session);
    const approval = await asked();
    expect(approval).toMatchObject({ organisation: PERSONAL, call: { agent: null, initiator: me } });
    await vote(approval.id, "approve");
    expect(reasonOf(await calling)).toBe("ran ran");
  });

  it("F-22 an agent that no config knows is under every rule that names none, and cannot shed one by its name", async () => {
    const rules =
      "agents:\n  known: { approvals: [{ name: own, when: { tool: refund } }] }\napprovals:\n  - { name: all, when: { tool: pay }, wait: 0s }\n";
    const holdfast = await create(rules);
    for (const agent of ["known", "somebody", "all"])
      expect(reasonOf(await call(holdfast.session({ agent })))).toContain("pending");
    expect(await listed()).toHaveLength(3);
    expect(ran).toEqual([]);
  });

  it("@initiator is whomever the agent acts for, and `not: initiator` keeps them out", async () => {
    const rules =
      "approvals:\n  - { name: own, when: { tool: pay }, approvers: { people: '@initiator' } }\n  - { name: other, when: { tool: other }, approvers: { roles: [release], not: initiator } }\n";
    const session = (await create(rules)).session({ user: "ina" });
    const ina: Person = { id: "ina", organisation: PERSONAL, name: "Ina", roles: ["release"] };
    const own = call(session);
    const first = await asked();
    expect(await vote(first.id, "approve")).toMatchObject({ kind: "refused", code: "not-approver" });
    expect(await vote(first.id, "approve", "", ina)).toMatchObject({ kind: "done" });
    expect(reasonOf(await own)).toBe("ran ran");
    const other = call(session, "other");
    const second = await asked(2);
    expect(await vote(second.id, "approve", "", ina)).toMatchObject({ kind: "refused", code: "self-approval" });
    await vote(second.id, "deny", "", { ...ina, id: "ben" });
    expect(reasonOf(await other)).toContain("denied by ben");
  });

  it("rules of different files add up: a call runs when all of them have their yes", async () => {
    writeFileSync(
      join(project, "holdfast.yaml"),
      "approvals:\n  - { name: team, when: { tool: pay }, approvers: { roles: [release] } }\n",
    );
    const session = (await create()).session();
    const calling = call(session);
    await asked(2);
    const all = await listed();
    const of = (rule: string) => all.find((one) => one.rule === `approvals/${rule}`)?.id ?? "";
    await vote(of("money"), "approve");
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(ran).toEqual([]);
    await vote(of("team"), "approve", "", { ...ada, roles: ["release"] });
    expect(reasonOf(await calling)).toBe("ran ran");
    expect((await listed()).map(({ status }) => status)).toEqual(["used", "used"]);
  });

  it("one no of several rules ends the wait for the others", async () => {
    writeFileSync(
      join(project, "holdfast.yaml"),
      "approvals:\n  - { name: team, when: { tool: pay }, approvers: { roles: [release] } }\n",
    );
    const session = (await create()).session();
    const calling = call(session);
    await asked(2);
    const team = (await listed()).find(({ rule }) => rule === "approvals/team");
    await vote(team?.id ?? "", "deny", "not now", { ...ada, roles: ["release"] });
    expect(reasonOf(await calling)).toContain("denied by ada");
  });
});

describe("F-18 where people are asked", () => {
  const channel = (changes = {}) =>
    stores.putChannel({
      id: "c1",
      organisation: PERSONAL,
      type: "feishu",
      name: "releases",
      isActive: true,
      sealedConfig: "",
      createdAt: new Date(nowMs).toISOString(),
      updatedAt: new Date(nowMs).toISOString(),
      ...changes,
    });
  const rule = (text: string) => `approvals:\n  - { when: { tool: pay }, wait: 0s, ${text} }\n`;

  it.each([
    ["auto asks in the channel there is", "mode: auto", true, "c1"],
    ["auto without a channel asks in the inbox", "mode: auto", false, null],
    ["auto asks in the channel the rule names", "channel: feishu:releases", true, "c1"],
    ["auto leaves out a channel that is not there", "channel: slack:other", true, null],
    ["inline never touches a channel", "mode: inline", true, null],
  ])("%s", async (_, text, exists, expected) => {
    if (exists) await channel();
    const session = (await create(rule(text))).session();
    expect(reasonOf(await call(session))).toContain("pending");
    expect((await asked()).channel).toBe(expected);
  });

  it.each([
    ["without any channel", undefined],
    ["with one that is switched off", { isActive: false }],
    ["with one of another organisation", { organisation: "other" }],
  ])("mode channel %s blocks and asks nobody", async (_, changes) => {
    if (changes) await channel(changes);
    const session = (await create(rule("mode: channel"))).session();
    expect(reasonOf(await call(session))).toContain("wants people asked in a channel");
    expect(await listed()).toEqual([]);
    expect(ran).toEqual([]);
  });

  it("F-21 a card that cannot be delivered blocks with the reason, and the approval is withdrawn", async () => {
    await channel();
    const session = (await create("approvals:\n  - { when: { tool: pay }, mode: channel }\n")).session();
    const calling = call(session);
    const { id } = await asked();
    await approvals.delivered(id, "the chat does not exist");
    expect(reasonOf(await calling)).toContain("the chat does not exist");
    expect(await stores.get(id)).toMatchObject({ status: "withdrawn" });
    expect(await vote(id, "approve")).toMatchObject({ kind: "refused" });
    expect(ran).toEqual([]);
  });

  it("F-21 a card that was delivered is waited for", async () => {
    await channel();
    const session = (await create("approvals:\n  - { when: { tool: pay }, mode: channel }\n")).session();
    const calling = call(session);
    const { id } = await asked();
    await approvals.delivered(id);
    await vote(id, "approve");
    expect(reasonOf(await calling)).toBe("ran ran");
  });
});

describe("F-25 a refusal is enforced", () => {
  it("the same call and near copies are refused for the rest of the session, and nobody is asked again", async () => {
    const session = (await create("approvals:\n  - when: { kind: shell }\n")).session();
    const calling = call(session, "shell", { command: "npm run release" });
    await vote((await asked()).id, "deny", "not today");
    expect(reasonOf(await calling)).toContain("denied by ada");
    for (const command of [
      "npm run release",
      "npm  run release",
      "env A=1 npm run release",
      "sh -c 'npm run release'",
    ]) {
      const reason = reasonOf(await call(session, "shell", { command, description: "harmless" }));
      expect(reason).toContain("denied in this session");
      expect(reason.length).toBeLessThan(400);
    }
    expect(await listed()).toHaveLength(1);
    expect(ran).toEqual([]);
  });

  it("a sub-agent that is asked to do it instead is refused too", async () => {
    const session = (await create()).session();
    const calling = call(session);
    await vote((await asked()).id, "deny");
    await calling;
    expect(reasonOf(await call(session.child({ agent: "helper" })))).toContain("denied in this session");
    expect(await listed()).toHaveLength(1);
  });

  it("what a sub-agent was refused is refused to its parent and to its siblings", async () => {
    const session = (await create()).session();
    const calling = call(session.child({ agent: "helper" }));
    await vote((await asked()).id, "deny");
    await calling;
    for (const other of [session, session.child({ agent: "another" })])
      expect(reasonOf(await call(other))).toContain("denied in this session");
    expect(await listed()).toHaveLength(1);
    expect(ran).toEqual([]);
  });

  it("F-25 a refused call with an argument that is undefined is refused again", async () => {
    const input = { amount: 900, lines: [{ memo: undefined }] } as unknown as JsonObject;
    stores = await sqliteStores(join(dir, "approvals.db"));
    approvals = new Approvals(stores);
    const session = (await create("approvals:\n  - { when: { tool: pay }, wait: 0s }\n")).session();
    await call(session, "pay", input);
    await vote((await asked()).id, "deny");
    expect(reasonOf(await call(session, "pay", input))).toContain("denied in this session");
  });

  it("another call, and the same call in another session, are asked about", async () => {
    const holdfast = await create("approvals:\n  - { when: { tool: pay }, wait: 0s }\n");
    const calling = call(holdfast.session());
    await vote((await asked()).id, "deny");
    await calling;
    expect(reasonOf(await call(holdfast.session()))).toContain("pending");
    expect(await listed()).toHaveLength(2);
  });
});

describe("X-1 B14-1 whatever fails, the gate stays closed", () => {
  const broken = (fails: Partial<Desk>): Desk => ({ ...localDesk(stores), ...fails });
  const down = () => Promise.reject(new Error("database is locked"));

  it.each<[string, Partial<Desk>]>([
    ["looking for denials", { denials: down }],
    ["asking", { request: down }],
    ["waiting", { until: down }],
  ])("a store that fails while %s blocks, and says so", async (_, fails) => {
    const session = (await create(RULES, { desk: broken(fails) })).session();
    const reason = reasonOf(await call(session));
    expect(reason).toContain("cannot be reached: database is locked");
    expect(reason.length).toBeLessThan(400);
    expect(ran).toEqual([]);
  });

  it("a store that fails while the yes is taken blocks, and the yes is still there", async () => {
    const session = (await create(RULES, { desk: broken({ use: down }) })).session();
    const calling = call(session);
    const { id } = await asked();
    await vote(id, "approve");
    expect(reasonOf(await calling)).toContain("database is locked");
    expect(ran).toEqual([]);
    expect(await stores.get(id)).toMatchObject({ status: "approved" });
  });

  it("an approval that vanishes while a call waits for it blocks", async () => {
    const session = (await create(RULES, { desk: broken({ until: async () => undefined }) })).session();
    expect(reasonOf(await call(session))).toContain("is gone");
    expect(ran).toEqual([]);
  });

  it("X-3 a yes to another approval, heard while this one is open, is not taken for this call", async () => {
    const { approval: other, history } = approvalOf({ organisation: PERSONAL });
    await stores.insert(other, history);
    await vote(other.id, "approve");
    const session = (await create(RULES, { desk: broken({ until: () => stores.get(other.id) }) })).session();
    expect(reasonOf(await call(session))).toContain("is pending");
    expect(ran).toEqual([]);
    expect(await stores.get(other.id)).toMatchObject({ status: "approved" });
  });

  it.each<[string, DraftChanges]>([
    ["for another call", { call: { tool: "pay", kind: "other", input: { amount: 1 } } }],
    ["by other approvers", { policy: { approvers: { people: ["mallory"] } } }],
  ])(
    "X-3 B14-8 a yes given %s, asked for under this call's digest, lets nothing run, and people are asked",
    async (_, shown) => {
      const session = (await create("approvals:\n  - { when: { tool: pay }, wait: 0s }\n")).session();
      await call(session);
      const { id, digest, call: honest } = await asked();
      await approvals.withdraw(id, "for the test", null);
      const { approval: forged, history } = approvalOf({ digest, ...shown, call: { ...honest, ...shown.call } });
      await stores.insert(forged, history);
      const mallory = { ...ada, id: "mallory" };
      expect(await vote(forged.id, "approve", "", mallory)).toMatchObject({ kind: "done" });
      expect(reasonOf(await call(session))).toContain("is pending");
      expect(ran).toEqual([]);
      expect(await stores.get(forged.id)).toMatchObject({ status: "withdrawn" });
      expect((await listed())[0]).toMatchObject({ status: "pending", call: { input: { amount: 900 } } });
    },
  );

  it("X-6 a yes that somebody gave to themselves, asked for under this call's digest, is none for another's call", async () => {
    const rules = "approvals:\n  - { when: { tool: pay }, wait: 0s, approvers: { people: ['@initiator'] } }\n";
    const session = (await create(rules)).session({ id: "s1", user: "ada" });
    await call(session);
    const { id, digest, call: honest } = await asked();
    await approvals.withdraw(id, "for the test", null);
    const policy = { approvers: { people: ["mallory"] } };
    const { approval: forged, history } = approvalOf({ digest, policy, call: { ...honest, initiator: "mallory" } });
    await stores.insert(forged, history);
    expect(await vote(forged.id, "approve", "", { ...ada, id: "mallory" })).toMatchObject({ kind: "done" });
    expect(reasonOf(await call(session))).toContain("is pending");
    expect(ran).toEqual([]);
    // It stays the answer to the question of whoever asked it.
    expect(await stores.get(forged.id)).toMatchObject({ status: "approved" });
    expect((await listed())[0]).toMatchObject({ status: "pending", call: { initiator: "ada" } });
  });

  it("where approvals are kept changed whenever they are asked for, nothing runs, nobody is left with a card, and the reason says what happened", async () => {
    const kept = localDesk(stores);
    const shown = async (request: DeskRequest) =>
      kept.request({ ...request, call: { ...request.call, input: { amount: 1 } } });
    const session = (await create(RULES, { desk: broken({ request: shown }) })).session();
    const reason = reasonOf(await call(session));
    expect(reason).toContain("shows people another call");
    expect(reason).not.toContain("cannot be reached");
    expect(reason.length).toBeLessThan(400);
    expect((await listed()).map(({ status }) => status)).toEqual(["withdrawn", "withdrawn"]);
    expect(ran).toEqual([]);
  });

  it("a yes that somebody else took is none", async () => {
    const session = (await create()).session();
    const calling = call(session);
    const { id, digest } = await asked();
    await vote(id, "approve");
    const stolen = approvals.use(id, { digest, eventId: "another" });
    const outcome = reasonOf(await calling);
    const taken = await stolen;
    expect([outcome === "ran ran", taken.kind === "done"].filter(Boolean)).toHaveLength(1);
  });
});

describe("X-5 calls that end while they wait", () => {
  it("a cancelled call stays pending, and the repeated one passes when it is approved", async () => {
    const session = (await create()).session();
    const cancel = new AbortController();
    const calling = call(session, "pay", { amount: 900 }, cancel.signal);
    const { id } = await asked();
    cancel.abort();
    expect((await calling).status).toBe("blocked");
    expect(await stores.get(id)).toMatchObject({ status: "pending" });
    await vote(id, "approve");
    expect(reasonOf(await call(session))).toBe("ran ran");
    expect(ran).toHaveLength(1);
  });

  it("a call that is cancelled after the yes and before its use leaves it to the repeated call", async () => {
    const cancel = new AbortController();
    let isDecided = false;
    // Hooks judge once more after the yes.
    const canceller = defineHook({
      name: "canceller",
      on: ["pre_tool_use"],
      judge: () => void (isDecided && cancel.abort()),
    });
    const session = (await create(RULES, { hooks: [canceller] })).session();
    const calling = call(session, "pay", { amount: 900 }, cancel.signal);
    const { id } = await asked();
    isDecided = true;
    await vote(id, "approve");
    expect(reasonOf(await calling)).toContain("the yes was not used");
    expect(await stores.get(id)).toMatchObject({ status: "approved" });
    expect(reasonOf(await call(session))).toBe("ran ran");
    expect(await stores.get(id)).toMatchObject({ status: "used" });
  });

  it("the end of the session withdraws what it still asks, and a click says so", async () => {
    const session = (await create("approvals:\n  - { when: { tool: pay }, wait: 0s }\n")).session();
    await call(session);
    const { id } = await asked();
    await session.fire("session_end", { reason: "done" });
    expect(await stores.get(id)).toMatchObject({ status: "withdrawn" });
    expect(await vote(id, "approve")).toMatchObject({ kind: "refused", code: "not-pending" });
  });
});

describe("F-36 awaiting_confirmation", () => {
  it("reaches whoever listens while the call waits, with all that a card needs", async () => {
    const heard: AwaitingConfirmation[] = [];
    const holdfast = await create(RULES, { onAwaitingConfirmation: (waiting) => heard.push(waiting) });
    const calling = call(holdfast.session({ id: "s1", agent: "buyer" }));
    const approval = await asked();
    expect(heard).toEqual([
      {
        type: "awaiting_confirmation",
        approval: approval.id,
        session: "s1",
        agent: "buyer",
        tool: "pay",
        input: { amount: 900 },
        timeoutAt: approval.expiresAt,
        mode: "auto",
        channel: null,
        approvers: "approvers of the organisation",
      },
    ]);
    await vote(approval.id, "approve");
    await calling;
  });

  it.each<[string, NonNullable<HoldfastOptions["onAwaitingConfirmation"]>]>([
    [
      "throws",
      () => {
        throw new Error("the stream is gone");
      },
    ],
    ["rejects", () => Promise.reject(new Error("the stream is gone"))],
    ["never answers", () => new Promise(() => {})],
  ])("F-38 a listener that %s stops nothing", async (_, onAwaitingConfirmation) => {
    const session = (await create(RULES, { onAwaitingConfirmation })).session();
    const calling = call(session);
    await vote((await asked()).id, "approve");
    expect(reasonOf(await calling)).toBe("ran ran");
  });
});

it("B14-7 an approval that expires as the yes comes is one of the two, and the tool did as the record says", async () => {
  const session = (await create("approvals:\n  - { when: { tool: pay }, expires: 1s }\n")).session();
  for (let round = 1; round <= 20; round++) {
    const before = ran.length;
    const calling = call(session, "pay", { round });
    const { id, expiresAt } = await asked(round);
    nowMs = Date.parse(expiresAt) - (round % 2);
    await vote(id, "approve");
    const outcome = reasonOf(await calling);
    const { status } = (await stores.get(id)) as Approval;
    expect(status).toBe(outcome === "ran ran" ? "used" : "expired");
    expect(ran.length - before).toBe(status === "used" ? 1 : 0);
  }
});
