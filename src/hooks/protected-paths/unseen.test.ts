/** What is too much to be looked at to its end is never let through in silence. */
import { describe, expect, it } from "vitest";
import { before, judge, judgedByAll, toolCall } from "../hooks.fixture.ts";
import { protectedPaths } from "./protected-paths.ts";

const NAMES = Array.from({ length: 700 }, (_, index) => `f${index}`).join(" ");
const MANY_WORDS = `parallel echo ${NAMES} ::: ${NAMES}`;
const kindOf = (command: string) => judge(protectedPaths, before(toolCall("shell", { command }))).opinion.kind;

describe("a command line that does more than can be looked at", () => {
  it("is judged behind the command that was too much", () => {
    expect(judgedByAll(`${MANY_WORDS}; bash -c 'rm -rf ~'`)).toMatch(/^block /);
    expect(kindOf(`${MANY_WORDS}; bash -c 'rm .claude/settings.json'`)).toBe("block");
  });

  it.each([
    ["words", `${`${MANY_WORDS}; `.repeat(4)}bash -c 'rm .claude/settings.json'`],
    ["programs", `${"true;".repeat(5_100)}rm .claude/settings.json`],
    ["steps", `${"x=1;".repeat(11_000)}rm .claude/settings.json`],
    ["characters", `echo ${"x".repeat(250_000)}; rm .claude/settings.json`],
    ["wrappers in wrappers", `${"sudo ".repeat(40)}rm .claude/settings.json`],
  ])("is asked about for the sake of protected files too: %s", (_, command) => {
    expect(kindOf(command)).toBe("ask");
  });

  it.each([
    ["words", `${`${MANY_WORDS}; `.repeat(4)}bash -c 'rm -rf ~'`],
    ["programs", `${"true;".repeat(5_100)}rm -rf ~`],
  ])("is asked about whatever it may do: %s", (_, command) => {
    expect(judgedByAll(command)).toMatch(/^ask /);
  });

  it("is judged with each value of a loop, and asked about where these are too many", () => {
    const loop = (values: string, body = "rm $f") => `for f in ${values}; do ${body}; done`;
    const names = (count: number) => Array.from({ length: count }, (_, index) => `f${index}`).join(" ");
    expect(kindOf(loop(`${names(16)} .claude/settings.json`))).toBe("block");
    expect(kindOf(loop(`1 2 3 {4..900} .claude/settings.json`))).toBe("block");
    expect(kindOf(loop(`${names(300)} .claude/settings.json`))).toBe("ask");
    expect(judgedByAll(loop("{1..5000}", "echo $f"))).toBe("none");
    expect(judgedByAll(loop(names(17), "eslint $f && git add $f"))).toBe("none");
  });

  it("is no line that is only long", () => {
    expect(judgedByAll(`${"true;".repeat(3_000)}ls`)).toBe("none");
    expect(judgedByAll(`ls ${NAMES}`)).toBe("none");
  });
});
