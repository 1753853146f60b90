import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { forgetRealPaths, realPath } from "./real-path.ts";

let dir = "";

beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "real-path-")));
  mkdirSync(join(dir, "settings"));
  writeFileSync(join(dir, "file"), "");
  symlinkSync("settings/new.json", join(dir, "to-nothing"));
  symlinkSync("to-nothing", join(dir, "to-link"));
  symlinkSync(join(dir, "settings"), join(dir, "to-directory"));
  symlinkSync("round", join(dir, "round"));
  forgetRealPaths();
});

afterAll(() => rmSync(dir, { recursive: true }));

it.each([
  ["a link that leads nowhere yet is the file that writing to it would make", "to-nothing", "settings/new.json"],
  ["so is a link to such a link", "to-link", "settings/new.json"],
  ["a link to a directory is that directory", "to-directory/x", "settings/x"],
  ["a link to itself is itself", "round", "round"],
  ["what lies below a file keeps its name", "file/x", "file/x"],
  ["what is not there keeps its name", "a/b", "a/b"],
  ["and so do many steps that are not there", "a/b/c/d/e/f/g/h", "a/b/c/d/e/f/g/h"],
  ["behind a link to a directory, too", "to-directory/a/b/c/d/e", "settings/a/b/c/d/e"],
  ["what lies below a link that leads nowhere yet is below what it names", "to-link/a/b/c", "settings/new.json/a/b/c"],
  ["what lies below a link to itself keeps its name", "round/a/b/c", "round/a/b/c"],
  ["what lies far below a file keeps its name", "file/a/b/c", "file/a/b/c"],
])("%s", (_, path, real) => {
  expect(realPath(path, dir)).toBe(join(dir, real));
});

it("a thousand steps that are not there take less than a thousand looks", () => {
  const cpuMs = (work: () => void) => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
  const found = (path: string) => {
    forgetRealPaths();
    return realPath(path, dir);
  };
  const steps = "ab/".repeat(1_200);
  found("a/b");
  const many = cpuMs(() => expect(found(`${steps}x`)).toBe(join(dir, steps, "x")));
  const looks = cpuMs(() => {
    for (let look = 0; look < 1_000; look++) found("a/b");
  });
  expect(many).toBeLessThan(looks);
});
