import { describe, expect, it } from "vitest";
import type { LedgerEntry } from "../core/effect.ts";
import type { ToolCall } from "../core/tool.ts";
import type { Machine } from "./builtin.ts";
import { before, historyOf, judge, machine, toolCall } from "./hooks.fixture.ts";
import { loops } from "./loops.ts";

const call = (changes: Partial<LedgerEntry>): LedgerEntry => ({
  timestamp: "2026-11-13T16:00:00.000Z",
  host: "test",
  session: "session-1",
  agent: null,
  tool_name: "tool",
  tool_kind: "read",
  cwd: "/project",
  success: true,
  ...changes,
});
const write = (path: string) => call({ tool_kind: "write", paths: [path] });
const shell = (command: string, success = true) => call({ tool_kind: "shell", input_summary: command, success });
const read = (path: string) => call({ tool_kind: "read", paths: [path] });

/** `past` is written oldest first, as a person tells it. */
const after = (past: readonly LedgerEntry[], blocks: readonly string[] = []): Machine => ({
  ...machine,
  historyOf: () => historyOf(past, blocks),
});
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
let events = 0;
/** One of its own: what is asked twice about one event is answered as before. */
const anew = (tool: ToolCall) => ({ ...before(tool), id: `event-${++events}` });
const verdict = (tool: ToolCall, past: readonly LedgerEntry[], blocks?: readonly string[]) =>
  judge(loops, anew(tool), { ...loops.defaults }, after(past, blocks));
const kind = (...args: Parameters<typeof verdict>) => verdict(...args).opinion.kind;

const writing = (path = "src/a.ts") => toolCall("write", { paths: [path] });

describe("writes to one file", () => {
  it("K-17 four in a row are allowed, the fifth is blocked, and so is the sixth", () => {
    for (const past of [0, 1, 2, 3])
      expect(
        kind(
          writing(),
          times(past, () => write("src/a.ts")),
        ),
      ).toBe("none");
    expect(
      kind(
        writing(),
        times(4, () => write("src/a.ts")),
      ),
    ).toBe("block");
    expect(
      kind(
        writing(),
        times(5, () => write("src/a.ts")),
      ),
    ).toBe("block");
  });

  it("the fourth is allowed with a nudge", () => {
    expect(
      verdict(
        writing(),
        times(3, () => write("src/a.ts")),
      ).context?.[0],
    ).toContain("write 4 in a row");
    expect(
      verdict(
        writing(),
        times(2, () => write("src/a.ts")),
      ).context,
    ).toBeUndefined();
  });

  it("K-18 a command that ran resets the count; another file restarts it", () => {
    const four = times(4, () => write("src/a.ts"));
    expect(kind(writing(), [...four, shell("npm test")])).toBe("none");
    expect(kind(writing(), [...four, write("src/b.ts")])).toBe("none");
    expect(kind(writing("src/b.ts"), four)).toBe("none");
  });

  it("K-19 the message has the path, the count, advice and how the count resets", () => {
    const { opinion } = verdict(
      writing(),
      times(4, () => write("src/a.ts")),
    );
    const reason = "reason" in opinion ? opinion.reason : "";
    for (const part of ["src/a.ts", "5", "different approach", "ask the user", "resets"])
      expect(reason).toContain(part);
  });

  it("K-20 without a past the count starts at nothing; a call without a path is never counted", () => {
    expect(kind(writing(), [])).toBe("none");
    expect(
      kind(
        toolCall("write"),
        times(9, () => call({ tool_kind: "write" })),
      ),
    ).toBe("none");
  });

  it("K-21 reads and other tools neither count nor reset", () => {
    const past = times(4, () => write("src/a.ts")).flatMap((entry) => [
      entry,
      read("src/a.ts"),
      call({ tool_kind: "mcp" }),
    ]);
    expect(kind(writing(), past)).toBe("block");
    expect(kind(toolCall("read", { paths: ["src/a.ts"] }), past)).toBe("none");
  });

  it("KB-2 paths are normalised: ./src/a.ts and src/../src/a.ts are one file", () => {
    expect(
      kind(
        writing("./src/../src/a.ts"),
        times(4, (index) => write(index % 2 ? "/project/src/a.ts" : "src/a.ts")),
      ),
    ).toBe("block");
  });

  it("KB-4 another agent's writes are another agent's", () => {
    expect(
      kind(
        writing(),
        times(6, () => ({ ...write("src/a.ts"), agent: "sub-1" })),
      ),
    ).toBe("none");
  });

  it("edits count like writes", () => {
    expect(
      kind(
        toolCall("edit", { paths: ["src/a.ts"] }),
        times(4, () => call({ tool_kind: "edit", paths: ["src/a.ts"] })),
      ),
    ).toBe("block");
  });

  it("after three blocks that did not help, a person is asked", () => {
    const past = times(4, () => write("src/a.ts"));
    expect(
      kind(
        writing(),
        past,
        times(2, () => "loops/same-file"),
      ),
    ).toBe("block");
    expect(
      kind(
        writing(),
        past,
        times(3, () => "loops/same-file"),
      ),
    ).toBe("ask");
  });
});

describe("one command that fails again and again", () => {
  const failing = toolCall("shell", { command: "npm test" });

  it("is nudged, then blocked", () => {
    const past = (count: number) => times(count, () => shell("npm test", false));
    expect(kind(failing, past(2))).toBe("none");
    expect(verdict(failing, past(3)).context?.[0]).toContain("already failed 3 times");
    expect(kind(failing, past(4))).toBe("block");
  });

  it("is left alone after a change, after another command, and after a success", () => {
    const four = times(4, () => shell("npm test", false));
    expect(kind(failing, [...four, write("src/a.ts")])).toBe("none");
    expect(kind(failing, [...four, shell("ls")])).toBe("none");
    expect(kind(failing, [...four, shell("npm test", true)])).toBe("none");
  });
});

describe("going in circles", () => {
  it("two files that only alternate are blocked", () => {
    const past = times(8, (index) => write(index % 2 ? "b.ts" : "a.ts"));
    expect(kind(writing("a.ts"), past)).toBe("block");
    expect(kind(writing("c.ts"), past)).toBe("none");
  });

  it("a nudge comes before the block", () => {
    const past = times(6, (index) => write(index % 2 ? "b.ts" : "a.ts"));
    expect(verdict(writing("a.ts"), past).context?.[0]).toContain("alternate");
  });

  it("editing and testing in turn is work, not a circle", () => {
    const past = times(8, (index) => (index % 2 ? shell("npm test") : write("a.ts")));
    expect(kind(writing("a.ts"), past)).toBe("none");
  });

  it("much reading without a change is nudged once and never blocked", () => {
    const reading = toolCall("read", { paths: ["x"] });
    expect(
      verdict(
        reading,
        times(19, (index) => read(`f${index}`)),
      ).context,
    ).toBeUndefined();
    expect(
      verdict(
        reading,
        times(20, (index) => read(`f${index}`)),
      ).context?.[0],
    ).toContain("read 20 times");
    expect(
      verdict(
        reading,
        times(25, (index) => read(`f${index}`)),
      ),
    ).toEqual({ opinion: { kind: "none" } });
  });
});

it("reads in a row are counted alike by every limit, however long the past grows and whatever interrupts it", () => {
  const limits = [3, 7, 20].map((limit) => ({ ...loops.defaults, "reads-without-writes": limit }));
  const past: LedgerEntry[] = [];
  let inARow = 0;
  for (let done = 0; done < 80; done++) {
    for (const options of limits) {
      const nudge = judge(loops, anew(toolCall("read", { paths: ["b.ts"] })), options, after(past)).context;
      expect(nudge?.length ?? 0).toBe(inARow === options["reads-without-writes"] ? 1 : 0);
    }
    const isWrite = done % 31 === 30;
    past.push(isWrite ? write(`src/${done}.ts`) : read("a.ts"));
    inARow = isWrite ? 0 : inARow + 1;
  }
});

it("a limit that counts no further than it must tells another nothing", () => {
  const past = times(10, () => read("a.ts"));
  const nudged = (limit: number) =>
    judge(
      loops,
      anew(toolCall("read", { paths: ["b.ts"] })),
      { ...loops.defaults, "reads-without-writes": limit },
      after(past),
    ).context !== undefined;
  expect([3, 10, 3, 11].map(nudged)).toEqual([false, true, false, false]);
});

it("the past is looked at again only once an agent that reads may have come to the limit, or did something else", () => {
  const limits = { ...loops.defaults, "reads-without-writes": 20 };
  const past: LedgerEntry[] = [];
  let looks = 0;
  const nudges: number[] = [];
  const ask = (tool: ToolCall) => {
    const look = () => {
      looks += 1;
      return historyOf(past, []);
    };
    return judge(loops, anew(tool), limits, { ...machine, historyOf: look }).context?.length ?? 0;
  };
  for (let done = 0; done < 200; done++) {
    if (ask(toolCall("read", { paths: ["a"] })) > 0) nudges.push(done);
    past.push(read("a"));
  }
  expect(nudges).toEqual([20]);
  expect(looks).toBeLessThan(15);
  ask(toolCall("shell", { command: "true" }));
  past.push(shell("true"));
  for (let done = 0; done < 30; done++) {
    if (ask(toolCall("read", { paths: ["a"] })) > 0) nudges.push(done);
    past.push(read("a"));
  }
  expect(nudges).toEqual([20, 20]);
});

it("one event that is asked about again is answered as before, and counts once", () => {
  const limits = { ...loops.defaults, "reads-without-writes": 3 };
  const on = after(times(3, () => read("a")));
  const event = anew(toolCall("read", { paths: ["a"] }));
  const first = judge(loops, event, limits, on);
  expect(first.context).toHaveLength(1);
  expect(judge(loops, event, limits, on)).toEqual(first);
});

it("reads that another process of the session made are counted: the nudge comes with the next look, once", () => {
  const limits = { ...loops.defaults, "reads-without-writes": 10 };
  const past: LedgerEntry[] = [];
  const nudges: number[] = [];
  for (let done = 0; done < 30; done++) {
    if (judge(loops, anew(toolCall("read", { paths: ["a"] })), limits, after(past)).context) nudges.push(done);
    past.push(read("a"), read("of another"));
  }
  expect(nudges).toEqual([10]);
});

it("what was counted before changes no count: each agent's reads in a row are its own, whoever takes turns", () => {
  const limits = { ...loops.defaults, "reads-without-writes": 5 };
  const past: LedgerEntry[] = [];
  const told: string[] = [];
  for (let step = 0; step < 300; step++) {
    const agent = (step * 7) % 5 < 3 ? null : "helper";
    const session = step % 11 === 0 ? "session-2" : "session-1";
    const event = { ...anew(toolCall("read", { paths: ["a"] })), agent, session };
    const on = after(past.filter((entry) => entry.session === session));
    const kept = judge(loops, event, limits, on);
    expect(kept).toEqual(judge(loops, event, { ...limits }, on));
    if (kept.context) told.push(`${session} ${agent}`);
    past.push({ ...(step % 17 === 0 ? write("a") : read("a")), agent, session });
  }
  expect(new Set(told).size).toBeGreaterThan(2);
});
