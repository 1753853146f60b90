import { describe, expect } from "vitest";
import { claudeShell } from "../payloads.ts";
import { it, registeredProgram } from "../program.ts";
import { ask, hasClient, startDaemon } from "./started.ts";

const HEAVY = `${"for f in a b c; do rm -rf $f/x; done; ".repeat(300)}git push --force origin main`;

describe.skipIf(!hasClient)("a call that would hold up the others", () => {
  it("is left to its client, and the others are answered", async ({ machine }) => {
    await startDaemon(machine);
    await ask(machine, "ls");
    const heavy = Array.from({ length: 8 }, () => ask(machine, HEAVY));
    const quick = Array.from({ length: 8 }, () => ask(machine, "ls"));
    for (const said of await Promise.all(quick)) expect(said).toMatchObject({ code: 0 });
    for (const said of await Promise.all(heavy)) expect(said).toBeUndefined();
    const values = { payload: { ...claudeShell(machine, "ls"), list: Array.from({ length: 50_000 }, () => 1) } };
    expect(await ask(machine, "", values)).toBeUndefined();
  });

  it("gets the engine's answer from the client's own process, is recorded once, and starts no second daemon", async ({
    machine,
  }) => {
    await startDaemon(machine);
    const { stdout, code } = await machine.run(["hook", "--host", "claude-code"], {
      command: registeredProgram,
      stdin: JSON.stringify(claudeShell(machine, HEAVY)),
    });
    expect(code).toBe(0);
    expect(stdout).toContain("Blocked by holdfast");
    expect(machine.records("audit")).toHaveLength(1);
    expect(() => machine.read("state/run/starting")).toThrow("ENOENT");
  });

  it("a path of many thousand steps takes no longer than it is long", async ({ machine }) => {
    await startDaemon(machine);
    const timed = async (steps: number) => {
      const payload = {
        ...claudeShell(machine, ""),
        tool_name: "Write",
        tool_input: { file_path: "a/".repeat(steps), content: "" },
      };
      const startedAt = performance.now();
      expect(await ask(machine, "", { payload })).toBeDefined();
      return performance.now() - startedAt;
    };
    // The best of several, taken in turns: what else the machine does meanwhile hits both, and only ever adds to one.
    const best = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY };
    await timed(2000);
    for (let round = 0; round < 3; round++) {
      best.short = Math.min(best.short, await timed(2000));
      best.long = Math.min(best.long, await timed(30_000));
    }
    // Fifteen times as long; squared it would be 225 times.
    expect(best.long).toBeLessThan(60 * best.short);
  });
});
