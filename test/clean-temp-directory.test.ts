import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { requireClean } from "./clean-temp-directory.ts";

it("what makes the temporary directory a project is named, with what to do about it", () => {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-clean-"));
  try {
    expect(() => requireClean(dir)).not.toThrow();
    mkdirSync(join(dir, ".claude"));
    writeFileSync(join(dir, "holdfast.yaml"), "");
    expect(() => requireClean(dir)).toThrow(`${dir} holds holdfast.yaml, .claude: the scratch projects`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

it("every suite looks for it before its first test", () => {
  const suites = readdirSync("test", { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith("vitest.config.ts"),
  );
  const configs = ["vitest.config.ts", ...suites.map((name) => join("test", name))];
  expect(configs.length).toBeGreaterThan(5);
  expect(configs.filter((file) => !readFileSync(file, "utf8").includes('"test/clean-temp-directory.ts"'))).toEqual([]);
});
