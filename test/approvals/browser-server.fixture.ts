/** The real server on a free port of this machine, and a way in for a person. */
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import type { Person } from "../../src/approvals/approval.ts";
import type { Stores } from "../../src/approvals/store.ts";
import { createServer, type HoldfastServer, type ServerSettings } from "../../src/entry/server/app.ts";
import { startSession } from "../../src/entry/server/sessions.ts";

export interface RunningServer {
  readonly url: string;
  readonly server: HoldfastServer;
  /** The cookie of somebody who has signed in. */
  cookieOf(person: Person): Promise<{ name: string; value: string; url: string }>;
  close(): Promise<void>;
}

export async function runServer(stores: Stores, more: Partial<ServerSettings> = {}): Promise<RunningServer> {
  const late: { app?: HoldfastServer["app"] } = {};
  const http = serve({
    fetch: (request, env) => late.app?.fetch(request, env) ?? new Response(null, { status: 503 }),
    port: 0,
    hostname: "127.0.0.1",
  });
  await new Promise((resolve) => http.once("listening", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const server = createServer({ log: (line) => console.error(line), ...more, stores, publicUrl: url });
  late.app = server.app;
  await server.start();
  return {
    url,
    server,
    cookieOf: async (person) => ({ name: "holdfast", value: await startSession(stores, person), url }),
    async close() {
      server.close();
      await new Promise((resolve) => {
        http.close(resolve);
        if ("closeAllConnections" in http) http.closeAllConnections();
      });
    },
  };
}
