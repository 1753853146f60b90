import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ChannelFailure } from "./failure.ts";
import { httpFor, isSafeTarget } from "./http.ts";

describe("requests to platforms", () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  const urlOf = async (answer: Parameters<typeof createServer>[1]) => {
    server = createServer(answer ?? (() => {}));
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/path?access_token=secret`);
  };
  const failureOf = async (promise: Promise<unknown>): Promise<ChannelFailure> => {
    const error = await promise.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ChannelFailure)) throw new Error(`No failure: ${error}`);
    expect(error.message).not.toContain("secret");
    return error;
  };

  it("one that is not answered in time fails, and may be tried again", async () => {
    const url = await urlOf(() => {});
    const failure = await failureOf(httpFor("Slack", 50)({ method: "GET", url }));
    expect([failure.code, failure.isPassing]).toEqual(["HF935", true]);
    expect(failure.message).toMatch(/^Slack did not answer within/);
  });

  it("one whose answer never ends fails in time too", async () => {
    const url = await urlOf((_, response) => void response.write("a"));
    expect((await failureOf(httpFor("Slack", 50)({ method: "GET", url }))).isPassing).toBe(true);
  });

  it("a redirect is not followed", async () => {
    let followed = 0;
    const url = await urlOf((request, response) => {
      if (request.url !== "/elsewhere") response.writeHead(302, { location: "/elsewhere" });
      else followed++;
      response.end();
    });
    const failure = await failureOf(httpFor("Slack")({ method: "GET", url }));
    expect(failure.message).toMatch(/redirect/);
    expect(followed).toBe(0);
  });

  it("an answer that is too large is not read to its end", async () => {
    const url = await urlOf((_, response) => void response.end(Buffer.alloc(3 * 1024 * 1024)));
    expect((await failureOf(httpFor("Slack")({ method: "GET", url }))).message).toMatch(/more than 1048576 bytes/);
  });

  it("nobody there is a failure that may pass", async () => {
    const url = await urlOf(() => {});
    await new Promise((resolve) => server?.close(resolve));
    const failure = await failureOf(httpFor("Slack")({ method: "GET", url }));
    expect([failure.isPassing, failure.message]).toEqual([true, expect.stringContaining("ECONNREFUSED")]);
  });

  it("credentials go to https, or to this machine, and nowhere else", () => {
    expect(
      ["https://a.example", "http://localhost:1", "http://127.0.0.1", "http://[::1]:2"].map((url) =>
        isSafeTarget(new URL(url)),
      ),
    ).toEqual([true, true, true, true]);
    expect(
      [
        "http://a.example",
        "http://10.0.0.1",
        "file:///etc/passwd",
        "http://127.0.0.1@evil.example",
        "https://u:p@a.example",
      ].map((url) => isSafeTarget(new URL(url))),
    ).toEqual([false, false, false, false, false]);
  });
});
