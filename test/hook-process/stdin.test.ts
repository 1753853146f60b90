import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test as it } from "vitest";
import { claude, claudeShell, kiroShell } from "../payloads.ts";
import { createMachine, type Machine, type Started } from "../program.ts";
import { blocks, userHooks } from "../rules.ts";

let machine: Machine;
let remove: () => void;
beforeAll(async () => {
  ({ machine, remove } = createMachine());
  await userHooks(machine, [{ event: "pre_tool_use", matcher: "^shell$", script: blocks("no") }]);
  await machine.hook("claude-code", claude(machine, "SessionStart"));
});
afterAll(() => remove());

const start = (host = "claude-code") => machine.start(["hook", "--host", host]);
const DENIED = '"permissionDecision":"deny","permissionDecisionReason":"Blocked by holdfast: no\\n';

describe.concurrent("stdin", () => {
  it("is answered while it is still open", async () => {
    const { child, ended } = start();
    child.stdin.write(JSON.stringify(claudeShell(machine, "ls")));
    const { code, stdout, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(DENIED);
    expect(child.stdin.writableEnded).toBe(false);
  });

  it("may come a few bytes at a time", async () => {
    const { child, ended } = start();
    const text = JSON.stringify(claudeShell(machine, "echo ü€😀 && ls"));
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 7) {
      child.stdin.write(bytes.subarray(at, at + 7));
      if (at % 70 === 0) await sleep(1);
    }
    expect((await ended).stdout).toContain(DENIED);
  });

  it("of 8 MB is judged like any other, and the record of it is short", async () => {
    const content = "x".repeat(8_000_000);
    const written = claude(machine, "PreToolUse.Write", {
      session_id: "large",
      tool_input: { file_path: `${machine.projectDir}/holdfast.yaml`, content, pages: Array(200_000).fill("y") },
    });
    expect((await machine.hook("claude-code", written)).stdout).toContain("belongs to Holdfast");
    const [record] = machine.records("audit").filter(({ session }) => session === "large");
    expect(record).toMatchObject({ decision: "block", tool: "Write" });
    expect(JSON.stringify(record).length).toBeLessThan(10_000);
  });

  it("may go on after the object", async () => {
    const text = JSON.stringify(claudeShell(machine, "ls"));
    expect((await machine.hook("claude-code", `${text}\ntrailing {text`)).stdout).toContain(DENIED);
  });
});

describe.concurrent("stdin that cannot be used is a block with the reason, and a notice", () => {
  const PRE = JSON.stringify({ hook_event_name: "PreToolUse" });
  const cut = () => JSON.stringify(claudeShell(machine, "ls")).slice(0, -20);
  const cases: [name: string, input: () => string | Uint8Array, reason: string][] = [
    ["empty", () => "", "stdin was empty (HF301)"],
    ["garbage", () => "\u0000\u001b[2Jgarbage", "stdin does not begin with a JSON object (HF301)"],
    ["truncated", cut, "the payload is not one JSON object: "],
    ["a list", () => `[${PRE}]`, "stdin does not begin with a JSON object (HF301)"],
    [
      "not UTF-8",
      () => Buffer.from(PRE.replace("}", ',"a":"\xe9"}'), "latin1"),
      "the payload is not UTF-8 text (HF301)",
    ],
    ["not this host's", () => PRE, 'this is not a payload of claude-code: "tool_name" must be a text'],
    ["without an event", () => "{}", 'this is not a payload of claude-code: "hook_event_name" must be a text'],
    [
      "nested beyond all reason",
      () => `{"hook_event_name":"PreToolUse","a":${"[".repeat(50_000)}`,
      "not one JSON object",
    ],
  ];

  it.each(cases)("%s", async (_, input, reason) => {
    const { code, stdout, stderr } = await machine.hook("claude-code", input());
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^Blocked by holdfast: /);
    expect(stderr).toContain(reason);
    expect(machine.records("notices").some(({ message, is_error }) => is_error && message.includes(reason))).toBe(true);
  });

  it("K-3 Kiro is blocked by the same words: strict is the default (decision 0007)", async () => {
    const { code, stdout, stderr } = await machine.hook("kiro", JSON.stringify(kiroShell(machine, "ls")).slice(0, -1));
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^Blocked by holdfast: the payload is not one JSON object/);
  });

  it("an event that guards nothing is told of and goes on", async () => {
    const text = JSON.stringify(claude(machine, "SessionStart")).slice(0, -1);
    const { code, stdout, stderr } = await machine.hook("claude-code", text);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^holdfast: the payload is not one JSON object/);
  });
});

describe.concurrent("stdin without end", () => {
  /** Writes for as long as somebody reads. */
  async function flood({ child, ended }: Started, first: string, more: Buffer) {
    let open = true;
    const closed = ended.finally(() => {
      open = false;
    });
    child.stdin.on("error", () => {
      open = false;
    });
    child.stdin.write(first);
    while (open) if (!child.stdin.write(more)) await Promise.race([once(child.stdin, "drain"), closed]).catch(() => {});
    return closed;
  }
  const MEGABYTE = Buffer.alloc(1024 * 1024, "x");

  it.each([
    ["a payload of 100 MB", '{"hook_event_name":"PreToolUse","a":"', MEGABYTE],
    ["endless white space", " ", Buffer.alloc(1024 * 1024, " ")],
  ])("%s is a block", async (_, first, more) => {
    const { code, stdout, stderr } = await flood(start(), first, more);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    // Whichever limit is met first: through a pipe a busy machine takes seconds over 64 MiB.
    expect(stderr).toMatch(/larger than 64 MiB|held no complete JSON object after 5 s/);
  });

  it.each([
    ["claude-code", '{"hook_event_name":"PreToolUse","a":"'],
    ["kiro", ""],
  ])("a slow one is given up in time for %s", async (host, first) => {
    const started = start(host);
    started.child.stdin.write(first);
    const drip = setInterval(() => started.child.stdin.write(" "), 200);
    const { code, stdout, stderr } = await started.ended.finally(() => clearInterval(drip));
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    // Kiro waits 10 s and then goes on without us.
    expect(stderr).toBe("Blocked by holdfast: stdin held no complete JSON object after 5 s (HF301)");
  });
});
