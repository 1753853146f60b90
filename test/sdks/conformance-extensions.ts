/** 29.2: what a program itself puts between the hooks and its tools changes nothing of what hooks promise. */
import { afterEach, beforeEach, describe, expect } from "vitest";
import { defineHook } from "../../src/custom/define-hook.ts";
import type { Driver, ModelStep } from "./driver.ts";
import { scenariosOf } from "./scenarios.ts";
import { type Workbench, workbench } from "./workbench.ts";

export function withExtensions(driver: Driver): void {
  describe(`${driver.name}: a program's own middleware and hooks`, () => {
    let bench: Workbench;
    beforeEach(() => {
      bench = workbench();
    });
    afterEach(() => bench.close());
    const where = scenariosOf(driver);
    const script: readonly ModelStep[] = [
      { calls: [{ id: "call_1", name: "bash", input: { command: "good" } }] },
      { text: "done" },
    ];
    const commands = () => bench.toolRuns.map(({ input }) => input.command);
    const noBad = defineHook({
      name: "no-bad",
      on: ["pre_tool_use"],
      judge: ({ tool }) => (tool.input.command === "bad" ? { block: "bad is out" } : undefined),
    });

    where("change a call", "29.2 a call that they change is judged as it would run", async () => {
      const extension = () => ({ command: "bad" });
      const { modelSaw, answer } = await bench.run(driver, { hooks: [noBad], extension, script });
      expect(commands()).toEqual([]);
      expect(modelSaw[1]).toContain("bad is out");
      expect(answer).toContain("done");
    });

    where("change a call", "29.2 where no hook minds, their change runs, and hooks after the call see it", async () => {
      const seen: unknown[] = [];
      const looks = defineHook({ name: "l", on: ["post_tool_use"], judge: ({ tool }) => void seen.push(tool.input) });
      const extension = () => ({ command: "other" });
      const { modelSaw } = await bench.run(driver, { hooks: [noBad, looks], extension, script });
      expect(commands()).toEqual(["other"]);
      expect(seen).toContainEqual({ command: "other" });
      expect(modelSaw[1]).toContain("output of other");
    });

    where("change a call", "29.2 what hooks make of their change is what runs", async () => {
      const softens = defineHook({
        name: "softens",
        on: ["pre_tool_use"],
        judge: ({ tool }) => (tool.input.command === "bad" ? { rewrite: { command: "bad --dry-run" } } : undefined),
      });
      await bench.run(driver, { hooks: [softens], extension: () => ({ command: "bad" }), script });
      expect(commands()).toEqual(["bad --dry-run"]);
    });

    where("change a call", "29.2 a person is asked about the call as it would run", async () => {
      const asked: unknown[] = [];
      const asks = defineHook({
        name: "asks",
        on: ["pre_tool_use"],
        judge: ({ tool }) => (tool.input.command === "bad" ? { ask: "this one?" } : undefined),
      });
      const ask = ({ tool }: { tool: { input: unknown } }) => {
        asked.push(tool.input);
        return { allow: true } as const;
      };
      await bench.run(driver, { hooks: [asks], ask, extension: () => ({ command: "bad" }), script });
      expect(asked).toEqual([{ command: "bad" }]);
      expect(commands()).toEqual(["bad"]);
    });

    where("change a call", "where they change nothing a call runs once", async () => {
      const { modelSaw } = await bench.run(driver, { hooks: [noBad], extension: (input) => input, script });
      expect(commands()).toEqual(["good"]);
      expect(modelSaw[1]).toContain("output of good");
    });

    where(
      "repeat an id",
      "Q-60 of calls with one id each goes by its own decision, before and after it ran",
      async () => {
        const hooks = [
          noBad,
          defineHook({ name: "hides", on: ["post_tool_use"], judge: () => ({ rewrite: "[hidden]" }) }),
        ];
        const calls = ["good", "bad", "fine"].map((command) => ({ id: "call_1", name: "bash", input: { command } }));
        const tools = [
          bench.bash(async ({ command }) => {
            await new Promise((resolve) => setTimeout(resolve, command === "good" ? 100 : 10));
            return `secret of ${command}`;
          }),
        ];
        const { modelSaw } = await bench.run(driver, { hooks, tools, script: [{ calls }, { text: "done" }] });
        expect(commands()).not.toContain("bad");
        expect(modelSaw.join()).not.toContain("secret of");
      },
    );
  });
}
