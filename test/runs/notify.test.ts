/** F-45 people hear how a run ended, in the channel that was named. */
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { newChannel } from "../../src/channels/administration.ts";
import { sealingKey } from "../../src/channels/credentials.ts";
import { openStores } from "../../src/stores/open.ts";
import { it, type Machine } from "../program.ts";

const KEY = "a-key-for-this-test-of-more-than-32-characters";
const SECRET = "a-webhook-secret-of-32-characters-or-more";

async function webhook(status = 200) {
  const told: { title: string; lines: string[] }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      const {
        "x-holdfast-timestamp": at,
        "x-holdfast-nonce": nonce,
        "x-holdfast-signature": signature,
      } = request.headers;
      const wanted = createHmac("sha256", SECRET).update(`${at}.${nonce}.${body}`).digest("hex");
      if (String(signature).endsWith(wanted)) told.push(JSON.parse(body).note);
      response.writeHead(status).end("ok");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { told, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/told` };
}

async function addChannel(machine: Machine, url: string): Promise<void> {
  const stores = await openStores({ url: join(machine.stateDir, "approvals", "approvals.db") });
  const config = { url, secret: SECRET };
  await stores.putChannel(
    newChannel({ organisation: "personal", type: "webhook", name: "team", config }, [sealingKey(KEY)], stores.now()),
  );
  await stores.close();
}

function prepare(machine: Machine, script: string): void {
  machine.write(
    "config/assignments/work/assignment.md",
    "---\nschemaVersion: 1\nname: work\nmaxRetries: 0\ntasks:\n  - { id: first, title: The first task }\n---\nDo it.\n",
  );
  machine.write("project/work.sh", script);
  machine.write(
    "config/agents/worker/agent.md",
    "---\nschemaVersion: 1\nname: worker\nbackend: command\nbackendConfig: { command: [sh, ./work.sh] }\n---\nYou work.\n",
  );
}

const START = ["run", "work", "--agent", "worker", "--notify", "webhook:team"];
const env = { HOLDFAST_SECRET_KEY: KEY };

describe("--notify", () => {
  it("F-45 tells the channel once how the run ended", async ({ machine }) => {
    const { told, url } = await webhook();
    await addChannel(machine, url);
    prepare(machine, "holdfast task set first --status completed\n");
    const { code, stderr } = await machine.run(START, { env });
    expect(code, stderr).toBe(0);
    expect(told).toHaveLength(1);
    expect(told[0]?.title).toBe("worker has finished");
    expect(told[0]?.lines.join("\n")).toContain("1 of 1 tasks are completed");
  });

  it("F-45 changes nothing about the run where nobody can be told, and says so", async ({ machine }) => {
    const { url } = await webhook(410);
    await addChannel(machine, url);
    prepare(machine, "holdfast task set first --status completed\n");
    const { code, stderr } = await machine.run(START, { env });
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("HTTP 410");
    const missing = await machine.run([...START.slice(0, -1), "slack:none"], { env });
    expect(missing.code).toBe(0);
    expect(missing.stderr).toContain("there is no active channel slack:none");
  });
});
