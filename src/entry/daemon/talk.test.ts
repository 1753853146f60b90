import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isAnswered } from "./talk.ts";

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-talk-"));
  file = join(dir, "socket");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const LISTENS = `require("node:net").createServer().listen(process.argv[1], () => console.log("up"))`;

describe("whether a daemon answers", () => {
  test("is no of one that is killed with us in its queue: what hangs up on us there is its end", async () => {
    const dying = spawn(process.execPath, ["-e", LISTENS, file]);
    await once(dying.stdout, "data");
    dying.kill("SIGSTOP");
    const asked = isAnswered(file);
    // Long enough for us to be in the queue; without that the question is merely an easier one.
    await sleep(200);
    dying.kill("SIGKILL");
    expect(await asked).toBe(false);
  });

  test("is yes of one that hangs up on everybody", async () => {
    const server = createServer((socket) => socket.destroy());
    server.listen(file);
    await once(server, "listening");
    expect(await isAnswered(file)).toBe(true);
    server.close();
  });
});
