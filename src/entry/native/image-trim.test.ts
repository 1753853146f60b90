import { describe, expect, it } from "vitest";
import { modulesIn, modulesLoadedLater, trimmedImage } from "./image-trim.ts";

const length = (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(value);
  return bytes;
};
const sized = (bytes: Buffer) => Buffer.concat([length(bytes.length), bytes]);
const code = (name: string, bytes: number) => Buffer.concat([sized(Buffer.from(name)), sized(Buffer.alloc(bytes, 7))]);
const list = (...modules: Buffer[]) => Buffer.concat([length(modules.length), ...modules]);

const REALM = code("internal/bootstrap/realm", 300);
/** What an image begins with; lists of other things are in it too. */
const HEAP = Buffer.concat([Buffer.from("heap"), list(code("fs", 5)), Buffer.alloc(1_000, 1)]);
const IMAGE = Buffer.concat([HEAP, list(REALM, code("zlib", 40_000), code("child_process", 20))]);

describe("an image is trimmed", () => {
  it("to the code of modules that are loaded later, with all that is before it as it was", () => {
    const trimmed = trimmedImage(IMAGE, (name) => name !== "zlib");
    expect(trimmed).toEqual(Buffer.concat([HEAP, list(REALM, code("child_process", 20))]));
    expect(trimmedImage(IMAGE, () => false)).toEqual(Buffer.concat([HEAP, list()]));
  });

  it("not at all where it does not end with such a list, to the byte", () => {
    for (const other of [
      IMAGE.subarray(0, -1),
      Buffer.concat([IMAGE, Buffer.alloc(1)]),
      Buffer.concat([HEAP, list(code("zlib", 10))]),
      Buffer.alloc(0),
    ]) {
      expect(trimmedImage(other, () => true)).toBeUndefined();
      expect(modulesIn(other)).toEqual([]);
    }
  });

  it("and keeps what programs and workers are started with", async () => {
    const isLoadedLater = await modulesLoadedLater();
    const loaded = ["child_process", "internal/bootstrap/realm", "internal/main/worker_thread", "internal/worker"];
    expect(loaded.filter(isLoadedLater)).toEqual(loaded);
    expect(["zlib", "repl", "http2", "internal/main/repl"].filter(isLoadedLater)).toEqual([]);
  });
});
