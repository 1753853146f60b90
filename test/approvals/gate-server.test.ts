/** The real hook program and the real server, each in a process of its own; the server is killed while a call waits. */
import { expect } from "vitest";
import { AGENT_SCOPES } from "../../src/entry/server/principal.ts";
import { claudeShell } from "../payloads.ts";
import { denialOf, expectLetThrough, type Gate, it, managed, serve } from "./gate.fixture.ts";

const envFor = (gate: Gate, url: string) =>
  managed(gate, { scopes: AGENT_SCOPES, section: { approvals_store: { server: url, token_env: "MACHINE_TOKEN" } } });

it("X-5 a call whose server is killed while it waits goes on with the next server, and runs once", async ({ gate }) => {
  await gate.rules();
  const first = await serve(gate);
  const env = await envFor(gate, first.url);
  const payload = JSON.stringify(claudeShell(gate.machine, "make ship"));
  const waiting = gate.machine.hook("claude-code", payload, { env });
  const [approval] = await gate.asked();
  await first.kill();
  await gate.vote(approval?.id ?? "", "approve");
  await serve(gate, Number(new URL(first.url).port));
  expectLetThrough(await waiting);
  expect(await gate.all()).toMatchObject([{ id: approval?.id, status: "used" }]);
});

it("X-1 a call whose server is killed for good is blocked, and the yes is still there for the repeated one", async ({
  gate,
}) => {
  await gate.rules({ wait: "5s" });
  const first = await serve(gate);
  const env = await envFor(gate, first.url);
  const payload = JSON.stringify(claudeShell(gate.machine, "make ship"));
  const waiting = gate.machine.hook("claude-code", payload, { env });
  const [approval] = await gate.asked();
  await first.kill();
  await gate.vote(approval?.id ?? "", "approve");
  expect(denialOf(await waiting)).toMatch(/cannot be reached|pending/);
  await serve(gate, Number(new URL(first.url).port));
  expectLetThrough(await gate.machine.hook("claude-code", payload, { env }));
  expect(await gate.all()).toMatchObject([{ status: "used" }]);
});

it("F-23 a rule that waits for nobody passes the repeated call, once its server has the yes", async ({ gate }) => {
  await gate.rules({ wait: "0s" });
  const { url } = await serve(gate);
  const env = await envFor(gate, url);
  const payload = JSON.stringify(claudeShell(gate.machine, "make ship"));
  const call = () => gate.machine.hook("claude-code", payload, { env });
  const first = denialOf(await call());
  const [approval] = await gate.asked();
  expect(first).toContain(`approval ${approval?.id} is pending`);
  await gate.vote(approval?.id ?? "", "approve");
  expectLetThrough(await call());
  expect(await gate.all()).toMatchObject([{ status: "used" }]);
});

it("X-1 a server that is down is named, with what to do about it, in the block and in a notice, and its token is not", async ({
  gate,
}) => {
  await gate.rules();
  const server = await serve(gate);
  const env = await envFor(gate, server.url);
  await server.kill();
  const ended = await gate.machine.hook("claude-code", JSON.stringify(claudeShell(gate.machine, "make ship")), { env });
  expect(denialOf(ended)).toContain(`${server.url} does not answer (ECONNREFUSED)`);
  expect(denialOf(ended)).toContain("look whether `holdfast serve` runs there");
  const notices = gate.machine.records("notices");
  expect(notices).toContainEqual(
    expect.objectContaining({ code: "approvals", is_error: true, message: expect.stringContaining(server.url) }),
  );
  expect(JSON.stringify([ended, notices])).not.toContain(env.MACHINE_TOKEN);
});

it("X-1 a token that is not set is named with its server, in the block and in a notice", async ({ gate }) => {
  await gate.rules();
  const env = { ...(await envFor(gate, "http://127.0.0.1:9")), MACHINE_TOKEN: "" };
  const ended = await gate.machine.hook("claude-code", JSON.stringify(claudeShell(gate.machine, "make ship")), { env });
  expect(denialOf(ended)).toContain("the variable MACHINE_TOKEN with the token for http://127.0.0.1:9 is not set");
  expect(denialOf(ended)).toContain("set it where the agent is started");
  expect(gate.machine.records("notices")).toContainEqual(
    expect.objectContaining({ code: "approvals", is_error: true, message: expect.stringContaining("MACHINE_TOKEN") }),
  );
});
