/** A command is found behind the options of what starts it, in every spelling of them. */
import { describe, expect, it } from "vitest";
import { judgedByAll } from "../hooks.fixture.ts";
import { judgeCase } from "./cases.ts";

describe("a deletion behind options", () => {
  it.each([
    "git --attr-source HEAD reset --hard",
    "git --shallow-file x reset --hard",
    "git -C run bisect run rm -rf ~",
    "git submodule --quiet foreach --recursive 'rm -rf ~'",
    "find . -exec echo {} ';' -exec rm -rf ~ ';'",
    "find . -maxdepth 0 -exec true $(cat semi) -exec rm -rf ~ ';'",
    "sed '1e rm -rf ~; w x' f",
    "sed '1e rm -rf ~ 1w x' f",
    "sed 's/a/rm -rf ~/e; w x' f",
    "sed 's/a/rm -rf ~/ew x' f",
    "sed -e '1e rm -rf ~' -e p f",
    "sed -ne '1e rm -rf ~' --expression=p f",
    "setpriv --reuid 1000 rm -rf ~",
    "setpriv --reuid=1000 --regid 1000 --clear-groups rm -rf ~",
    "numactl -N 0 rm -rf ~",
    "numactl --cpunodebind 0 --membind 0 rm -rf ~",
    "setarch x86_64 -R rm -rf ~",
    "setarch -R rm -rf ~",
    "setarch x86_64 rm -rf ~",
    "runcon -t x_t rm -rf ~",
    "runcon --type x_t rm -rf ~",
    "runcon -c rm -rf ~",
    "runcon u:r:t:s0 rm -rf ~",
    "hyperfine --prepare 'rm -rf ~' ls",
    "hyperfine --prepare='rm -rf ~' ls",
    "hyperfine --prepare 'rm -rf ~' --prepare true ls pwd",
    "hyperfine -c 'rm -rf ~' ls",
    "hyperfine --setup 'rm -rf ~' ls",
    "hyperfine -i 'rm -rf ~'",
    "git difftool --extcmd='rm -rf ~' HEAD~1",
    "git difftool --extcmd 'rm -rf ~' HEAD~1",
    "git difftool -x'rm -rf ~' HEAD~1",
    "git difftool -yx 'rm -rf ~' HEAD~1",
    "git rebase -x'rm -rf ~' HEAD~3",
    "git rebase --exec='rm -rf ~' HEAD~3",
  ])("is stopped: %s", (command) => {
    expect(judgeCase(command).decision).toBe("block");
  });

  it.each([
    "sed -n '/start/,/end/w out.txt' f",
    "sed -e 's/one/two/' -e 's/home/e x/' f",
    "sed 's/a/b/w changed.txt' f",
    "sed '1e date' f",
    "setpriv --reuid 1000 --clear-groups npm test",
    "numactl -N 0 -m 0 ./bench",
    "numactl --hardware",
    "setarch x86_64 -R ./bench",
    "setarch --list",
    "runcon -t x_t ls",
    "runcon u:r:t:s0 ls",
    "hyperfine --warmup 3 --prepare 'rm -rf dist' 'npm run build'",
    "hyperfine -i -N 'node a.js' 'node b.js'",
    "git difftool --extcmd=meld HEAD~1",
    "git difftool -y -x 'diff -u' HEAD~1",
    "git rebase -x 'npm test' HEAD~3",
  ])("while everyday work goes on: %s", (command) => {
    expect(judgedByAll(command)).toBe("none");
  });
});

describe("every file that a sed script writes is seen", () => {
  it.each(["sed -n '/a/w x\n/b/w holdfast.yaml' f", "sed -n '/a/w holdfast.yaml\n/b/w x' f"])("%j", (command) => {
    expect(judgedByAll(command)).toMatch(/^block protected-paths\//);
  });
});
