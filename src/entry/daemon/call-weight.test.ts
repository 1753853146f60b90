import { describe, expect, test } from "vitest";
import { isHeavy } from "./call-weight.ts";

const shell = (command: string) =>
  ({ payload: {}, events: [{ name: "pre_tool_use", tool: { kind: "shell", command } }] }) as never;

describe("a call is heavy", () => {
  test.each([
    ["many commands", "echo a && ".repeat(1000)],
    ["many files", `rm ${"a/b ".repeat(1000)}`],
    ["braces with many alternatives", `rm ${"{a,b,c}{d,e,f} ".repeat(100)}`],
    ["a short range of many numbers", "rm {1..100000}"],
    ["nested braces", `rm ${"{a,b}".repeat(12)}`],
    ["sheer length", `echo '${"x".repeat(40_000)}'`],
    ["much code for another language", `python3 -c '${"x = 1\n".repeat(1000)}'`],
  ])("by %s", (_name, command) => {
    expect(isHeavy(shell(command))).toBe(true);
  });

  test("by many values in its payload, however small", () => {
    expect(isHeavy({ payload: { list: Array.from({ length: 30_000 }, () => 1) }, events: [] })).toBe(true);
    expect(isHeavy({ payload: { text: "1,".repeat(100_000) }, events: [] })).toBe(false);
  });
});

describe("a call is not heavy", () => {
  test.each([
    ["an everyday command", "git add -A && git commit -m 'some words about what was done' && git push"],
    ["a file written by a here-document", `cat > a.ts <<'EOF'\n${"const line = 'of code';\n".repeat(600)}EOF`],
    ["a script of a few dozen lines", "for f in src/*.ts; do npx prettier --check $f || exit 1; done\n".repeat(30)],
  ])("for %s", (_name, command) => {
    expect(isHeavy(shell(command))).toBe(false);
  });
});
