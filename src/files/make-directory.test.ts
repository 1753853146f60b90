import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeDirectory } from "./make-directory.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-make-directory-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("makes a directory", () => {
  it("and those above it, and says which was the outermost that it made", () => {
    expect(makeDirectory(join(dir, "a", "b", "c"))).toBe(join(dir, "a"));
    expect(makeDirectory(join(dir, "a", "b", "d"))).toBe(join(dir, "a", "b", "d"));
    expect(makeDirectory(join(dir, "a", "b", "c"))).toBeUndefined();
    expect(statSync(join(dir, "a", "b", "c")).isDirectory()).toBe(true);
  });

  it("with the rights that are given, like those above it", () => {
    makeDirectory(join(dir, "a", "b"), 0o700);
    expect(["a", "a/b"].map((path) => statSync(join(dir, path)).mode & 0o777)).toEqual([0o700, 0o700]);
  });

  it("behind a link to one", () => {
    mkdirSync(join(dir, "real"));
    symlinkSync(join(dir, "real"), join(dir, "link"));
    makeDirectory(join(dir, "link"));
    makeDirectory(join(dir, "link", "a"));
    expect(statSync(join(dir, "real", "a")).isDirectory()).toBe(true);
  });
});

describe("fails, and says at which place,", () => {
  it.skipIf(process.platform !== "linux").each([
    ["/proc/holdfast", "/proc is a place where no directory can be made, mkdir '/proc/holdfast'"],
    ["/proc/holdfast/state/run", "/proc is a place where no directory can be made, mkdir '/proc/holdfast'"],
    ["/proc/self/holdfast/run", "/proc/self is a place where no directory can be made, mkdir '/proc/self/holdfast'"],
  ])("where the system makes none: %s", (place, message) => {
    expect(() => makeDirectory(place)).toThrow(
      expect.objectContaining({ code: "ENOENT", message: `ENOENT: ${message}` }),
    );
  });

  it.each([
    ["at a file", "file", "EEXIST"],
    ["below a file", "file/a/b", "ENOTDIR"],
    ["at a link that leads nowhere", "nowhere", "EEXIST"],
  ])("%s", (_, path, code) => {
    writeFileSync(join(dir, "file"), "");
    symlinkSync(join(dir, "gone", "away"), join(dir, "nowhere"));
    expect(() => makeDirectory(join(dir, path))).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(join(dir, path)) }),
    );
  });

  it("below a link that leads nowhere", () => {
    symlinkSync(join(dir, "gone"), join(dir, "nowhere"));
    expect(() => makeDirectory(join(dir, "nowhere", "a"))).toThrow("EEXIST");
  });
});
