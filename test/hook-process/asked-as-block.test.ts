/** Hosts that cannot ask, by their support tables: what asks is a block there, and a person can let it through once. */
import { describe, expect } from "vitest";
import { placesOf } from "../../src/config/places.ts";
import { grantPass } from "../../src/engine/one-time-pass.ts";
import type { Host } from "../../src/hosts/host.ts";
import { HOSTS } from "../../src/hosts/registry.ts";
import { it, type Machine } from "../program.ts";

const asksByBlock = ({ support }: Host) => {
  const ask = support.pre_tool_use?.answers.ask;
  return typeof ask === "object" && "becomes" in ask && ask.becomes === "block";
};

function publishOn({ codec, probes, support }: Host, machine: Machine, command = "npm publish", session = "s1") {
  const [native = ""] = support.pre_tool_use?.native ?? [];
  const sample = { on: "pre_tool_use", native, session, cwd: machine.projectDir, id: "call-1" } as const;
  return codec.compose({ ...sample, call: probes.shell(command) }) ?? {};
}

const OFFER = /A person can allow it once: holdfast allow-once ([0-9a-f]{8})\./;

it("several hosts cannot ask", () => {
  expect(HOSTS.filter(asksByBlock).map(({ id }) => id)).toEqual(
    expect.arrayContaining(["codex", "cursor", "gemini", "kiro", "opencode"]),
  );
});

describe.each(HOSTS.filter(asksByBlock).map((host) => [host.id, host] as const))("%s", (id, host) => {
  const said = async (machine: Machine, command?: string, session?: string) => {
    const { stdout, stderr } = await machine.hook(id, publishOn(host, machine, command, session));
    return `${stdout}${stderr}`;
  };

  it("says the code of a call that needs a person's yes, and the audit knows the call and what was delivered", async ({
    machine,
  }) => {
    const text = await said(machine);
    expect(text).toContain("Blocked by holdfast:");
    const [, code = ""] = OFFER.exec(text) ?? [];
    const [record] = machine.records("audit");
    expect(record).toMatchObject({ decision: "ask", delivered: "block", call: expect.stringMatching(`^${code}`) });
    const shown = await machine.cli(["allow-once", code, "--dry-run"]);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("npm publish") });
  });

  it("lets exactly that call through, once", async ({ machine }) => {
    await said(machine);
    grantPass(machine.records("audit")[0]?.call, placesOf(machine.env), new Date());
    expect(await said(machine, "npm publish --access public")).toMatch(OFFER);
    expect(await said(machine, undefined, "another-session")).toMatch(OFFER);
    expect(await said(machine)).not.toContain("Blocked by holdfast:");
    expect(machine.records("audit").at(-1)).toMatchObject({
      decision: "none",
      notes: [{ grantedAt: expect.anything() }],
    });
    expect(await said(machine)).toMatch(OFFER);
  });

  it("takes no pass that has expired", async ({ machine }) => {
    await said(machine);
    const aWhileAgo = new Date(Date.now() - 16 * 60_000);
    grantPass(machine.records("audit")[0]?.call, placesOf(machine.env), aWhileAgo);
    expect(await said(machine)).toMatch(OFFER);
  });
});

it("no code is said for what a managed file asks about", async ({ machine }) => {
  const env = { HOLDFAST_MANAGED_DIR: `${machine.dir}/managed` };
  machine.write("managed/holdfast.yaml", "guards: { destructive-command: { mode: enforce } }\n");
  const codex = HOSTS.find(({ id }) => id === "codex") as Host;
  const { stdout } = await machine.hook("codex", publishOn(codex, machine), { env });
  expect(stdout).toContain("Blocked by holdfast:");
  expect(stdout).not.toMatch(OFFER);
});

it("where the host asks, the person is asked there: the question has no code, and the audit knows the call", async ({
  machine,
}) => {
  const claude = HOSTS.find(({ id }) => id === "claude-code") as Host;
  const { stdout } = await machine.hook("claude-code", publishOn(claude, machine));
  expect(JSON.parse(stdout).hookSpecificOutput.permissionDecision).toBe("ask");
  expect(stdout).not.toMatch(OFFER);
  const [record] = machine.records("audit");
  expect(record).toMatchObject({ decision: "ask", call: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(record).not.toHaveProperty("delivered");
});
