/** The real hook process and the real store on SQLite. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import type { Approval } from "../../src/approvals/approval.ts";
import { claude } from "../payloads.ts";
import { denialOf, expectLetThrough, it } from "./gate.fixture.ts";

describe("a hook process that needs an approval", () => {
  it("F-16 F-17 X-11 waits for the person and lets the call through after the yes, once", async ({ gate }) => {
    await gate.rules();
    const { ended } = gate.call("make ship");
    const [approval] = await gate.asked();
    expect(approval).toMatchObject({
      status: "pending",
      rule: "approvals/ships",
      call: { host: "claude-code", tool: "Bash", input: { command: "make ship" } },
    });
    await gate.vote(approval?.id ?? "", "approve");
    expectLetThrough(await ended);
    expect(await gate.all()).toMatchObject([{ status: "used" }]);
    const [record] = gate.machine.records("audit");
    expect(record?.notes).toMatchObject([{ approval: approval?.id }]);
    // Whoever judges it again finds the same ask, and asks nobody.
    expect(JSON.parse((await gate.machine.cli(["replay", "--json"])).stdout)).toEqual({ judged: 1, changes: [] });
    expect(await gate.all()).toHaveLength(1);
  });

  it("F-17 F-25 is denied with the person's reason, and a near copy is refused without a question", async ({
    gate,
  }) => {
    await gate.rules();
    const { ended } = gate.call("make ship");
    const [approval] = await gate.asked();
    await gate.vote(approval?.id ?? "", "deny", "not on a Friday");
    expect(denialOf(await ended)).toContain('"not on a Friday"');
    const again = denialOf(await gate.call("env X=1 make ship -j4").ended);
    expect(again).toContain("denied in this session");
    expect(again).not.toContain("allow-once");
    expect(await gate.all()).toHaveLength(1);
  });

  it("F-23 answers that it is pending before the host's time is over; the repeated call passes at once", async ({
    gate,
  }) => {
    await gate.rules({ wait: "0s" });
    const reason = denialOf(await gate.call("make ship").ended);
    const [approval] = await gate.asked();
    expect(reason).toContain(`approval ${approval?.id} is pending`);
    expect(denialOf(await gate.call("make ship").ended)).toContain(`approval ${approval?.id} is pending`);
    await gate.vote(approval?.id ?? "", "approve");
    expectLetThrough(await gate.call("make ship").ended);
    expect(await gate.all()).toMatchObject([{ status: "used" }]);
    // Used up: the next one is a new question.
    expect(denialOf(await gate.call("make ship").ended)).toContain("is pending");
    expect(await gate.all()).toHaveLength(2);
  });

  it("X-3 a call with other arguments, in another session or elsewhere does not get the yes", async ({ gate }) => {
    await gate.rules({ wait: "0s" });
    await gate.call("make ship").ended;
    const [approval] = await gate.asked();
    await gate.vote(approval?.id ?? "", "approve");
    const others = [
      gate.call("make ship TARGET=prod"),
      gate.call("make ship", { changes: { session_id: "another" } }),
      gate.call("make ship", { changes: { cwd: gate.machine.dir } }),
    ];
    for (const { ended } of others) expect(denialOf(await ended)).toContain("is pending");
    expect(await gate.stores.get(approval?.id ?? "")).toMatchObject({ status: "approved", usedBy: null });
  });

  it("two identical calls at once share one approval, and one of them runs", async ({ gate }) => {
    await gate.rules({ wait: "10s" });
    const calls = [gate.call("make ship"), gate.call("make ship")];
    const [approval] = await gate.asked();
    await gate.vote(approval?.id ?? "", "approve");
    const answers = await Promise.all(calls.map(({ ended }) => ended));
    expect(answers.filter(({ stdout }) => stdout === "")).toHaveLength(1);
    // Whichever came after the use has found the yes gone, or asked anew.
    expect((await gate.all()).filter(({ status }) => status === "used")).toHaveLength(1);
  });

  it("X-5 a hook process that is killed while it waits leaves the question open; the repeated call passes", async ({
    gate,
  }) => {
    await gate.rules();
    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
      const { child, ended } = gate.call(`make ship ${signal}`);
      const approvals = await gate.asked(signal === "SIGKILL" ? 1 : 2);
      child.kill(signal);
      await ended;
      const [approval] = approvals;
      expect(await gate.stores.get(approval?.id ?? "")).toMatchObject({ status: "pending" });
      await gate.vote(approval?.id ?? "", "approve");
      expectLetThrough(await gate.call(`make ship ${signal}`).ended);
    }
    expect((await gate.all()).map(({ status }) => status)).toEqual(["used", "used"]);
  });

  it("X-5 the end of the session withdraws what it still asks", async ({ gate }) => {
    await gate.rules({ wait: "0s" });
    await gate.call("make ship").ended;
    const { code } = await gate.machine.hook("claude-code", claude(gate.machine, "SessionEnd"));
    expect(code).toBe(0);
    expect(await gate.all()).toMatchObject([{ status: "withdrawn" }]);
  });

  it("X-1 B14-1 a database that is no database blocks, with the reason", async ({ gate }) => {
    await gate.rules();
    const { machine } = gate;
    const file = machine.write("elsewhere/broken.db", "this is no database at all, and never was one\n".repeat(50));
    machine.write("managed/holdfast.json", JSON.stringify({ approvals_store: { url: file } }));
    const env = { HOLDFAST_MANAGED_DIR: join(machine.dir, "managed") };
    const payload = JSON.stringify({ ...claude(machine, "PreToolUse"), tool_input: { command: "make ship" } });
    const reason = denialOf(await machine.hook("claude-code", payload, { env }));
    expect(reason).toContain("cannot be reached");
    expect(reason.length).toBeLessThan(430);
    // Calls that need no approval do not even look.
    const plain = JSON.stringify({ ...claude(machine, "PreToolUse"), tool_input: { command: "make test" } });
    expectLetThrough(await machine.hook("claude-code", plain, { env }));
  });

  it("X-1 a server that is not there blocks, with the reason", async ({ gate }) => {
    const { machine } = gate;
    await gate.rules();
    const rules = { approvals_store: { server: "http://127.0.0.1:9", token_env: "AGENT_TOKEN" } };
    machine.write("managed/holdfast.json", JSON.stringify(rules));
    const env = { HOLDFAST_MANAGED_DIR: join(machine.dir, "managed"), AGENT_TOKEN: "t" };
    const payload = JSON.stringify({ ...claude(machine, "PreToolUse"), tool_input: { command: "make ship" } });
    expect(denialOf(await machine.hook("claude-code", payload, { env }))).toContain("cannot be reached");
    const { AGENT_TOKEN: _token, ...without } = env;
    expect(denialOf(await machine.hook("claude-code", payload, { env: without }))).toContain("AGENT_TOKEN");
  });
});

it("F-21 in mode channel a card that no server sends blocks after a while, and the question is withdrawn", async ({
  gate,
}) => {
  await gate.rules({ mode: "channel" });
  const at = new Date().toISOString();
  await gate.stores.putChannel({
    id: "c1",
    organisation: "personal",
    type: "slack",
    name: "releases",
    isActive: true,
    sealedConfig: "",
    createdAt: at,
    updatedAt: at,
  });
  expect(denialOf(await gate.call("make ship").ended)).toContain("is holdfast serve running?");
  expect(await gate.all()).toMatchObject([{ status: "withdrawn", channel: "c1" }]);
});

it("X-20 explain says whom a call would ask, and asks nobody", async ({ gate }) => {
  await gate.rules({ approvers: { role: "release", count: 2 } });
  const { stdout } = await gate.machine.cli(["explain", "--command", "make ship", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({
    decision: "ask",
    rules: ["approvals/ships"],
    reason: "`make ship` needs the approval of 2 of: role release.",
  });
  expect(await gate.all()).toEqual([]);
});

describe("a clock that is wrong", () => {
  const shifted = (ms: number) => ({
    NODE_OPTIONS: `--require ${JSON.stringify(join(import.meta.dirname, "../hook-process/shifted-clock.cjs"))}`,
    SHIFT_MS: String(ms),
  });
  const HOUR_MS = 3_600_000;

  it("set forward over the end of an approval never lets its call through, and asks anew", async ({ gate }) => {
    await gate.rules({ wait: "0s", expires: "2h" });
    const { machine } = gate;
    await gate.call("make ship").ended;
    const [old] = await gate.asked();
    const payload = JSON.stringify({ ...claude(machine, "PreToolUse"), tool_input: { command: "make ship" } });
    expect(denialOf(await machine.hook("claude-code", payload, { env: shifted(3 * HOUR_MS) }))).toContain("is pending");
    expect(await gate.stores.get(old?.id ?? "")).toMatchObject({ status: "expired" });
    expect(await gate.all()).toHaveLength(2);
    const late = await gate.approvals.vote(old?.id ?? "", {
      person: { id: "x", organisation: "personal", name: "x", roles: ["admin"] },
      kind: "approve",
      reason: "",
      via: "web",
    });
    expect(late).toMatchObject({ kind: "refused", code: "not-pending" });
  });

  it("set back, a yes still counts once", async ({ gate }) => {
    await gate.rules({ wait: "0s" });
    const { machine } = gate;
    await gate.call("make ship").ended;
    const [approval] = await gate.asked();
    await gate.vote(approval?.id ?? "", "approve");
    const payload = JSON.stringify({ ...claude(machine, "PreToolUse"), tool_input: { command: "make ship" } });
    expectLetThrough(await machine.hook("claude-code", payload, { env: shifted(-48 * HOUR_MS) }));
    expect(denialOf(await machine.hook("claude-code", payload, { env: shifted(-48 * HOUR_MS) }))).toContain("pending");
  });

  it("set far forward, an old yes is no longer one, and people are asked anew", async ({ gate }) => {
    await gate.rules({ wait: "0s" });
    const { machine } = gate;
    await gate.call("make ship").ended;
    const [approval] = await gate.asked();
    await gate.vote(approval?.id ?? "", "approve");
    const payload = JSON.stringify({ ...claude(machine, "PreToolUse"), tool_input: { command: "make ship" } });
    const denial = denialOf(await machine.hook("claude-code", payload, { env: shifted(30 * HOUR_MS) }));
    expect(denial).toContain("is pending");
    expect(denial).not.toContain(approval?.id);
    expect(await gate.stores.get(approval?.id ?? "")).toMatchObject({ status: "withdrawn" });
  });
});

it("a file that people decide by is private, whoever made it", async ({ gate }) => {
  await gate.rules({ wait: "0s" });
  await gate.call("make ship").ended;
  for (const name of ["approvals", "approvals/approvals.db"])
    expect(statSync(join(gate.machine.stateDir, name)).mode & 0o077).toBe(0);
});

it("X-8 secrets in a call are marked where people see it, and the digest is of the true call", async ({ gate }) => {
  await gate.rules({ wait: "0s" });
  const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
  const [one, two] = [`make ship TOKEN=${secret}`, `make ship TOKEN=${secret.replace("a1", "z9")}`];
  await gate.call(one).ended;
  await gate.call(two).ended;
  const all: readonly Approval[] = await gate.asked(2);
  for (const { call } of all) expect(JSON.stringify(call)).toContain("[redacted:");
  expect(JSON.stringify(all)).not.toContain(secret);
  expect(new Set(all.map(({ digest }) => digest)).size).toBe(2);
});
