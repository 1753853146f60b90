/** The real client and daemon, killed at every stage of a call that waits for a person. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { awaitFileLock, tryFileLock } from "../../src/records/file-lock.ts";
import { ask, hasClient, startDaemon } from "../daemon/started.ts";
import { claudeShell } from "../payloads.ts";
import { denialOf, expectLetThrough, type Gate, it, until } from "./gate.fixture.ts";

const SHIP = "make ship";

describe.skipIf(!hasClient || process.platform !== "linux")("a call that waits in the daemon", () => {
  it("F-17 X-11 is let through as soon as the person says yes, and holds nobody up meanwhile", async ({ gate }) => {
    await gate.rules();
    await startDaemon(gate.machine);
    const waiting = gate.call(SHIP, { through: "client" });
    const [approval] = await gate.asked();
    expectLetThrough(await gate.call("make test", { through: "client" }).ended);
    expect(await gate.all()).toMatchObject([{ status: "pending" }]);
    await gate.vote(approval?.id ?? "", "approve");
    expectLetThrough(await waiting.ended);
    expect(await gate.all()).toMatchObject([{ status: "used" }]);
  });

  it("X-5 whose daemon is killed while it waits goes on in a process of its own, as the same call", async ({
    gate,
  }) => {
    await gate.rules();
    const daemon = await startDaemon(gate.machine);
    const waiting = gate.call(SHIP, { through: "client" });
    const [approval] = await gate.asked();
    daemon.child.kill("SIGKILL");
    await gate.vote(approval?.id ?? "", "approve");
    expectLetThrough(await waiting.ended);
    expect(await gate.all()).toMatchObject([{ id: approval?.id, status: "used", usedBy: approval?.call.eventId }]);
  });

  it("X-5 whose daemon is killed before the question is stored asks from a process of its own", async ({ gate }) => {
    // The first judgement waits in a hook: nobody was asked yet.
    const stage = await stopped(gate, "first");
    const daemon = await startDaemon(gate.machine);
    const waiting = gate.call(SHIP, { through: "client" });
    await stage.reached();
    expect(await gate.all()).toEqual([]);
    daemon.child.kill("SIGKILL");
    stage.release();
    const [approval] = await gate.asked();
    await gate.vote(approval?.id ?? "", "approve");
    expectLetThrough(await waiting.ended);
    expect(await gate.all()).toMatchObject([{ status: "used" }]);
  });

  it("X-5 whose daemon is killed after the yes and before its use is let through once, by the process that took over", async ({
    gate,
  }) => {
    const stage = await stopped(gate, "again");
    const daemon = await startDaemon(gate.machine);
    const waiting = gate.call(SHIP, { through: "client" });
    const [approval] = await gate.asked();
    stage.beforeVote();
    await gate.vote(approval?.id ?? "", "approve");
    await stage.reached();
    expect(await gate.all()).toMatchObject([{ status: "approved" }]);
    daemon.child.kill("SIGKILL");
    stage.release();
    expectLetThrough(await waiting.ended);
    expect(await gate.all()).toMatchObject([{ status: "used", usedBy: approval?.call.eventId }]);
  });

  it("X-5 whose daemon is killed after the use and before the answer keeps its yes, and nobody else gets it", async ({
    gate,
  }) => {
    await gate.rules();
    const daemon = await startDaemon(gate.machine);
    const path = `${gate.machine.journal("audit").file}.lock`;
    const lock = tryFileLock(path, { createDirectory: true }) ?? (await awaitFileLock(path, {}));
    const waiting = gate.call(SHIP, { through: "client" });
    const [approval] = await gate.asked();
    await gate.vote(approval?.id ?? "", "approve");
    await until(async () => (await gate.all())[0]?.status === "used", "the yes is used");
    daemon.child.kill("SIGKILL");
    lock.release();
    // On a busy machine the daemon may have given up on the journal before: then the record waits, and it says so.
    expect(await waiting.ended).toMatchObject({ code: 0, stdout: "", stderr: expect.stringMatching(/^$|waits in/) });
    expect(await gate.all()).toMatchObject([{ status: "used", usedBy: approval?.call.eventId }]);
    expectLetThrough(await gate.call("make test").ended);
    const records = gate.machine.records("audit").filter(({ input }) => input.tool?.command === SHIP);
    expect(records.map(({ decision }) => decision)).toEqual(["none"]);
  });

  it("X-5 whose client is killed leaves the question open; the repeated call passes after the yes", async ({
    gate,
  }) => {
    await gate.rules();
    await startDaemon(gate.machine);
    const killed = gate.call(SHIP, { through: "client" });
    const [approval] = await gate.asked();
    killed.child.kill("SIGKILL");
    await killed.ended;
    await sleep(100);
    expect(await gate.stores.get(approval?.id ?? "")).toMatchObject({ status: "pending" });
    await gate.vote(approval?.id ?? "", "approve");
    expectLetThrough(await gate.call(SHIP, { through: "client" }).ended);
    expect(await gate.all()).toMatchObject([{ status: "used" }]);
  });

  it("X-5 whose client is killed and whose yes comes at the same moment leaves the yes to the repeated call", async ({
    gate,
  }) => {
    await gate.rules();
    const daemon = await startDaemon(gate.machine);
    const killed = gate.call(SHIP, { through: "client" });
    const [approval] = await gate.asked();
    // The daemon hears of both in one turn of its event loop.
    daemon.child.kill("SIGSTOP");
    killed.child.kill("SIGKILL");
    await killed.ended;
    await gate.vote(approval?.id ?? "", "approve");
    daemon.child.kill("SIGCONT");
    expectLetThrough(await gate.call(SHIP, { through: "client" }).ended);
    expect(await gate.all()).toMatchObject([{ id: approval?.id, status: "used" }]);
  });

  it("X-5 of a stopped daemon is answered as pending or let through, never lost", async ({ gate }) => {
    await gate.rules({ wait: "5s" });
    const daemon = await startDaemon(gate.machine);
    const waiting = gate.call(SHIP, { through: "client" });
    await gate.asked();
    daemon.child.kill("SIGSTOP");
    expect(denialOf(await waiting.ended)).toContain("is pending");
    expect(await gate.all()).toMatchObject([{ status: "pending" }]);
  });

  it("is one of 100 that wait at once: others are answered meanwhile, and each gets its own answer", async ({
    gate,
  }) => {
    await gate.rules();
    await startDaemon(gate.machine);
    await ask(gate.machine, "make test");
    const commands = Array.from({ length: 100 }, (_, index) => `${SHIP} N=${index}`);
    const calls = commands.map((command) => ask(gate.machine, command));
    const approvals = await gate.asked(100);
    expect((await ask(gate.machine, "make test"))?.stdout).toBe("");
    expect((await gate.all()).every(({ status }) => status === "pending")).toBe(true);
    const isEven = (command: unknown) => Number(String(command).split("=")[1]) % 2 === 0;
    await Promise.all(
      approvals.map(({ id, call }) => gate.vote(id, isEven(call.input.command) ? "approve" : "deny", "odd")),
    );
    const answers = await Promise.all(calls);
    for (const [index, said] of answers.entries())
      expect(said?.stdout === "", `${commands[index]}: ${said?.stdout}`).toBe(index % 2 === 0);
    const statuses = (await gate.all()).map(({ status }) => status);
    expect(
      [statuses.filter((one) => one === "used"), statuses.filter((one) => one === "denied")].map((l) => l.length),
    ).toEqual([50, 50]);
  });

  it("is one too many for the daemon: it decides in a process of its own", async ({ gate }) => {
    await gate.rules();
    await startDaemon(gate.machine);
    await ask(gate.machine, "make test");
    const calls = [];
    // Not all at once: more than its socket lets queue would not reach a daemon that is slow to look.
    for (const most of [200, 400, 600]) {
      while (calls.length < most) calls.push(ask(gate.machine, `${SHIP} N=${calls.length}`));
      await gate.asked(Math.min(most, 512));
    }
    // 88 were left to their clients.
    const beyond = gate.call(`${SHIP} BEYOND=1`, { through: "client" });
    await until(
      async () => (await gate.all()).some(({ call }) => String(call.input.command).includes("BEYOND")),
      "it asks",
    );
    const open = await gate.all();
    const last = open.find(({ call }) => String(call.input.command).includes("BEYOND"));
    await gate.vote(last?.id ?? "", "approve");
    expectLetThrough(await beyond.ended);
    for (const { id } of open) if (id !== last?.id) await gate.approvals.withdraw(id, "the test is over", null);
    const answers = await Promise.all(calls);
    expect(answers.filter((said) => said === undefined)).toHaveLength(88);
    expect(answers.filter((said) => said && said.stdout === "")).toEqual([]);
  });
});

/** A hook that stops the first judgement of the shipping call, or the one after the yes. */
async function stopped(gate: Gate, when: "first" | "again") {
  const [voting = "", reached = "", free = ""] = ["voting", "reached", "free"].map((name) =>
    join(gate.machine.dir, name),
  );
  const hold = `touch "${reached}"\nwhile [ ! -e "${free}" ]; do sleep 0.02; done\n`;
  const script = when === "first" ? hold : `if [ -e "${voting}" ]; then\n${hold}fi\n`;
  await gate.rules({}, [{ event: "pre_tool_use", matcher: "^shell$", script, timeout_sec: 50 }]);
  return {
    beforeVote: () => void gate.machine.write("voting", ""),
    reached: () => until(() => existsSync(reached), `the ${when} judgement`),
    release: () => void gate.machine.write("free", ""),
  };
}

it("an answer for a call of another's payload is never taken over", async ({ gate }) => {
  await gate.rules({ wait: "0s" });
  const payload = JSON.stringify(claudeShell(gate.machine, SHIP));
  const env = { HOLDFAST_CALL_ID: "0123456789abcdef0123456789abcdef" };
  denialOf(await gate.machine.hook("claude-code", payload, { env }));
  const [approval] = await gate.asked();
  await gate.vote(approval?.id ?? "", "approve");
  expectLetThrough(await gate.machine.hook("claude-code", payload, { env }));
  // The same event may take its yes again: it is one call. Another call with the same id is not.
  expectLetThrough(await gate.machine.hook("claude-code", payload, { env }));
  const other = JSON.stringify(claudeShell(gate.machine, `${SHIP} TARGET=prod`));
  expect(denialOf(await gate.machine.hook("claude-code", other, { env }))).toContain("is pending");
});
