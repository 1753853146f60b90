import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRunMachine } from "./run-machine.ts";

const never = () => Promise.reject(new Error("not asked for here"));

const machineAt = (home: string) =>
  createRunMachine({
    env: { HOME: home },
    modules: { describe: never, judge: never },
    store: {} as never,
    desk: never,
  });

describe("globs of changedOnlyUnder are those of a project's rules", () => {
  const isUnder = (glob: string, path: string) => machineAt("/home/ada").isUnder(path, [glob], "/work/shop");

  it.each([
    ["src", "/work/shop/src/a/b.ts"],
    ["src", "/work/shop/packages/one/src/a.ts"],
    ["src/", "/work/shop/src/a.ts"],
    ["./src", "/work/shop/src/a.ts"],
    ["src/**", "/work/shop/src/a.ts"],
    ["src/{a,b}", "/work/shop/src/b/c.ts"],
    ["*.md", "/work/shop/docs/x.md"],
    ["greet.js", "/work/shop/greet.js"],
    [".", "/work/shop/a/b"],
    ["{greet.js,lib/x}", "/work/shop/lib/x/y.js"],
    ["/var/data", "/var/data/x"],
    ["~/notes", "/home/ada/notes/x"],
    ["../shared", "/work/shared/x"],
  ])("%s covers %s", (glob, path) => {
    expect(isUnder(glob, path)).toBe(true);
  });

  it.each([
    ["./src", "/work/shop/packages/one/src/a.ts"],
    ["src/a", "/work/shop/src/ab"],
    ["src", "/work/shop/srcs/a.ts"],
    ["shop", "/work/shop/a.ts"],
    // A name allows nothing outside: `src` stands in many places.
    ["src", "/etc/src/a.ts"],
    ["greet.js", "/work/other/greet.js"],
    ["*.md", "/home/ada/x.md"],
  ])("%s does not cover %s", (glob, path) => {
    expect(isUnder(glob, path)).toBe(false);
  });
});

it("a path is where it leads: from the directory of its call, through links and home", () => {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), "holdfast-run-machine-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const name of ["shop/src", "elsewhere"]) mkdirSync(join(dir, name), { recursive: true });
  writeFileSync(join(dir, "elsewhere", "a.ts"), "");
  symlinkSync(join(dir, "elsewhere"), join(dir, "shop", "src", "link"));
  const machine = machineAt(dir);
  const cwd = join(dir, "shop");
  const leads = (path: string, from = cwd) => machine.isUnder(machine.realPath(path, from), ["src"], cwd);
  expect(leads("src/a.ts")).toBe(true);
  expect(leads("a.ts", join(cwd, "src"))).toBe(true);
  expect(leads("~/shop/src/a.ts")).toBe(true);
  expect(leads("src/../ci.yml")).toBe(false);
  expect(leads("src/link/a.ts")).toBe(false);
});
