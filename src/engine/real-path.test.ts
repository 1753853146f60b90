import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { forgetAnalyses, realPath } from "./machine.ts";

let dir = "";

beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "real-path-")));
  mkdirSync(join(dir, "settings"));
  writeFileSync(join(dir, "file"), "");
  symlinkSync("settings/new.json", join(dir, "to-nothing"));
  symlinkSync("to-nothing", join(dir, "to-link"));
  symlinkSync(join(dir, "settings"), join(dir, "to-directory"));
  symlinkSync("round", join(dir, "round"));
  forgetAnalyses();
});

afterAll(() => rmSync(dir, { recursive: true }));

it.each([
  ["a link that leads nowhere yet is the file that writing to it would make", "to-nothing", "settings/new.json"],
  ["so is a link to such a link", "to-link", "settings/new.json"],
  ["a link to a directory is that directory", "to-directory/x", "settings/x"],
  ["a link to itself is itself", "round", "round"],
  ["what lies below a file keeps its name", "file/x", "file/x"],
  ["what is not there keeps its name", "a/b", "a/b"],
])("%s", (_, path, real) => {
  expect(realPath(path, dir)).toBe(join(dir, real));
});
