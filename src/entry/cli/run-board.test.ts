import { describe, expect, it } from "vitest";
import { aRun, task as aTask } from "../../runs/run.fixture.ts";
import type { Run } from "../../runs/run.ts";
import { createOutput } from "./output.ts";
import { changesBetween, watchRun } from "./run-board.ts";

function screen(isTTY: boolean, columns = 60) {
  let text = "";
  const write = (more: string) => {
    text += more;
  };
  const stream = { isTTY, columns, write };
  return { stream, output: createOutput(false, {}, { stdout: stream, stderr: stream }), text: () => text };
}

const task = (id: string, status: Run["tasks"][number]["status"]) => aTask(id, { title: `The ${id}`, status });
const run = (version: number, tasks: Run["tasks"], more: Partial<Run> = {}): Run =>
  aRun({ status: "running", version, tasks, ...more });

describe("the board of a run", () => {
  it("tells only what changed, in words, where there is no terminal", () => {
    const before = run(1, [task("one", "pending"), task("two", "pending")]);
    const after = run(2, [task("one", "completed"), task("three", "pending")], { status: "success" });
    expect(changesBetween(before, after, screen(false).output)).toEqual([
      "task one: pending -> completed",
      "task three added: The three",
      "task two deleted",
      `run ${after.id} is success`,
    ]);
  });

  it("is drawn again in place on a terminal, no line longer than it is wide, and what agents print cannot move it", async () => {
    const { stream, output, text } = screen(true, 40);
    const stored = run(1, [task("one", "in_progress")]);
    const board = watchRun(stored.id, { store: { read: async () => stored }, output, stream });
    await new Promise((settle) => setTimeout(settle, 20));
    board.progress(`\u001b[2J${"x".repeat(100)}`);
    await board.stop();
    const drawn = text();
    expect(drawn).toContain("\u001b[2A\u001b[0J");
    expect(drawn).not.toContain("\u001b[2J");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with ESC
    const plain = drawn.replace(/\u001b\[\d*[A-Zm]/g, "");
    for (const line of plain.split("\n")) expect(line.length).toBeLessThan(40);
  });

  it("says nothing beside the one value under --json", async () => {
    const { stream, text } = screen(true);
    const output = createOutput(true, {}, { stdout: stream, stderr: stream });
    const board = watchRun("abc123", { store: { read: async () => run(1, []) }, output, stream });
    board.progress("words");
    await board.stop();
    expect(text()).toBe("");
  });
});
