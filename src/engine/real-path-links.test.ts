import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { forgetRealPaths, realPath } from "./real-path.ts";

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-links-")));
  mkdirSync(join(dir, "real", "inner"), { recursive: true });
  writeFileSync(join(dir, "real", "file"), "");
  symlinkSync(join(dir, "real"), join(dir, "link"));
  symlinkSync(join(dir, "nowhere"), join(dir, "dangling"));
  forgetRealPaths();
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it("a path leads through links as far as it exists, however much of it does not", () => {
  const found: readonly (readonly [string, string])[] = [
    ["link/file", "real/file"],
    ["link/inner/../file", "real/file"],
    ["link/new", "real/new"],
    ["link/new/deeper/still", "real/new/deeper/still"],
    ["link/file/below/a/file", "real/file/below/a/file"],
    ["dangling", "nowhere"],
    ["dangling/new/file", "nowhere/new/file"],
  ];
  for (const [path, real] of found) expect(realPath(path, dir)).toBe(join(dir, real));
  // In any order, since what is found for one is known for the next.
  for (const [path, real] of found.toReversed()) expect(realPath(path, dir)).toBe(join(dir, real));
  forgetRealPaths();
  for (const [path, real] of found.toReversed()) expect(realPath(path, dir)).toBe(join(dir, real));
});

it("a link that was changed leads elsewhere from the next call on", () => {
  expect(realPath("link/new/file", dir)).toBe(join(dir, "real/new/file"));
  rmSync(join(dir, "link"));
  mkdirSync(join(dir, "other"));
  symlinkSync(join(dir, "other"), join(dir, "link"));
  forgetRealPaths();
  expect(realPath("link/new/file", dir)).toBe(join(dir, "other/new/file"));
});

it("links are followed as the system follows them: from where they stand, far, and not in circles", () => {
  mkdirSync(join(dir, "a", "b"), { recursive: true });
  symlinkSync("a/b", join(dir, "d"));
  symlinkSync("../../secrets/new", join(dir, "a", "b", "l"));
  expect(realPath("d/l", dir)).toBe(join(dir, "secrets/new"));
  symlinkSync("d/../f", join(dir, "up"));
  expect(realPath("up", dir)).toBe(join(dir, "a/f"));
  for (let link = 1; link <= 12; link++) symlinkSync(`c${link + 1}`, join(dir, `c${link}`));
  expect(realPath("c1", dir)).toBe(join(dir, "c13"));
  symlinkSync("y/z", join(dir, "x"));
  symlinkSync("x/w", join(dir, "y"));
  for (const path of ["x", "y", "x/below"]) expect(realPath(path, dir)).toContain(dir);
});
