/** `holdfast approvals` on the real store, and at a real terminal. */
import { userInfo } from "node:os";
import { describe, expect } from "vitest";
import { draftOf } from "../../src/approvals/approval.fixture.ts";
import { noTerminal, onTerminal } from "../cli/terminal.ts";
import { type Gate, it } from "./gate.fixture.ts";

const me = userInfo().username;

async function ask({ approvals }: Gate, changes: Parameters<typeof draftOf>[0] = {}) {
  const { id: _id, ...draft } = draftOf({ policy: { expiresAfterMs: 3_600_000 }, ...changes });
  return approvals.request(draft);
}

describe("holdfast approvals", () => {
  it("lists what waits, shows all of one, and says when there is none", async ({ gate }) => {
    const { machine } = gate;
    expect((await machine.cli(["approvals"])).stdout).toBe("nothing waits for an approval\n");
    const long = `deploy ${"x".repeat(3_000)} THE-END`;
    const { id } = await ask(gate, { call: { input: { command: long } } });
    expect((await machine.cli(["approvals", "list"])).stdout).toMatch(new RegExp(`${id} +pending +60 minutes left`));
    const shown = (await machine.cli(["approvals", "show", id])).stdout;
    expect(shown).toContain(long);
    expect(shown).toContain("history     ");
    const listed = JSON.parse((await machine.cli(["approvals", "list", "--json"])).stdout);
    expect(listed).toMatchObject([{ id, status: "pending" }]);
    const { history } = JSON.parse((await machine.cli(["approvals", "show", id, "--json"])).stdout);
    expect(history).toMatchObject([{ action: "requested" }]);
  });

  it("spells out what would move the cursor or turn the text, in calls, names and reasons", async ({ gate }) => {
    const evil = "\u001b[2J\u001b]0;owned\u0007\u202emoc.live";
    const { id } = await ask(gate, { reason: evil, call: { agent: evil, input: { command: evil, [evil]: evil } } });
    for (const args of [["show", id], ["list"], ["show", id, "--json"]]) {
      const { stdout } = await gate.machine.cli(["approvals", ...args]);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  it("names what is wrong with a command line", async ({ gate }) => {
    const { machine } = gate;
    expect(await machine.cli(["approvals", "aprove", "A-1"])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("did you mean approve?"),
    });
    expect((await machine.cli(["approvals", "show"])).stderr).toContain("takes one id");
    expect((await machine.cli(["approvals", "show", "A-nobody"])).stderr).toContain("HF902");
  });

  it("lets nobody decide without a terminal, whatever the flags", async ({ gate }) => {
    const { id } = await ask(gate);
    const attempts = [["approve", id], ["deny", id, "--reason", "x"], ["approve", id, "--json"], ["review"]];
    for (const args of attempts) {
      const { code, stdout, stderr } = await gate.machine.run(["approvals", ...args], { stdin: "y\n" });
      expect(code).toBe(2);
      expect(stdout + stderr).toContain("HF501");
    }
    expect(await gate.stores.get(id)).toMatchObject({ status: "pending", votes: [] });
    expect((await gate.machine.cli(["approvals", "approve", id, "--dry-run"])).code).toBe(0);
    expect(await gate.stores.get(id)).toMatchObject({ status: "pending" });
  });

  it.skipIf(noTerminal)("a person at a terminal approves, and the vote is theirs", async ({ gate }) => {
    const { id } = await ask(gate);
    const terminal = onTerminal(gate.machine, ["approvals", "approve", id, "--reason", "go"]);
    await terminal.shows("Let exactly this call run, once?");
    terminal.type("y");
    const { code, screen } = await terminal.ended;
    expect(screen).toContain("approved");
    expect(code).toBe(0);
    expect(await gate.stores.get(id)).toMatchObject({
      status: "approved",
      votes: [{ by: me, kind: "approve", reason: "go", via: "terminal" }],
    });
  });

  it.skipIf(noTerminal)("a person at a terminal denies; what is decided cannot be decided again", async ({ gate }) => {
    const { id } = await ask(gate);
    const denied = onTerminal(gate.machine, ["approvals", "deny", id, "--reason", "no"]);
    expect((await denied.ended).code).toBe(0);
    expect(await gate.stores.get(id)).toMatchObject({ status: "denied", votes: [{ reason: "no" }] });
    const again = onTerminal(gate.machine, ["approvals", "approve", id]);
    const { code, screen } = await again.ended;
    expect(screen).toContain("HF903");
    expect(code).not.toBe(0);
  });

  it.skipIf(noTerminal)("whoever the rule keeps out is told so, and nothing changes", async ({ gate }) => {
    const policy = { approvers: { notInitiator: true } };
    const { id } = await ask(gate, { policy, call: { initiator: me } });
    const terminal = onTerminal(gate.machine, ["approvals", "approve", id]);
    expect((await terminal.ended).screen).toContain("wants somebody else to decide");
    expect(await gate.stores.get(id)).toMatchObject({ status: "pending", votes: [] });
  });
});
