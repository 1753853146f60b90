/** An alias that git is given is git with other words: what those would start is judged. */
import { expect, it } from "vitest";
import { judgedByAll } from "../hooks.fixture.ts";

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

it.each(
  lines(`
    git -c alias.x='!rm -rf /' x
    git -c alias.s='submodule foreach rm -rf /' s
    git -c alias.s='submodule foreach "rm -rf /"' s
    git -c alias.s="submodule --quiet foreach 'cd /; rm -rf /'" s
    git -c alias.s=submodule s foreach 'rm -rf /'
    git -c alias.S=submodule -C sub s foreach 'rm -rf /'
    git -c alias.b='bisect run' b rm -rf /
    git -c alias.r='rebase -x "rm -rf /"' r main
    git -c alias.x='-c core.pager="rm -rf /" log' x
    GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.s GIT_CONFIG_VALUE_0='submodule foreach rm -rf /' git s
    git config alias.s 'submodule foreach rm -rf /'
    git config --global alias.s 'submodule foreach rm -rf /' && git s`),
)("is looked through: %s", (command) => {
  expect(judgedByAll(command)).toBe("block filesystem/delete-system");
});

it.each(
  lines(`
    git -c alias.s='submodule foreach git pull' s
    git -c alias.s='status -sb' s
    git config --global alias.co checkout
    git config alias.lg "log --graph --pretty=format:'%h %s'"
    git config --global alias.undo 'reset --soft HEAD~1'
    git config alias.each 'submodule foreach --recursive git status'
    git -c alias.x='log --grep="rm -rf /"' x`),
)("everyday ones are left alone: %s", (command) => {
  expect(judgedByAll(command)).toBe("none");
});
