/** The consequences that sdks.md 29 draws for one engine, as far as no other scenario shows them. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defineHook } from "../../src/custom/define-hook.ts";
import type { Driver, ModelStep } from "./driver.ts";
import { scenariosOf } from "./scenarios.ts";
import { type Workbench, workbench } from "./workbench.ts";

const DONE: ModelStep = { text: "done" };
const calling = (command: string): readonly ModelStep[] => [
  { calls: [{ id: "call_1", name: "bash", input: { command } }] },
  DONE,
];

export function traps(driver: Driver): void {
  describe(`${driver.name}: what is one in all SDKs (sdks.md 29)`, () => {
    let bench: Workbench;
    beforeEach(() => {
      bench = workbench();
    });
    afterEach(() => bench.close());
    const where = scenariosOf(driver);
    const commands = () => bench.toolRuns.map(({ input }) => input.command);

    where(
      "continue a stop",
      "29.1 to go on and to stop are two answers, and the one to stop is the stronger",
      async () => {
        const goesOn = defineHook({ name: "goes-on", on: ["stop"], judge: () => ({ continue: "go on" }) });
        const halts = defineHook({ name: "halts", on: ["stop"], judge: () => ({ halt: "that is enough" }) });
        const script = [DONE, { text: "too far" }];
        const halted = await bench.run(driver, { hooks: [goesOn, halts], script });
        expect(halted.modelSaw).toHaveLength(1);
        const continued = await bench.run(driver, { hooks: [goesOn], script });
        expect(continued.modelSaw).toHaveLength(2);
      },
    );

    it("29.1 what forbids outranks what asks, what asks outranks what allows, in whatever order they are", async () => {
      const says = (name: string, answer: object) => defineHook({ name, on: ["pre_tool_use"], judge: () => answer });
      const [allows, asks] = [says("allows", { allow: true }), says("asks", { ask: "is this fine?" })];
      const blocks = says("blocks", { block: "not on a Sunday" });
      const asked: string[] = [];
      const ask = ({ reason }: { reason: string }) => {
        asked.push(reason);
        return { allow: true } as const;
      };
      await bench.run(driver, { hooks: [allows, blocks, asks], ask, script: calling("a") });
      expect([commands(), asked]).toEqual([[], []]);
      await bench.run(driver, { hooks: [asks, allows], ask, script: calling("b") });
      expect(commands()).toEqual(["b"]);
      expect(asked).toEqual([expect.stringContaining("is this fine?")]);
    });

    where(
      "tool context",
      "29.5 whichever input the model sees in its history, a hook can tell it of the change",
      async () => {
        const changes = defineHook({
          name: "changes",
          on: ["pre_tool_use"],
          judge: () => ({ rewrite: { command: "deploy --dry-run" }, context: "the input was changed by policy" }),
        });
        const { modelSaw } = await bench.run(driver, { hooks: [changes], script: calling("deploy --now") });
        expect(commands()).toEqual(["deploy --dry-run"]);
        expect(modelSaw[1]?.includes("deploy --now")).toBe(driver.history === "original");
        expect(modelSaw[1]).toContain("the input was changed by policy");
      },
    );

    const commandHook = (command: string) =>
      JSON.stringify({
        hooks: { pre_tool_use: [{ matcher: "bash$", hooks: [{ type: "command", id: "runner", command }] }] },
      });

    it.each([
      ["is not there", "exit 127"],
      ["may not be executed", "exit 126"],
      ["dies of a signal", "kill -KILL $$"],
    ])("29.12 a command hook that %s has failed: the call is blocked, and the hook named", async (_how, command) => {
      const { answer } = await bench.run(driver, { config: commandHook(command), script: calling("ls") });
      expect(commands()).toEqual([]);
      expect(answer).toContain("done");
      expect(bench.records("notices")).toMatchObject([{ hook: "runner" }]);
    });

    it("29.12 a command hook need not read a long input, and may say as much as it likes", async () => {
      const config = commandHook("exec 0<&-; head -c 3000000 /dev/zero | tr '\\\\0' x >&2");
      await bench.run(driver, { config, script: calling(`echo ${"x".repeat(150_000)}`) });
      expect(commands()).toHaveLength(1);
    });
  });
}
