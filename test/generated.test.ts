import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { referenceFiles } from "../scripts/reference.ts";
import { VERSION } from "../src/engine/version.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const files = referenceFiles();

describe("generated files", () => {
  it.each(Object.entries(files))("Q-104 %s is what the source says (npm run generate)", (path, content) => {
    expect(read(path)).toBe(content);
  });

  it("nothing else lies beside them", () => {
    const committed = ["schemas", "docs/reference", "plugin/hooks"].flatMap((dir) =>
      readdirSync(join(root, dir)).map((name) => `${dir}/${name}`),
    );
    expect(committed.sort()).toEqual(Object.keys(files).sort());
  });

  it("Q-104 there are at least 24 wire schemas, draft-07, titled by their file names", () => {
    const wire = Object.entries(files).filter(([path]) => path.includes(".command."));
    expect(wire.length).toBeGreaterThanOrEqual(24);
    for (const [path, content] of wire) {
      const schema = JSON.parse(content);
      expect(schema.$schema).toBe("http://json-schema.org/draft-07/schema#");
      expect(`schemas/${schema.title}.schema.json`).toBe(path);
    }
  });

  it("the config schema accepts the examples' files and refuses a misspelt key", () => {
    const validate = new Ajv({ strict: false }).compile(JSON.parse(files["schemas/config.schema.json"] as string));
    for (const example of ["first-rules", "class-hook"]) {
      expect(validate(parse(read(`examples/${example}/holdfast.yaml`))), JSON.stringify(validate.errors)).toBe(true);
    }
    expect(validate({ version: 1, hoks: {} })).toBe(false);
    expect(validate({ hooks: { pre_tool_use: [{ hooks: [] }] } })).toBe(false);
  });

  it("the version is the package's", () => {
    expect(VERSION).toBe(JSON.parse(read("package.json")).version);
  });
});
