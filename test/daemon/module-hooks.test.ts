import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { it, type Machine } from "../program.ts";
import { ask, hasClient, startDaemon } from "./started.ts";

/** A hook of the user's that blocks with what this code says; where it says nothing, it has no opinion. */
async function moduleHook(machine: Machine, code: string, more: object = {}): Promise<void> {
  machine.write(
    "config/hook.ts",
    `import { defineHook } from "holdfast";
    import { threadId } from "node:worker_threads";
    import { word } from "./word.ts";
    export default defineHook({ name: "probe", on: ["pre_tool_use"], async judge(event) {
      const { command } = event.tool;
      const text = await (async () => { ${code} })();
      return text === undefined ? undefined : { block: String(text) };
    } });`,
  );
  machine.write("config/word.ts", `export const word = "one";`);
  const hook = { type: "module", path: "./hook.ts", ...more };
  machine.write("config/holdfast.json", JSON.stringify({ version: 1, hooks: { pre_tool_use: [{ hooks: [hook] }] } }));
  await machine.cli(["check"]);
}

const reasonOf = (said: { stdout: string } | undefined) =>
  /Blocked by holdfast: (.*?)\\n/.exec(said?.stdout ?? "")?.[1];

describe.skipIf(!hasClient)("module hooks in the daemon", () => {
  it("have one worker for all calls of a project", async ({ machine }) => {
    await moduleHook(machine, "return threadId;");
    await startDaemon(machine);
    const workers: (string | undefined)[] = [];
    while (workers.length < 10) workers.push(reasonOf(await ask(machine, "x")));
    for (const worker of workers) expect(worker).toMatch(/^\d+$/);
    // One whose hook is not quite done on a busy machine is replaced.
    expect(new Set(workers).size).toBeLessThan(workers.length / 2);
  });

  it("a changed file, also one that is only imported, is loaded anew", async ({ machine }) => {
    await moduleHook(machine, "return word;");
    await startDaemon(machine);
    expect(reasonOf(await ask(machine, "x"))).toBe("one");
    machine.write("config/word.ts", `export const word = "another";`);
    expect(reasonOf(await ask(machine, "x"))).toBe("another");
  });

  it("see the environment of the call, and nothing of the daemon's", async ({ machine }) => {
    await moduleHook(machine, "return process.env.WHOSE + ' ' + process.env.HOLDFAST_DAEMON_SECRET;");
    await startDaemon(machine, { HOLDFAST_DAEMON_SECRET: "the daemon's" });
    for (const whose of ["first", "second", "first"]) {
      expect(reasonOf(await ask(machine, "x", { env: { WHOSE: whose } }))).toBe(`${whose} undefined`);
    }
  });

  it("one that hangs ends with its time, and the next call is answered", async ({ machine }) => {
    await moduleHook(machine, "if (command === 'hang') for (;;); return 'answered';", { timeout_sec: 1 });
    await startDaemon(machine);
    expect((await ask(machine, "hang"))?.stdout).toContain("did not answer within 1000 ms");
    await expect.poll(async () => reasonOf(await ask(machine, "x"))).toBe("answered");
  });

  it("one that hangs holds up no other call of the same project", async ({ machine }) => {
    // Longer than the test may take: the others need a worker that has to start meanwhile.
    await moduleHook(machine, "if (command === 'hang') for (;;); return 'answered';", { timeout_sec: 55 });
    await startDaemon(machine);
    await ask(machine, "x");
    const order: string[] = [];
    void ask(machine, "hang").then(() => order.push("hung"));
    await sleep(50);
    for (const _ of [1, 2, 3])
      expect(reasonOf(await ask(machine, "x").finally(() => order.push("x")))).toBe("answered");
    expect(order).toEqual(["x", "x", "x"]);
  });

  it("one that ends its process fails its own call only, and the next call is answered", async ({ machine }) => {
    const code = `
      if (command === "exit") process.exit(1);
      if (command === "slow") await new Promise((done) => setTimeout(done, 1500));
      return "answered";`;
    await moduleHook(machine, code);
    await startDaemon(machine);
    await ask(machine, "x");
    const slow = ask(machine, "slow");
    await sleep(50);
    expect((await ask(machine, "exit"))?.stdout).toContain("ended the process");
    expect(reasonOf(await ask(machine, "x"))).toBe("answered");
    expect(reasonOf(await slow)).toBe("answered");
  });
});
