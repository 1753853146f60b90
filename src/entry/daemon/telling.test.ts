import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acceptedAndJudged, judged, judging } from "./protocol.ts";
import { Telling } from "./telling.ts";

let dir: string;
let client: Socket;
let socket: Socket;
let close: () => void;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-telling-"));
  const server = createServer();
  server.listen(join(dir, "socket"));
  await once(server, "listening");
  client = connect(join(dir, "socket"));
  [socket] = await once(server, "connection");
  socket.on("error", () => {});
  socket.resume();
  close = () => {
    client.destroy();
    socket.destroy();
    server.close();
  };
});
afterEach(() => {
  close();
  rmSync(dir, { recursive: true, force: true });
});

function accepted(milliseconds: number): Telling {
  const telling = new Telling(socket);
  telling.accept(milliseconds);
  return telling;
}

const heard = async (bytes: number) => {
  const chunks: Buffer[] = [];
  while (Buffer.concat(chunks).length < bytes) chunks.push((await once(client, "data"))[0]);
  return Buffer.concat(chunks);
};

describe("a claim", () => {
  test("that the kernel has taken holds, and goes out with ACCEPTED in one piece", async () => {
    const telling = accepted(1_234);
    telling.judgingIsOver();
    expect(telling.claim()).toBe(true);
    expect(await heard(20)).toEqual(acceptedAndJudged(1_234));
  });

  test("that comes in a later turn follows ACCEPTED, which did not wait for it", async () => {
    const telling = accepted(1_234);
    const first = heard(12);
    await turn();
    await turn();
    expect(await first).toEqual(acceptedAndJudged(1_234).subarray(0, 12));
    telling.judgingIsOver();
    expect(telling.claim()).toBe(true);
    expect(await heard(8)).toEqual(judged());
  });

  test("on a client that has gone fails, before the daemon has heard of it", async () => {
    client.destroy();
    await once(client, "close");
    expect(accepted(1).claim()).toBe(false);
  });

  test("on a client that has gone fails, when the daemon has heard of it", async () => {
    client.end();
    await once(socket, "end");
    expect(await accepted(1).claim()).toBe(false);
  });

  test("on a connection that was given up fails, before its close is told", () => {
    socket.destroy();
    expect(accepted(1).claim()).toBe(false);
  });
});

describe("that a client still waits", () => {
  test("is known by the sign of life that the kernel takes, which never comes before ACCEPTED", async () => {
    const telling = accepted(1_234);
    const words = heard(20);
    expect(telling.isHeard()).toBe(true);
    expect(await words).toEqual(Buffer.concat([acceptedAndJudged(1_234).subarray(0, 12), judging()]));
    telling.judgingIsOver();
    expect(telling.claim()).toBe(true);
    expect(await heard(8)).toEqual(judged());
  });

  test("is not so of one that has gone, before the daemon has heard of it", async () => {
    const telling = accepted(1);
    client.destroy();
    await once(client, "close");
    expect(await telling.isHeard()).toBe(false);
    telling.judgingIsOver();
  });

  test("is not so of one whose judgement is there: nothing is said between JUDGED and the answer", async () => {
    const telling = accepted(1);
    telling.judgingIsOver();
    telling.claim();
    expect(telling.isHeard()).toBe(false);
    expect(await heard(20)).toEqual(acceptedAndJudged(1));
  });
});
