import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApprovalRule } from "../core/approval-rule.ts";
import { type ScratchMachine, scratchMachine } from "./config.fixture.ts";
import { durationMs } from "./duration.ts";

let machine: ScratchMachine;
beforeEach(() => {
  machine = scratchMachine();
});
afterEach(() => machine.remove());

const project = (text: string) => machine.write("work/project/holdfast.yaml", text);
const hooksOf = async () => {
  const { plan, errors } = await machine.compile();
  expect(errors).toEqual([]);
  return plan.hooks.filter(({ run }) => run.type === "builtin" && run.name === "approvals");
};
const rulesOf = async () =>
  (await hooksOf()).flatMap(({ run }) =>
    run.type === "builtin" ? (run.options.rules as unknown as readonly ApprovalRule[]) : [],
  );
const problem = async (text: string) => {
  project(text);
  const [error] = (await machine.compile()).errors;
  return error && { code: error.code, message: error.message, fix: error.fix, line: error.place.line };
};

describe("approvals:", () => {
  it("without the section there is no hook", async () => {
    project("version: 1\n");
    expect(await hooksOf()).toEqual([]);
  });

  it("a rule is compiled with its defaults", async () => {
    project("approvals:\n  - when: { effect: publish }\n");
    expect(await rulesOf()).toEqual([
      {
        name: "rule-1",
        when: { effects: ["publish"] },
        approvers: { people: [], roles: [], count: 1, notInitiator: false },
        mode: "auto",
        channel: null,
        expiresMs: 7_200_000,
        waitMs: null,
        remindEveryMs: null,
        escalate: null,
      },
    ]);
  });

  it("a rule is compiled whole", async () => {
    project(`approvals:
  - name: releases
    when: { effect: [publish, deploy], tool: ["mcp:crm/*"], kind: mcp, command: "x *", paths: a/**, agent: bot, requires_confirmation: true, amount: { field: a.b, above: 1.5 } }
    approvers: { people: [ada, "@owner"], role: release, count: 2, not: initiator }
    mode: channel
    channel: feishu:releases
    expires: 1h30m
    wait: 20s
    remind_every: 15m
    escalate: { after: 30m, people: boss, channel: slack:boss }
`);
    expect(await rulesOf()).toEqual([
      {
        name: "releases",
        when: {
          tools: ["mcp:crm/*"],
          kinds: ["mcp"],
          commands: ["x *"],
          paths: ["a/**"],
          effects: ["publish", "deploy"],
          agents: ["bot"],
          inheritsAgents: true,
          requiresConfirmation: true,
          amount: { field: "a.b", above: 1.5 },
        },
        approvers: { people: ["ada", "@initiator"], roles: ["release"], count: 2, notInitiator: true },
        mode: "channel",
        channel: "feishu:releases",
        expiresMs: 5_400_000,
        waitMs: 20_000,
        remindEveryMs: 900_000,
        escalate: { afterMs: 1_800_000, people: ["boss"], roles: [], channel: "slack:boss" },
      },
    ]);
  });

  it("every file has a hook of its own layer: a lower one adds rules and touches no other's", async () => {
    machine.write("user/holdfast.yaml", "approvals:\n  - { name: same, when: { all: true } }\n");
    project("approvals:\n  - { name: same, when: { all: true }, approvers: { people: anybody } }\n");
    const hooks = await hooksOf();
    expect(hooks.map(({ layer, name, trust }) => [layer, name, trust])).toEqual([
      ["user", "approvals", "not-needed"],
      ["project", "approvals-2", "not-needed"],
    ]);
  });

  it("guards cannot switch it off", async () => {
    expect(await problem("guards: { approvals: false }\n")).toMatchObject({ code: "HF202" });
  });

  it("agents have rules of their own, and confirm_everything", async () => {
    project(
      "agents:\n  buyer: { approvals: [{ when: { tool: pay } }], confirm_everything: true }\n  solo: { inherit: false, confirm_everything: true }\n",
    );
    expect((await rulesOf()).map(({ name, when }) => [name, when])).toEqual([
      ["buyer-1", { tools: ["pay"], agents: ["buyer"], inheritsAgents: true }],
      ["buyer-everything", { all: true, agents: ["buyer"], inheritsAgents: true }],
      ["solo-everything", { all: true, agents: ["solo"], inheritsAgents: false }],
    ]);
  });

  it.each([
    ["an unknown key", "- { when: { all: true }, approver: {} }", "HF202", "did you mean approvers?"],
    ["an unknown key in when", "- { when: { efect: publish } }", "HF202", "did you mean effect?"],
    [
      "an unknown key in approvers",
      "- { when: { all: true }, approvers: { pepole: ada } }",
      "HF202",
      "did you mean people?",
    ],
    ["an unknown effect", "- { when: { effect: publsh } }", "HF200", "did you mean publish?"],
    ["an unknown effect in a list", "- { when: { effect: [publish, deplyo] } }", "HF200", "did you mean deploy?"],
    ["an unknown kind", "- { when: { kind: shel } }", "HF200", "did you mean shell?"],
    ["an unknown mode", "- { when: { all: true }, mode: inlin }", "HF200", "did you mean inline?"],
  ])("%s is an error with the nearest name", async (_, text, code, fix) => {
    const found = await problem(`approvals:\n  ${text}\n`);
    expect(found).toMatchObject({ code, line: 2 });
    expect(found?.fix).toContain(fix);
  });

  it.each([
    ["a duration nobody can read", "- { when: { all: true }, expires: soon }", '"soon" is no duration'],
    ["a duration without a unit", "- { when: { all: true }, expires: '90' }", '"90" is no duration'],
    ["no time at all", "- { when: { all: true }, expires: 0s }", "must be from 1s"],
    ["nothing to match", "- { when: {} }", "all: true"],
    [
      "more yes than people",
      "- { when: { all: true }, approvers: { people: [ada], count: 2 } }",
      "only 1 people may say it",
    ],
    [
      "only the initiator, and not the initiator",
      "- { when: { all: true }, approvers: { people: '@initiator', not: initiator } }",
      "only 0 people",
    ],
    ["role and roles", "- { when: { all: true }, approvers: { role: a, roles: [b] } }", "both role and roles"],
    ["roles that name none", "- { when: { all: true }, approvers: { roles: [] } }", "approvals.0.approvers.roles"],
    [
      "a glob that takes away",
      '- { when: { paths: ["infra/**", "!infra/dev/**"] } }',
      "there are no exceptions among path globs",
    ],
    ["an empty glob", '- { when: { paths: "" } }', "approvals.0.when.paths"],
    ["an escalation to nobody", "- { when: { all: true }, escalate: { after: 5m } }", "escalate names nobody"],
    [
      "an escalation after the end",
      "- { when: { all: true }, escalate: { after: 5h, people: x } }",
      "not before the approval expires",
    ],
    ["inline with a channel", "- { when: { all: true }, mode: inline, channel: x }", "never asks in a channel"],
    [
      "two rules of one name",
      "- { name: a, when: { all: true } }\n  - { name: a, when: { all: true } }",
      "two approval rules",
    ],
  ])("%s is an error that says so", async (_, text, message) => {
    expect((await problem(`approvals:\n  ${text}\n`))?.message).toContain(message);
  });
});

describe("approvals_store:", () => {
  it("is the person's to set: a repository cannot", async () => {
    expect(await problem("approvals_store: { url: /tmp/x.db }\n")).toMatchObject({ code: "HF209" });
  });

  it("holds references, never secrets", async () => {
    machine.write("user/holdfast.yaml", "approvals_store: { url: 'postgres://h:${PG_PASSWORD}@db/x' }\n");
    const { plan } = await machine.compile({ env: { ...machine.env, PG_PASSWORD: "hunter22" } });
    expect(plan.settings.approvals).toEqual({ url: "postgres://h:${PG_PASSWORD}@db/x" });
    expect(JSON.stringify(plan)).not.toContain("hunter22");
  });

  it.each([
    ["approvals_store: { url: a, server: 'https://x' }", "both url and server"],
    ["approvals_store: { server: 'https://x' }", "server needs token_env"],
    ["approvals_store: { server: 'ftp://x', token_env: T }", "approvals_store.server"],
    ["approvals_store: { server: 'http://example.com', token_env: T }", "use https"],
    ["approvals_store: { server: 'http://localhost.example.com', token_env: T }", "use https"],
  ])("%s is an error", async (text, message) => {
    machine.write("user/holdfast.yaml", `${text}\n`);
    expect((await machine.compile()).errors[0]?.message).toContain(message);
  });
});

it.each([
  ["90s", 90_000],
  ["15m", 900_000],
  ["1h30m", 5_400_000],
  ["2 h", 7_200_000],
  ["3d", 259_200_000],
  ["250ms", 250],
  ["", undefined],
  ["2", undefined],
  ["h", undefined],
  ["2h x", undefined],
  ["-2h", undefined],
  ["1.5h", undefined],
])("the duration %s is %s ms", (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});

describe("docs/guide/approvals.md", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../docs/guide/approvals.md"), "utf8");
  const examples = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ""]) => text);

  it.each(examples)("its example %# loads without an error", async (text) => {
    machine.write("user/holdfast.yaml", text);
    const env = { ...machine.env, HOLDFAST_DB_PASSWORD: "x", HOLDFAST_AGENT_TOKEN: "y" };
    expect((await machine.compile({ env })).errors).toEqual([]);
  });

  it("has examples", () => {
    expect(examples.length).toBeGreaterThan(3);
  });
});
