import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import type { ToolCall } from "../../core/tool.ts";
import { analyseCommand } from "../../shell/analyse.ts";
import { before, judge, machine, toolCall } from "../hooks.fixture.ts";
import { protectedPaths } from "./protected-paths.ts";

/** What stands in the project, and where it leads. */
const LINKS: Readonly<Record<string, string>> = {
  "/project/.claude/settings.json": "/home/person/dotfiles/claude.json",
  "/project/shortcut": "/project/.git/hooks/pre-commit",
  "/project/latest": "/project/releases/7",
};
const realPath = (path: string) => LINKS[path] ?? path;
const linked = {
  ...machine,
  realPath: (path: string, cwd: string) => realPath(posix.resolve(cwd, path)),
  analyse: (command: string, cwd: string) => analyseCommand(command, { cwd, homeDir: "/home/person", realPath }),
};
const kindOf = (tool: ToolCall) => judge(protectedPaths, before(tool), { write: [], read: [] }, linked).opinion.kind;
const shell = (command: string) => kindOf(toolCall("shell", { command }));

describe("a name that is a link is judged where it stands and where it leads", () => {
  it.each([
    "rm .claude/settings.json",
    "mv evil .claude/settings.json",
    "ln -sf evil .claude/settings.json",
    "echo {} > .claude/settings.json",
    "cd .claude && rm settings.json",
    "echo x > shortcut",
  ])("%s is stopped", (command) => {
    expect(shell(command)).toBe("block");
  });

  it.each([".claude/settings.json", "/project/.claude/settings.json", "shortcut"])(
    "a write to %s is stopped",
    (path) => {
      expect(kindOf(toolCall("write", { paths: [path] }))).toBe("block");
    },
  );

  it.each(["rm latest", "ln -sfn releases/8 latest", "cat .claude/settings.json", "echo x > latest"])(
    "%s passes",
    (command) => {
      expect(shell(command)).toBe("none");
    },
  );
});
