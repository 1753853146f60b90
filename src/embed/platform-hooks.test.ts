import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../core/json.ts";
import { defineHook } from "../custom/define-hook.ts";
import { createHoldfast, type Holdfast, type HoldfastOptions } from "./holdfast.ts";
import type { Session } from "./session.ts";
import type { ToolDescriptions } from "./tools.ts";

const distDir = join(import.meta.dirname, "../../dist");
const TOOLS: ToolDescriptions = {
  write: { kind: "write", paths: ["path"], content: ["text"] },
  read: { kind: "read", paths: ["path"] },
};

let dir: string;
let project: string;
let config: string;
const opened: Holdfast[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-platform-"));
  project = join(dir, "project");
  config = join(dir, "config");
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(config);
});
afterEach(async () => {
  for (const holdfast of opened.splice(0)) await holdfast.close();
  rmSync(dir, { recursive: true, force: true });
});

async function create(rules = "", options: HoldfastOptions = {}): Promise<Holdfast> {
  writeFileSync(join(config, "holdfast.yaml"), rules);
  const env = {
    PATH: process.env.PATH,
    HOME: dir,
    HOLDFAST_CONFIG_DIR: config,
    HOLDFAST_STATE_DIR: join(dir, "state"),
  };
  const holdfast = await createHoldfast({ cwd: project, env, tools: TOOLS, distDir, ...options });
  opened.push(holdfast);
  return holdfast;
}

const audit = () =>
  readFileSync(join(project, ".holdfast/tracking/audit.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const call = (session: Session, name: string, input: JsonObject = {}, output: Json = "ran") =>
  session.callTool({ name, input, run: () => output });
const write = (session: Session) => call(session, "write", { path: "a.txt", text: "x" });

describe("platform hooks in an agent of one's own", () => {
  it("F-14 none of them does anything until a config says so", async () => {
    const session = (await create()).session();
    const long = "x".repeat(20_000);
    expect(await call(session, "read", { path: "a" }, long)).toMatchObject({ status: "ran", output: long });
    for (let index = 0; index < 12; index++) expect(await call(session, "crm__get")).toMatchObject({ status: "ran" });
    expect(await write(session)).toMatchObject({ status: "ran" });
  });

  it("F-39 truncation runs last, after hooks of every layer; the whole is in a file that only this person can read", async () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const hooks = [
      defineHook({
        name: "adds",
        on: ["post_tool_use"],
        priority: 1000,
        judge: ({ response }) => ({ rewrite: `${response}${"y".repeat(9_000)} ${token}` }),
      }),
    ];
    const rules = "guards: { truncate-output: true, redact-output: true }\n";
    const outcome = await call((await create(rules, { hooks })).session(), "read", { path: "a" }, "start ");
    const output = outcome.status === "ran" ? String(outcome.output) : "";
    expect(output.length).toBeLessThanOrEqual(8_000);
    expect(output).toMatch(/^start y+\n\[… \d+ of \d+ characters left out/);
    expect(output).not.toContain(token);
    const file = /the whole output is in (\S+) …/.exec(output)?.[1] as string;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const whole = readFileSync(file, "utf8");
    expect(whole).toMatch(/^start y{9000} \[redacted:/);
    expect(whole).not.toContain(token);
  });

  it("F-15 a rewritten rich result keeps its content types and its pictures", async () => {
    const picture = { type: "image", data: "A".repeat(100), mimeType: "image/png" };
    const response = { content: [{ type: "text", text: "x".repeat(9_000) }, picture], isError: false };
    const outcome = await call(
      (await create("guards: { truncate-output: true }\n")).session(),
      "crm__get",
      {},
      response,
    );
    expect(outcome).toMatchObject({ output: { content: [{ type: "text" }, picture], isError: false } });
  });

  it("F-40 the 11th call of a connector within a minute is blocked, for this user only, in every session", async () => {
    const holdfast = await create("guards: { rate-limit: true }\n");
    const calls = (user: string) => call(holdfast.session({ user }), "crm__get");
    for (let index = 0; index < 10; index++) expect(await calls("mona")).toMatchObject({ status: "ran" });
    expect(await calls("mona")).toMatchObject({ status: "blocked", reason: expect.stringMatching(/wait \d+ seconds/) });
    expect(await calls("otto")).toMatchObject({ status: "ran" });
    expect(await call(holdfast.session({ user: "mona" }), "erp__get")).toMatchObject({ status: "ran" });
  });

  it("F-41 B14-13 every call is in the audit once it is over: run, failed, blocked by a rule, refused by a person", async () => {
    const ask = () => ({ allow: false, reason: "not today" }) as const;
    const tools = { ...TOOLS, crm__delete: { kind: "other", requiresConfirmation: true } } as const;
    const rules = "guards: { rate-limit: { limits: [{ tools: [crm__flood], calls: 0, seconds: 60 }] } }\n";
    const session = (await create(rules, { ask, tools })).session({
      user: "mona",
      organisation: "acme",
      agent: "helper",
    });
    await session.callTool({ name: "crm__get", id: "c1", input: {}, run: () => "ok" });
    const fails = () => Promise.reject(new Error("no connection"));
    await session.callTool({ name: "crm__get", id: "c2", input: {}, run: fails });
    await session.callTool({ name: "crm__flood", id: "c3", input: {}, run: () => "no" });
    await session.callTool({ name: "crm__delete", id: "c4", input: {}, run: () => "no" });
    const last = new Map(audit().map((line) => [line.tool_use_id, line]));
    expect([...last.values()].map(({ event, decision, failed }) => [event, decision, failed])).toEqual([
      ["post_tool_use", "none", false],
      ["post_tool_use", "none", true],
      ["pre_tool_use", "block", undefined],
      ["permission_request", "block", undefined],
    ]);
    for (const line of last.values())
      expect(line).toMatchObject({ user: "mona", organisation: "acme", agent: "helper", connector: "crm" });
    expect(last.get("c4").reasons).toEqual([{ hook: "person", text: "not today" }]);
  });

  it("F-42 a read-only organisation reads and does not write", async () => {
    const holdfast = await create("guards: { read-only: { organisations: [acme] } }\n");
    const acme = holdfast.session({ organisation: "acme" });
    expect(await write(acme)).toMatchObject({ status: "blocked", reason: expect.stringContaining("only reading") });
    expect(await call(acme, "read", { path: "a" })).toMatchObject({ status: "ran" });
    expect(await write(holdfast.session({ organisation: "other" }))).toMatchObject({ status: "ran" });
  });

  it("F-42 annotations come from the tool's description or with the call", async () => {
    const tools = { crm__get: { kind: "other", annotations: { readOnlyHint: true } } } as const;
    const session = (await create("guards: { read-only: true }\n", { tools })).session();
    expect(await call(session, "crm__get")).toMatchObject({ status: "ran" });
    expect(await call(session, "crm__list")).toMatchObject({ status: "blocked" });
    const metadata = { readOnlyHint: true };
    const run = () => "ran";
    expect(await session.callTool({ name: "crm__list", input: {}, metadata, run })).toMatchObject({ status: "ran" });
  });

  it("F-12 confirmation is required per tool or per call; a predicate that throws means yes, also after a rewrite", async () => {
    const asked: string[] = [];
    const ask = ({ tool }: { tool: { name: string } }) => {
      asked.push(tool.name);
      return { allow: true } as const;
    };
    const tools = {
      pay: { kind: "other", requiresConfirmation: true },
      connector: { kind: "other", requiresConfirmation: ({ subcommand }: JsonObject) => subcommand === "execute" },
      broken: {
        kind: "other",
        requiresConfirmation: () => {
          throw new Error("boom");
        },
      },
    } as const;
    const session = (await create("", { ask, tools })).session();
    await call(session, "pay");
    await call(session, "connector", { subcommand: "list" });
    await call(session, "connector", { subcommand: "execute" });
    await call(session, "broken");
    expect(asked).toEqual(["pay", "connector", "broken"]);

    const hooks = [
      defineHook({ name: "runs", on: ["pre_tool_use"], judge: () => ({ rewrite: { subcommand: "execute" } }) }),
    ];
    await call((await create("", { ask, tools, hooks })).session(), "connector", { subcommand: "list" });
    expect(asked).toEqual(["pay", "connector", "broken", "connector"]);
  });

  it("F-12 a predicate may take its time: what it promises counts, a promise that it breaks means yes", async () => {
    const asked: string[] = [];
    const ask = ({ tool }: { tool: { name: string } }) => {
      asked.push(tool.name);
      return { allow: true } as const;
    };
    const tools = {
      small: { kind: "other", requiresConfirmation: async () => false },
      large: { kind: "other", requiresConfirmation: async () => true },
      broken: { kind: "other", requiresConfirmation: () => Promise.reject(new Error("no database")) },
      silent: { kind: "other", requiresConfirmation: () => undefined as unknown as boolean },
      rewritten: { kind: "other", requiresConfirmation: async ({ to }: JsonObject) => to === "production" },
    } as const;
    const hooks = [
      defineHook({
        name: "moves",
        on: ["pre_tool_use"],
        when: { tool: "rewritten" },
        judge: () => ({ rewrite: { to: "production" } }),
      }),
    ];
    const unhandled: unknown[] = [];
    const hear = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", hear);
    try {
      const session = (await create("", { ask, tools, hooks })).session();
      for (const name of Object.keys(tools)) expect(await call(session, name)).toMatchObject({ status: "ran" });
      await new Promise((soon) => setTimeout(soon, 10));
    } finally {
      process.off("unhandledRejection", hear);
    }
    expect(asked).toEqual(["large", "broken", "silent", "rewritten"]);
    expect(unhandled).toEqual([]);
  });

  it("F-12 a predicate that never ends holds up no call whose turn is cancelled", async () => {
    const tools = { slow: { kind: "other", requiresConfirmation: () => new Promise<boolean>(() => {}) } } as const;
    const session = (await create("", { tools })).session();
    const turn = new AbortController();
    const calling = session.callTool({ name: "slow", input: {}, signal: turn.signal, run: () => "ran" });
    turn.abort();
    expect(await calling).toMatchObject({ status: "blocked" });
  });
});

const AGENTS = `
agents:
  support:
    hooks:
      - read-only
      - name: truncate-output
        config: { max-characters: 500 }
      - name: stamp
        config: { text: stamped }
      - { command: ./refuse.sh, tools: "crm__*" }
`;

describe("hooks of one agent", () => {
  beforeEach(() => {
    writeFileSync(join(config, "refuse.sh"), `#!/bin/sh\necho '{"decision":"block","reason":"not this one"}'\n`);
    chmodSync(join(config, "refuse.sh"), 0o755);
    mkdirSync(join(config, "hooks/stamp"), { recursive: true });
    const stamp = `
      import { PostToolUseHook } from "holdfast";
      export default class Stamp extends PostToolUseHook {
        name = "stamp";
        execute({ toolResult }, { options }) {
          return { modifiedResult: toolResult + " " + options.text };
        }
      }`;
    writeFileSync(join(config, "hooks/stamp/hook.mjs"), stamp);
  });

  it("F-43 a list names built-in hooks, classes and commands, with their options and the tools they are for", async () => {
    const holdfast = await create(AGENTS);
    const support = holdfast.session({ agent: "support" });
    expect(await write(support)).toMatchObject({ status: "blocked", reason: expect.stringContaining("only reading") });
    expect(await call(support, "read", { path: "a" })).toMatchObject({ output: "ran stamped" });
    const long = await call(support, "read", { path: "a" }, "x".repeat(600));
    expect(long).toMatchObject({ output: expect.stringMatching(/characters left out.*stamped$/s) });
    const metadata = { readOnlyHint: true };
    const refused = await support.callTool({ name: "crm__get", input: {}, metadata, run: () => "ran" });
    expect(refused).toMatchObject({ status: "blocked", reason: expect.stringContaining("not this one") });
    const other = holdfast.session({ agent: "other" });
    expect(await write(other)).toMatchObject({ status: "ran", output: "ran" });
    expect(audit()[0].reasons[0]).toMatchObject({ hook: "read-only@support" });
  });

  it("F-44 the agents it asks have its hooks too, however deep, unless it says otherwise", async () => {
    const deep = (holdfast: Holdfast) =>
      holdfast.session({ agent: "support" }).child({ agent: "researcher" }).child({ agent: "helper" });
    expect(await write(deep(await create(AGENTS)))).toMatchObject({ status: "blocked" });
    const alone = await create("agents: { support: { inherit: false, hooks: [read-only] } }\n");
    expect(await write(alone.session({ agent: "support" }))).toMatchObject({ status: "blocked" });
    expect(await write(deep(alone))).toMatchObject({ status: "ran" });
  });

  it("F-44 an evaluation opts out explicitly: hooks only observe, children's too, and the audit says why", async () => {
    const holdfast = await create("guards: { read-only: true }\n");
    const session = holdfast.session({ observeOnly: "evaluation run 7" });
    expect(await write(session)).toMatchObject({ status: "ran" });
    expect(await write(session.child({ agent: "helper" }))).toMatchObject({ status: "ran" });
    for (const line of audit()) expect(line.notes).toContainEqual({ observeOnly: "evaluation run 7" });
    const [first] = audit();
    expect(first.hooks.find(({ hook }: { hook: string }) => hook === "read-only")).toMatchObject({
      observed: true,
      opinion: { kind: "block" },
    });
  });

  it.each([
    ["agents: { support: { hooks: [read-onyl] } }\n", /no hook module read-onyl/],
    ["agents: { support: { hooks: [{ name: rate-limit, config: { limit: 3 } }] } }\n", /unknown field "limit"/],
    ["agents: { support: { hooks: null } }\n", /agents.support.hooks/],
    ["agents: { support: { hooks: [7] } }\n", /agents.support.hooks.0/],
  ])(
    "F-13, where X-19 decides: a list that is wrong is loud, and closes instead of being skipped: %s",
    async (rules, why) => {
      const outcome = await write((await create(rules)).session());
      expect(outcome).toMatchObject({ status: "blocked", reason: expect.stringMatching(why) });
    },
  );
});
