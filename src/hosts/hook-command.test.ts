import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isProgram, isShellCommand, shellCommand } from "./hook-command.ts";

describe("the command line hosts call us by", () => {
  it("is quoted for sh where the path needs it", () => {
    expect(shellCommand("/opt/holdfast/bin/holdfast", "kiro")).toBe("/opt/holdfast/bin/holdfast hook --host kiro");
    expect(shellCommand("/my dir/it's/holdfast", "kiro")).toBe(`'/my dir/it'\\''s/holdfast' hook --host kiro`);
  });

  it("is recognised however its path is quoted, whoever wrote it", () => {
    for (const path of [
      "holdfast",
      "/a/holdfast",
      `"/my dir/holdfast"`,
      `'/my dir/holdfast'`,
      String.raw`/my\ dir/holdfast`,
      String.raw`"/my \"dir/holdfast"`,
    ]) {
      expect(isShellCommand(`${path} hook --host kiro`, "/elsewhere/holdfast", "kiro"), path).toBe(true);
    }
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: "grapheme" }), (name) => {
        const program = `/x/${name}`;
        expect(isShellCommand(shellCommand(program, "kiro"), program, "kiro")).toBe(true);
      }),
    );
  });

  it("is not mistaken for another command", () => {
    for (const command of [
      "",
      "holdfast",
      "holdfast hook",
      "holdfast hook --host codex",
      "holdfast hook --host kiro --verbose",
      "holdfast hook --host kiro || true",
      "holdfast hook --host kiro;",
      "env X=1 holdfast hook --host kiro",
      "/a/holdfast-old hook --host kiro",
      "/a/myholdfast hook --host kiro",
      `"holdfast hook --host kiro"`,
    ]) {
      expect(isShellCommand(command, "/elsewhere/holdfast", "kiro"), command).toBe(false);
    }
    expect(isProgram("C:\\tools\\holdfast.exe", "/x")).toBe(true);
  });
});
