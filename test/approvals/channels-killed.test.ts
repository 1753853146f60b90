/** Servers that send cards, killed while they do: real processes over a real store. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { draftOf, personOf } from "../../src/approvals/approval.fixture.ts";
import type { Approval } from "../../src/approvals/approval.ts";
import { Approvals } from "../../src/approvals/service.ts";
import type { Stores } from "../../src/approvals/store.ts";
import { newChannel } from "../../src/channels/administration.ts";
import { sealingKey } from "../../src/channels/credentials.ts";
import { simulatedFeishu } from "../../src/channels/platforms/feishu.fixture.ts";
import type { SimulatedPlatform } from "../../src/channels/platforms/platform.fixture.ts";
import { openStores } from "../../src/stores/open.ts";
import { type Postgres, startPostgres } from "./postgres.ts";

const SECRET = "a key for tests, of more than 32 characters";
const APPROVALS = 40;
const KILLS = 8;

let directory: string;
let postgres: Postgres;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "holdfast-channels-"));
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.stop();
  rmSync(directory, { recursive: true });
});

describe.each([
  ["SQLite", async () => `sqlite:${join(directory, "channels.db")}`],
  ["PostgreSQL", () => postgres.database("channels")],
])("servers that are killed while they send cards, on %s", (_, urlOf) => {
  const servers: ChildProcess[] = [];
  let platform: SimulatedPlatform;
  let stores: Stores;
  afterEach(async () => {
    for (const server of servers.splice(0)) server.kill("SIGKILL");
    await platform?.close();
    await stores?.close();
  });

  it("X-5 B14-6 every approval gets its one card, and every card shows in the end what was decided", async () => {
    const url = await urlOf();
    platform = await simulatedFeishu();
    stores = await openStores({ url });
    const approvals = new Approvals(stores);
    const { type, config } = platform;
    const channel = newChannel({ organisation: "acme", type, name: "a", config }, [sealingKey(SECRET)], stores.now());
    await stores.putChannel(channel);
    const start = async () => {
      const args = [join(import.meta.dirname, "channels-server.mjs"), JSON.stringify({ url, secret: SECRET })];
      const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      servers.push(server);
      await once(server.stdout, "data");
    };
    const ask = () =>
      approvals.request(draftOf({ organisation: "acme", channel: channel.id, policy: { expiresAfterMs: 600_000 } }));

    await Promise.all([start(), start()]);
    const asked: Approval[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      while (asked.length < ((kill + 1) * APPROVALS) / KILLS) asked.push(await ask());
      await sleep(Math.random() * 60);
      const victim = servers.shift();
      victim?.kill("SIGKILL");
      await start();
    }
    const states = async () => Promise.all(asked.map(async ({ id }) => (await stores.get(id))?.delivery.state));
    await until(async () => (await states()).every((state) => state === "delivered"));
    expect(platform.cards()).toHaveLength(asked.length);

    const person = personOf("ann", { organisation: "acme" });
    for (const [index, { id }] of asked.entries()) {
      await approvals.vote(id, { person, kind: index % 2 ? "deny" : "approve", reason: "", via: "api" });
      if (index % 20 === 0) {
        servers.shift()?.kill("SIGKILL");
        await start();
      }
    }
    await until(async () => platform.cards().every(({ buttons }) => buttons.length === 0));
    const titles = platform.cards().map(({ title }) => title.split(":")[0]);
    expect(titles.filter((title) => title === "Approved")).toHaveLength(asked.length / 2);
    expect(titles.filter((title) => title === "Denied")).toHaveLength(asked.length / 2);
  }, 300_000);
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const givenUpAt = Date.now() + 120_000;
  while (!(await isSo())) {
    if (Date.now() > givenUpAt) throw new Error("It did not happen within two minutes.");
    await sleep(50);
  }
}
