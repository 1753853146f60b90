import { describe, expect, it } from "vitest";
import { BINDINGS } from "./registry.ts";

describe("what a program imports of a binding", () => {
  it.each(BINDINGS)("$module has the table of what becomes of each event", async ({ module, support }) => {
    const imported = await import(`./${module.replace("holdfast/", "")}.ts`);
    expect(imported.support).toBe(support);
  });
});
