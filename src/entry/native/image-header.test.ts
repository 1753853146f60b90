import { describe, expect, it } from "vitest";
import { forAnyProcessor } from "./image-header.ts";

const made = { version: "20.20.2", arch: "x64", platform: "linux" };
const text = (value: string) => Buffer.concat([Buffer.from([value.length, 0, 0, 0, 0, 0, 0, 0]), Buffer.from(value)]);
const header = (number: number, flags: number, version = made.version) =>
  Buffer.concat([
    Buffer.from([0x19, 0xda, 0x43, 1, 1]),
    ...[version, made.arch, made.platform].map(text),
    Buffer.from([number, 0, 0, 0, flags, 0, 0, 0]),
  ]);
const heap = Buffer.from("heap");

describe("the header of an image", () => {
  it("says after it that what made it need not be compared, and all else stays", () => {
    const image = Buffer.concat([header(7, 0), heap]);
    expect(forAnyProcessor(image, made)).toBe(true);
    expect(image).toEqual(Buffer.concat([header(0, 1), heap]));
  });

  it.each([
    ["of another Node", header(7, 0, "20.20.3")],
    ["with flags that nobody knows", header(7, 2)],
    ["that is cut off", header(7, 0).subarray(0, -1)],
    ["that is none", Buffer.alloc(0)],
  ])("%s is left as it is", (_what, image) => {
    const before = Buffer.from(image);
    expect(forAnyProcessor(image, made)).toBe(false);
    expect(image).toEqual(before);
  });
});
