import { describe, expect, it } from "vitest";
import { encodeRequest, type Request, RequestReader } from "./protocol.ts";

const request = (changes: Partial<Request> = {}): Request => ({
  argv: ["hook", "--host", "claude-code"],
  env: { HOME: "/home/a", PATH: "/bin" },
  cwd: "/home/a/project",
  payload: Buffer.from("{}"),
  id: "0123",
  ...changes,
});

const read = (sent: Request) => new RequestReader().feed(encodeRequest(sent)) as Request;

describe("a caller that says the same of itself again", () => {
  it("is known by its words and its environment, which are the same objects", () => {
    const first = read(request());
    const second = read(request({ payload: Buffer.from('{"a":1}'), id: "4567" }));
    expect(second).toEqual({ ...first, payload: second.payload, id: "4567" });
    expect(Buffer.from(second.payload).toString()).toBe('{"a":1}');
    expect(second.argv).toBe(first.argv);
    expect(second.env).toBe(first.env);
  });

  it.each<[string, Partial<Request>]>([
    ["words", { argv: ["hook", "--host", "claude-cod3"] }],
    ["environment", { env: { HOME: "/home/b", PATH: "/bin" } }],
    ["directory", { cwd: "/home/b/project" }],
    // The bytes are the same: where one part ends and the next begins is not.
    ["parts", { argv: ["hook", "--host", "claude-code", "HOME=/home/a"], env: { PATH: "/bin" } }],
  ])("is taken for nobody else, whose %s differ as little as they can", (_name, changes) => {
    read(request());
    expect(read(request(changes))).toEqual({ ...request(changes), env: changes.env ?? request().env });
  });
});

it("a request in pieces is the one that was sent", () => {
  const bytes = encodeRequest(request());
  const reader = new RequestReader();
  for (const byte of bytes.subarray(0, -1)) expect(reader.feed(Buffer.from([byte]))).toBeUndefined();
  expect(reader.feed(bytes.subarray(-1))).toEqual(request());
});
