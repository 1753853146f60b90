import { describe, expect } from "vitest";
import { HOSTS } from "../../src/hosts/registry.ts";
import { it } from "../program.ts";
import { blocks, userHooks } from "../rules.ts";

describe.concurrent("hosts", () => {
  it("has a row for every hook that applies here and a column for every host", async ({ machine }) => {
    await userHooks(machine, [{ event: "stop", script: blocks("go on"), id: "mine" }]);
    const { code, stdout } = await machine.cli(["hosts"]);
    expect(code).toBe(0);
    const [head = "", ...rows] = stdout.split("\n");
    expect(head.trim().split(/ +/)).toEqual(HOSTS.map(({ id }) => id));
    expect(rows.map((row) => row.split(/ +/)[0])).toEqual(expect.arrayContaining(["destructive-command", "mine"]));
  });

  it("a hook that is only observed is observed everywhere", async ({ machine }) => {
    machine.write("config/holdfast.yaml", "version: 1\nguards: { destructive-command: { mode: observe } }\n");
    const { stdout } = await machine.cli(["hosts", "--hosts", "claude-code,kiro"]);
    expect(stdout).toMatch(/^destructive-command +observed +observed$/m);
  });

  it("says of one host what happens instead", async ({ machine }) => {
    const { stdout } = await machine.cli(["hosts", "--host", "kiro"]);
    expect(stdout).toMatch(/destructive-command +stricter/);
    expect(stdout).toContain("pre_tool_use ask: becomes a block:");
  });

  it("--events has every answer to every event, with --json for programs", async ({ machine }) => {
    const { stdout } = await machine.cli(["hosts", "--events", "--json", "--hosts", "claude-code,kiro"]);
    const { hosts, rows } = JSON.parse(stdout);
    expect(hosts).toMatchObject([{ id: "claude-code", provenVersion: "2.1.325" }, { id: "kiro" }]);
    const row = rows.find(({ name }: { name: string }) => name === "stop continue");
    expect(row.hosts.map(({ enforcement }: { enforcement: string }) => enforcement)).toEqual(["enforced", "observed"]);
  });

  it("an unknown host is bad input", async ({ machine }) => {
    expect(await machine.cli(["hosts", "--host", "emacs"])).toMatchObject({ code: 3 });
    expect(await machine.cli(["verify", "--host", "emacs"])).toMatchObject({ code: 3 });
  });

  it("verify says what is missing before it starts anything", async ({ machine }) => {
    const { code, stderr } = await machine.cli(["verify"]);
    expect(code).toBe(3);
    expect(stderr).toContain("no agent here is both installed and registered");
    expect((await machine.cli(["verify", "--host", "kiro"])).stderr).toContain("it cannot be proven here");
  });
});
