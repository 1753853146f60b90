/** What a daemon does while nobody waits, to be fast when somebody does. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { askDaemon } from "../../src/entry/daemon/talk.ts";
import { it } from "../program.ts";
import { userHooks } from "../rules.ts";
import { ask, hasClient, socketOf, startDaemon } from "./started.ts";

describe.skipIf(!hasClient)("a daemon that warms up", () => {
  it("answers made-up calls by itself: no hook of a person's runs for them, no record of them stays", async ({
    machine,
  }) => {
    const counted = machine.write("counted", "");
    await userHooks(machine, [{ event: "pre_tool_use", script: `cat > /dev/null; echo once >> '${counted}'` }]);
    await startDaemon(machine);
    await ask(machine, "git status");
    const status = async () => JSON.parse((await askDaemon(socketOf(machine), "status")) ?? "{}");
    while (!(await status()).isWarm) await sleep(100);
    expect((await status()).calls).toBe(1);
    expect(readFileSync(counted, "utf8")).toBe("once\n");
    expect(machine.records("audit").map(({ session }) => session)).not.toContain("warm-up");
    expect(machine.records("audit")).toHaveLength(1);
    expect(readdirSync(join(machine.stateDir, "run")).filter((name) => name.includes("warm-up"))).toEqual([]);
  });

  it("takes nobody's word for it that a call is made up", async ({ machine }) => {
    await startDaemon(machine);
    await ask(machine, "first");
    await ask(machine, "second", { env: { HOLDFAST_WARM_UP: "1" } });
    expect(machine.records("audit")).toHaveLength(2);
  });
});
