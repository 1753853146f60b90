import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { KIND } from "./protocol.ts";
import { askDaemon, isAnswered } from "./talk.ts";

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-talk-"));
  file = join(dir, "socket");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const LISTENS = `require("node:net").createServer().listen(process.argv[1], () => console.log("up"))`;

test("what a daemon says is waited for, also where a crowd keeps it busy for more than a second", async () => {
  const answer = Buffer.alloc(20 + 4);
  answer.writeUInt32LE(KIND.answer, 0);
  answer.writeUInt32LE(4, 12);
  answer.write("busy", 20);
  const server = createServer((socket) => void sleep(1_500).then(() => socket.end(answer)));
  server.listen(file);
  await once(server, "listening");
  expect(await askDaemon(file, "status")).toBe("busy");
  server.close();
});

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
