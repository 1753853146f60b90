/** No command takes long to judge, whatever its shape: at most 100 times the median per byte. */
import { describe, expect, it } from "vitest";
import { judgeCase } from "./cases.ts";

const SIZE = 50_000;
const filled = (text: string, size = SIZE) => text.repeat(Math.ceil(size / text.length));
const timed = (command: string) => {
  const start = process.cpuUsage();
  judgeCase(command);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
};

const SHAPES: Readonly<Record<string, string>> = {
  "one long word": "a".repeat(10_000_000),
  "ten million bytes of statements": filled("echo a; ", 10_000_000),
  "open subshells": filled("("),
  "open substitutions": filled("$("),
  "quoted open substitutions": filled('"$('),
  backticks: filled("`"),
  "open braces": filled("{ "),
  "open ifs": filled("if "),
  heredocs: filled("cat <<E\n"),
  "a long pipeline": filled("cat|"),
  "doubling variables": filled("a=$a$a;"),
  "brace bombs": `echo ${filled("{a,b}")}`,
  "many variables and pipes": `${Array.from({ length: 4_000 }, (_, index) => `v${index}=1;`).join("")}${filled("a|b;", 10_000)}`,
  wrappers: filled("sudo "),
  "nested xargs": filled("echo a | xargs "),
  "many arguments": `rm ${filled("a ")}`,
  "many redirections": `a ${filled(">b ")}`,
  "python brackets": `python3 -c '${filled("f(")}'`,
  "python doubling": `python3 -c '${filled("x=x+x;")}'`,
  "python f-strings": `python3 -c '${filled('f"{')}'`,
  "javascript patterns": `node -e '${filled("/[")}\n'`,
  "javascript templates": `node -e '${filled("`${")}'`,
  "perl quotes": `perl -e '${filled("s{")}'`,
  "sql words": `psql -c '${filled("drop ")}'`,
  "sql dollar quotes": `psql -c '${filled("$a")}'`,
  "awk strings": `awk '${filled('|"')}'`,
  "a long format for many values": `printf '%s${filled("x", 25_000)}' ${filled("f ", 25_000)} | sh`,
  "sed running lines of many files": `sed '${filled("e\n", 6_000)}' ${filled("f ", 6_000)}`,
  "git bisect that runs its own words": `git bisect ${filled("run ")}`,
  "git submodules, each word a command": `git submodule ${filled("foreach ")}`,
  "find with a program in every word": `find . ${filled("-exec ")}`,
  "find in many places for many words": `find ${filled("a ", 25_000)} -exec ${filled("x ", 25_000)} \\;`,
  "words put into words by xargs": `echo ${filled("a ", 25_000)} | xargs -I b ${filled("b ", 25_000)}`,
  "words put into words by parallel": `parallel ${filled("a ", 25_000)} ::: ${filled("b ", 25_000)}`,
  "unclosed quote": `echo '${filled("rm -rf / ")}`,
};

describe("judging takes bounded time", () => {
  const ordinary = ["git status && npm test | tail -20", "rm -rf build", "for f in *.ts; do echo $f; done"];
  for (let round = 0; round < 200; round++) for (const command of ordinary) judgeCase(command);
  const perByte = ordinary.map((command) => timed(command.repeat(1)) / command.length).sort((a, b) => a - b);
  const median = Math.max(perByte[1] ?? 0, 0.0005);

  it.each(Object.entries(SHAPES))("%s", { timeout: 120_000 }, (_, command) => {
    expect(timed(command) / command.length).toBeLessThan(median * 100);
  });

  it.each([
    [
      "functions that call twice",
      `${Array.from({ length: 23 }, (_, index) => `f${index}(){ f${index + 1};f${index + 1}; };`).join("")}f23(){ x=1; };f0`,
    ],
    ["nested loops", `${"for a in 1 2 3 4 5 6 7 8;do ".repeat(8)}x=1;${"done;".repeat(8)}`],
    ["an alias of itself", `alias a='a a';${filled("a;", 1_000)}`],
  ])("%s: no longer than thirty thousand ordinary commands", { timeout: 120_000 }, (_, command) => {
    const sample = filled("git status && npm test | tail -20\n", 3_400);
    expect(timed(command)).toBeLessThan(300 * timed(sample));
  });
});
