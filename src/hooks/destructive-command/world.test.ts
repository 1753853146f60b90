import { expect, it } from "vitest";
import type { Target } from "../../shell/effect.ts";
import { placeOf, type World } from "./world.ts";

const world = (cwd: string): World => ({
  cwd,
  rootDir: "/home/person/project",
  homeDir: "/home/person",
  gitIsClean: () => undefined,
  gitBranch: () => undefined,
});
const target = (path: string): Target => ({ path, written: path, glob: false, contents: false });

it("a subdirectory of the project is the project's", () => {
  expect(placeOf(target("/home/person/project/src/x"), world("/home/person/project/src"))).toBe("inside");
});

it.each([
  ["/etc", "/etc/nginx", "system"],
  ["/srv/data", "/srv/data/precious", "outside"],
  ["/home/person/.ssh", "/home/person/.ssh/id_rsa", "precious"],
])("an agent that went to %s has not taken its project along: %s is %s", (cwd, path, place) => {
  expect(placeOf(target(path), world(cwd))).toBe(place);
});
