/** Stashing a file takes its changes away, so a guard of the file is asked, however the stash is written. */
import { expect, it } from "vitest";
import { judgedByAll } from "./hooks.fixture.ts";

it.each([
  "git stash -- holdfast.yaml",
  "git stash -u -- holdfast.yaml",
  "git stash -m wip -- holdfast.yaml",
  "git stash -p holdfast.yaml",
  "git stash push holdfast.yaml",
  "git stash push -m wip -- holdfast.yaml",
])("a protected file is not stashed: %s", (command) => {
  expect(judgedByAll(command)).toMatch(/^block protected-paths\//);
});

it.each([
  "git stash",
  "git stash -u",
  "git stash -- src/a.ts",
  "git stash -m holdfast.yaml",
  "git stash save holdfast.yaml",
  "git stash save -u 'before holdfast.yaml changes'",
  "git stash show -p",
])("while everyday stashes pass, and messages are no paths: %s", (command) => {
  expect(judgedByAll(command)).toBe("none");
});
