import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LedgerEntry } from "../core/effect.ts";
import { after, judge, toolCall } from "./hooks.fixture.ts";
import { cut, recordToolCall } from "./record-tool-call.ts";

const entry = (...args: Parameters<typeof after>): LedgerEntry => {
  const ledger = judge(recordToolCall, after(...args)).effects?.filter(({ type }) => type === "ledger") ?? [];
  expect(ledger).toHaveLength(1);
  return (ledger[0] as { entry: LedgerEntry }).entry;
};
const modified = (...args: Parameters<typeof after>) =>
  judge(recordToolCall, after(...args)).effects?.flatMap((effect) =>
    effect.type === "modified-file" ? [effect.path] : [],
  );

describe("the ledger entry", () => {
  it("K-27 has time, tool, input, success and output", () => {
    const shell = toolCall("shell", { command: "ls", name: "Bash", id: "call-7" });
    expect(entry(shell, { response: "a\nb", durationMs: 12 })).toEqual({
      timestamp: "2026-11-13T16:00:00.000Z",
      host: "test",
      session: "session-1",
      agent: null,
      tool_name: "Bash",
      tool_kind: "shell",
      tool_use_id: "call-7",
      cwd: "/project",
      input_summary: "ls",
      success: true,
      output_summary: "a\nb",
      duration_ms: 12,
    });
  });

  it.each([
    [{}, true],
    [{ success: false }, false],
    [{ success: true }, true],
    [{ success: "no" }, true],
    ["text", true],
  ])("K-28 success is the response's own where it is a boolean, else true: %j", (response, success) => {
    expect(entry(toolCall("shell", { command: "x" }), { response }).success).toBe(success);
  });

  it("K-28 a call the host reports as failed did not succeed", () => {
    expect(entry(toolCall("shell", { command: "x" }), { failed: true, response: { success: true } }).success).toBe(
      false,
    );
  });

  it.each([
    ["a write's path, whole", toolCall("write", { paths: [`/p/${"long/".repeat(60)}f`] }), `/p/${"long/".repeat(60)}f`],
    ["a read's first path", toolCall("read", { paths: ["/a", "/b"] }), "/a"],
    ["a short command", toolCall("shell", { command: "ls -la" }), "ls -la"],
    [
      "120 bytes of a long command and an ellipsis",
      toolCall("shell", { command: "x".repeat(200) }),
      `${"x".repeat(120)}...`,
    ],
    ["compact JSON otherwise", toolCall("mcp", { input: { q: "hi" } }), '{"q":"hi"}'],
    ["nothing where there is no input", toolCall("other"), undefined],
  ])("K-29 the input summary is %s", (_, tool, summary) => {
    expect(entry(tool).input_summary).toBe(summary);
  });

  it("KB-6 a secret that the cut would halve is redacted all the same", () => {
    const command = `${"x".repeat(100)} GITHUB_TOKEN=ghp_${"a1B2".repeat(9)}`;
    expect(entry(toolCall("shell", { command })).input_summary).not.toContain("ghp_");
  });

  it("K-29 a cut never splits a character and says that it was cut", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 80 }),
        fc.integer({ min: 4, max: 100 }),
        (text, maxBytes) => {
          const result = cut(text, maxBytes);
          expect(result).not.toContain("�".repeat(text.includes("�") ? 99 : 1));
          if (Buffer.byteLength(text) <= maxBytes) expect(result).toBe(text);
          else {
            expect(result.endsWith("...")).toBe(true);
            expect(text.startsWith(result.slice(0, -3))).toBe(true);
            expect(Buffer.byteLength(result)).toBeLessThanOrEqual(maxBytes + 3);
          }
        },
      ),
    );
  });

  it.each<[string, Parameters<typeof after>[1], string | undefined]>([
    ["the last three lines", { response: "1\n2\n3\n4\n5\n" }, "3\n4\n5"],
    ["of stdout and stderr", { response: { stdout: "out", stderr: "err" } }, "out\nerr"],
    ["of a result list", { response: { result: ["a\nb"] } }, "a\nb"],
    ["200 bytes at most", { response: "y".repeat(500) }, `${"y".repeat(200)}...`],
    ["nothing where nothing was printed", { response: "  \n" }, undefined],
  ])("K-30 the output summary of a shell is %s", (_, changes, summary) => {
    expect(entry(toolCall("shell", { command: "x" }), changes).output_summary).toBe(summary);
  });

  it("K-30 other tools have no output summary", () => {
    expect(entry(toolCall("read", { paths: ["/a"] }), { response: "secret text" }).output_summary).toBeUndefined();
  });

  it("K-31 the paths of writes and edits are modified files", () => {
    expect(modified(toolCall("write", { paths: ["/a"] }))).toEqual(["/a"]);
    expect(modified(toolCall("edit", { paths: ["/a", "/b"] }))).toEqual(["/a", "/b"]);
  });

  it("K-32 other tools modify nothing; without a directory nothing is recorded and nothing fails", () => {
    expect(modified(toolCall("read", { paths: ["/a"] }))).toEqual([]);
    expect(judge(recordToolCall, after(toolCall("shell", { command: "x" }), { cwd: "" })).effects).toBeUndefined();
  });
});
