/** The real hook process on a real PostgreSQL that, from the goodbye on, says nothing any more: no end of the connection either. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { claudeShell } from "../payloads.ts";
import { denialOf, it } from "./gate.fixture.ts";
import { type Postgres, startPostgres } from "./postgres.ts";

let postgres: Postgres | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

const GOODBYE = Buffer.from([0x58, 0, 0, 0, 4]);

/** Carries everything to and fro but the goodbye, and leaves whoever says it waiting. */
async function deafToGoodbyes(url: string): Promise<{ readonly url: string; readonly heard: () => number }> {
  const { hostname: host, port } = new URL(url);
  const sockets = new Set<Socket>();
  let goodbyes = 0;
  const proxy = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: Number(port), host });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
    near.on("data", (chunk) => {
      if (chunk.subarray(-GOODBYE.length).equals(GOODBYE)) goodbyes++;
      else far.write(chunk);
    });
    far.on("data", (chunk) => near.write(chunk));
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const near = new URL(url);
  near.port = String((proxy.address() as AddressInfo).port);
  return { url: near.href, heard: () => goodbyes };
}

/** As long as the host waits for the hook. */
const HOST_MS = 60_000;

it("X-13 a store that cannot be closed does not keep the answer from the host", { timeout: HOST_MS }, async ({
  gate,
}) => {
  const { machine } = gate;
  const store = await deafToGoodbyes(postgres?.url ?? "");
  machine.write("managed/holdfast.json", JSON.stringify({ approvals_store: { url: store.url } }));
  await gate.rules({ wait: "0s" });
  const env = { HOLDFAST_MANAGED_DIR: `${machine.dir}/managed` };
  const reason = denialOf(
    await machine.hook("claude-code", JSON.stringify(claudeShell(machine, "make ship")), { env }),
  );
  expect(reason).toContain("is pending");
  expect(store.heard()).toBeGreaterThan(0);
});
