import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, test as it } from "vitest";
import { type PayloadError, readPayload } from "../../src/entry/hook/payload.ts";

const LIMITS = { maxBytes: 1000, timeoutMs: 20_000 };
const encoder = new TextEncoder();

interface Sending {
  readonly end?: boolean;
  readonly timeoutMs?: number;
}

/** Sends the chunks one after another and leaves the stream open, unless told to end it. */
function send(chunks: readonly (string | Uint8Array)[], options: Sending = {}) {
  const source = new PassThrough();
  const result = readPayload(source, { ...LIMITS, ...options });
  for (const chunk of chunks) source.write(chunk);
  if (options.end) source.end();
  return result;
}

const refusal = (chunks: readonly (string | Uint8Array)[], options: Sending = {}) =>
  send(chunks, options).then(
    () => "accepted",
    (error: PayloadError) => error.message,
  );

describe("reading a payload", () => {
  it("ends with the object, not with the stream", async () => {
    expect(await send(['{"a":{"b":"}"}}'])).toEqual({ a: { b: "}" } });
  });

  it("gives the same for every way of cutting it up", async () => {
    const value = { hook_event_name: "PreToolUse", 'k\\"{': ["}", "ü€😀\\", { nested: '"' }], n: -1.5e3, t: true };
    const bytes = encoder.encode(`  \n${JSON.stringify(value)}`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(await send(chunks)).toEqual(value);
      }),
    );
  });

  it.each([
    ["in the same chunk", ['{"a":1} and more']],
    ["in a later one", ['{"a":1}', " and more"]],
    ["as a second object", ['{"a":1}{"a":2}']],
    ["as an end of line", ['{"a":1}\r\n']],
  ])("what follows the object is not looked at: %s", async (_, chunks) => {
    expect(await send(chunks)).toEqual({ a: 1 });
  });

  it("a byte order mark before it is no harm", async () => {
    expect(await send(['\ufeff{"a":1}'])).toEqual({ a: 1 });
  });

  it.each<[string, (string | Uint8Array)[], string]>([
    ["nothing", [], "stdin was empty"],
    ["white space", [" \n"], "the payload is not one JSON object"],
    ["garbage", ["\u0000\u0001garbage"], "stdin does not begin with a JSON object"],
    ["a list", ["[{}]"], "stdin does not begin with a JSON object"],
    ["a text", ['"{}"'], "stdin does not begin with a JSON object"],
    ["half an object", ['{"a":'], "the payload is not one JSON object"],
    ["no JSON between braces", ["{a}"], "the payload is not one JSON object"],
    ["bytes that are not UTF-8", [Buffer.from('{"a":"\xff"}', "latin1")], "the payload is not UTF-8 text"],
    ["more than the limit", [`{"a":"${"x".repeat(1000)}"}`], "the payload is larger than"],
  ])("%s is refused with the reason", async (_, chunks, reason) => {
    expect(await refusal(chunks, { end: true })).toContain(reason);
  });

  it.each([
    ["nothing", []],
    ["spaces", ["   "]],
    ["an object that never ends", ['{"a":"x']],
  ])("an open stream with %s is given up after a while", async (_, chunks) => {
    expect(await refusal(chunks, { timeoutMs: 50 })).toBe("stdin held no complete JSON object after 0.05 s");
  });

  it("a stream that breaks is refused", async () => {
    const source = new PassThrough();
    const result = readPayload(source, LIMITS);
    source.destroy(new Error("EIO"));
    await expect(result).rejects.toThrow("stdin could not be read: EIO");
  });

  it("what cannot be used still shows its beginning, however it was cut up", async () => {
    const text = '{"hook_event_name":"SessionStart","x":';
    await expect(send([...text], { end: true })).rejects.toMatchObject({ head: text });
  });
});
