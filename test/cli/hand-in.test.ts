import { describe, expect, onTestFinished } from "vitest";
import { PERSONAL } from "../../src/approvals/approval.ts";
import { listen } from "../../src/entry/server/listen.ts";
import { createToken } from "../../src/entry/server/tokens.ts";
import { appendRecords } from "../../src/records/journal.ts";
import { memoryStores } from "../../src/stores/memory.ts";
import { it, type Machine } from "../program.ts";

async function server() {
  const stores = memoryStores();
  const { url, close } = await listen({ stores, host: "127.0.0.1", port: 0 });
  onTestFinished(close);
  const who = { organisation: PERSONAL, name: "records", kind: "agent" as const, agent: null, person: null };
  await stores.putPerson({ id: "test", organisation: who.organisation, name: "Test", roles: ["admin"] });
  const { token } = await createToken(stores, { ...who, scopes: ["ingest"], createdBy: "test", lastsMs: 60_000 });
  const count = async () => (await stores.audit({ organisation: PERSONAL, limit: 100 })).rows.length;
  return { url, token, count };
}

/** A plan as a call left it behind. */
function planned(machine: Machine, name: string, handIn: { server: string; tokenEnv: string }): void {
  const root = `${machine.dir}/${name}`;
  machine.write(`state/plans/${name}.json`, JSON.stringify({ root, settings: { handIn } }));
  appendRecords(machine.journal("audit", root), [{ timestamp: new Date().toISOString(), decision: "none" }]);
}

describe("holdfast hand-in", () => {
  it("goes by the token that is set, whatever variables plans of long ago name", async ({ machine }) => {
    const { url, token, count } = await server();
    planned(machine, "a-old", { server: url, tokenEnv: "OLD_TOKEN" });
    planned(machine, "b-new", { server: url, tokenEnv: "NEW_TOKEN" });
    const { code, stdout } = await machine.cli(["hand-in", "--json"], { env: { NEW_TOKEN: token } });
    expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 0, servers: [url], rows: 2, problems: [] });
    expect(await count()).toBe(2);
  });

  it("tries every token that is set before it gives a server up", async ({ machine }) => {
    const { url, token, count } = await server();
    planned(machine, "a-old", { server: url, tokenEnv: "OLD_TOKEN" });
    planned(machine, "b-new", { server: url, tokenEnv: "NEW_TOKEN" });
    const env = { OLD_TOKEN: "hf_revoked", NEW_TOKEN: token };
    expect(await machine.cli(["hand-in"], { env })).toMatchObject({ code: 0, stderr: "" });
    expect(await count()).toBe(2);
    const asOld = await machine.cli(["hand-in", "--token-env", "OLD_TOKEN"], { env });
    expect(asOld).toMatchObject({ code: 3, stderr: expect.stringMatching(/HF1091.*401.*set OLD_TOKEN to it/) });
  });

  it("hands in to the servers that take records, and says which do not", async ({ machine }) => {
    const [gone, there] = ["https://gone.invalid", await server()];
    planned(machine, "a-gone", { server: gone, tokenEnv: "GONE_TOKEN" });
    planned(machine, "b-there", { server: there.url, tokenEnv: "TOKEN" });
    const { code, stdout, stderr } = await machine.cli(["hand-in"], { env: { TOKEN: there.token } });
    expect({ code, stdout }).toEqual({ code: 1, stdout: `1 records handed in to ${there.url}\n` });
    expect(stderr).toMatch(/GONE_TOKEN .*gone\.invalid.* is not set/);
  });

  it("stays with the token it was told to, and with none that no config names", async ({ machine }) => {
    const { url, token } = await server();
    planned(machine, "a-old", { server: url, tokenEnv: "OLD_TOKEN" });
    const env = { OLD_TOKEN: "hf_revoked", NEW_TOKEN: token };
    const other = await machine.cli(["hand-in", "--server", url, "--token-env", "NEW_TOKEN", "--stay"], { env });
    expect(other).toMatchObject({ code: 3, stderr: expect.stringContaining("no config names") });
    expect(await machine.cli(["hand-in", "--stay"], { env })).toMatchObject({ code: 1, stderr: "" });
    const [notice] = machine.records("notices", `${machine.dir}/a-old`);
    expect(notice?.message).toMatch(/401.*set OLD_TOKEN to it/);
  });
});
