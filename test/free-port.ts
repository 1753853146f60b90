/** A port for a server that is killed and started again: below those that systems give away by themselves meanwhile. */
import { once } from "node:events";
import { createServer } from "node:net";

const [FIRST, LAST] = [15_000, 32_000];

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
  throw new Error("no port is free");
}
