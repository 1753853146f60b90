import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { approvalOf } from "../../../approvals/approval.fixture.ts";
import type { AskedCall } from "../../../approvals/approval.ts";
import { deedOf, gist } from "./call-summary.ts";
import { callView, isCut, MAX_PAGE_CHARACTERS } from "./call-view.ts";
import { changesOf } from "./edit-diff.ts";
import { plainText } from "./markup.fixture.ts";

const callOf = (changes: Partial<AskedCall>) => approvalOf({ call: changes }).approval;

describe("an edit is shown as a diff, whatever the host calls its arguments", () => {
  const before = "a\nb\nc\n";
  const after = "a\nB\nc\n";
  it.each([
    { file_path: "f", old_string: before, new_string: after },
    { filePath: "f", oldString: before, newString: after },
    { path: "f", old_str: before, new_str: after },
    { path: "f", edits: [{ oldText: before, newText: after }] },
    { file_path: "f", edits: [{ old_string: before, new_string: after }] },
  ])("%j", (input) => {
    expect(changesOf(callOf({ kind: "edit", input }).call)).toEqual([{ path: "f", lines: [" a", "-b", "+B", " c"] }]);
  });

  it("of a long file only what differs is shown, and of a rewritten one every line that goes and comes", () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}`);
    const changed = lines.with(1_000, "another");
    const shown = (after: readonly string[]) =>
      changesOf(callOf({ kind: "edit", input: { old_string: lines.join("\n"), new_string: after.join("\n") } }).call)[0]
        ?.lines;
    expect(shown(changed)).toEqual([
      " line 997",
      " line 998",
      " line 999",
      "-line 1000",
      "+another",
      " line 1001",
      " line 1002",
      " line 1003",
    ]);
    expect(shown(lines.map((line) => `${line}!`))?.length).toBe(4_000);
  });

  it("an end of line that goes is shown", () => {
    const input = { old_string: "a\n", new_string: "a" };
    expect(changesOf(callOf({ kind: "edit", input }).call)[0]?.lines).toEqual([" a", "-"]);
  });

  it("put together again, a diff is the text before and the text after", () => {
    const text = fc.array(fc.constantFrom("a", "b", "", " c"), { maxLength: 12 }).map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const input = { old_string: before, new_string: after };
        const all = changesOf(callOf({ kind: "edit", input }).call)[0]?.lines ?? [];
        const side = (sign: string) => all.filter((line) => line[0] !== sign).map((line) => line.slice(1));
        // With at most twelve lines a text and three of context, what is left out is the same on both sides.
        expect(`\n${before}\n`).toContain(`\n${side("+").join("\n")}`);
        expect(`\n${after}\n`).toContain(`\n${side("-").join("\n")}`);
      }),
    );
  });

  it("a written file is all new, a patch is shown as it stands", () => {
    expect(changesOf(callOf({ kind: "write", input: { file_path: "f", content: "x\ny" } }).call)).toEqual([
      { path: "f", lines: ["+x", "+y"] },
    ]);
    const patch = "*** Begin Patch\n*** Update File: f\n-x\n+y\n*** End Patch";
    expect(changesOf(callOf({ kind: "edit", input: { input: patch } }).call)).toEqual([
      { path: "", lines: patch.split("\n") },
    ]);
  });

  it("an edit that cannot be read is no diff: its arguments are shown", () => {
    const approval = callOf({ kind: "edit", input: { where: "f", what: 3 } });
    expect(changesOf(approval.call)).toEqual([]);
    expect(plainText(callView(approval))).toMatch(/where\s*f\s*what\s*3/);
  });
});

describe("X-8 a call", () => {
  it("shows every argument, beside the command too", () => {
    const shown = plainText(callView(callOf({ input: { command: "ls", timeout: 5, env: { A: "1" }, note: "" } })));
    for (const part of ["ls", "timeout", "5", "env", '"A": "1"', "note", "(empty)"]) expect(shown).toContain(part);
  });

  it("is whole up to the limit, and says above it how much is left out and where it is", () => {
    const whole = callOf({ kind: "write", input: { content: "x".repeat(MAX_PAGE_CHARACTERS - 7) } });
    expect(isCut(whole.call)).toBe(false);
    expect(plainText(callView(whole))).not.toContain("Cut here");
    const cut = callOf({ kind: "write", input: { a: "y".repeat(MAX_PAGE_CHARACTERS), b: "tail" } });
    const shown = String(callView(cut));
    expect(shown).toContain("Cut here: 150,000 more characters");
    expect(shown).toContain("tail");
    expect(shown.match(new RegExp(`/approvals/${cut.id}/call.json`, "g"))?.length).toBe(2);
  });

  it("is told in a sentence and a line", () => {
    const said = (changes: Partial<AskedCall>) => deedOf(callOf(changes).call);
    expect(said({ kind: "shell" })).toBe("run a command");
    expect(said({ kind: "edit", input: { file_path: "src/a.ts" } })).toBe("change src/a.ts");
    expect(said({ kind: "mcp", tool: "mcp__billing__refund" })).toBe("use billing/refund");
    expect(gist(callOf({ kind: "mcp", input: { order: "7", all: true } }).call)).toBe("order: 7, all: true");
  });
});
