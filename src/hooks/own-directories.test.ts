/** Nothing is made, put or linked where Holdfast keeps its settings and what people decided, whichever program does it. */
import { describe, expect, it } from "vitest";
import type { BuiltinHook } from "./builtin.ts";
import { before, judge, judgedByAll, toolCall } from "./hooks.fixture.ts";
import { personOnly } from "./person-only.ts";
import { protectedPaths } from "./protected-paths/protected-paths.ts";

const kindBy = (hook: BuiltinHook, command: string) => judge(hook, before(toolCall("shell", { command }))).opinion.kind;

const CONFIG = "/home/person/.config/holdfast";
const STATE = "/home/person/.local/state/holdfast";

const WRITES: readonly ((place: string) => string)[] = [
  (place) => `touch ${place}/x`,
  (place) => `touch -c -d yesterday ${place}/x`,
  (place) => `touch -r /tmp/a ${place}`,
  (place) => `cd ${place} && touch x`,
  (place) => `touch ${place}/*`,
  (place) => `touch ${place}/"$X"`,
  (place) => `mkdir ${place}/x`,
  (place) => `mkdir -p -m 700 ${place}/x/y`,
  (place) => `mkfifo ${place}/x`,
  (place) => `mknod ${place}/x p`,
  (place) => `ln -s /tmp/x ${place}/x`,
  (place) => `ln /tmp/x ${place}`,
  (place) => `mv /tmp/x ${place}/x`,
  (place) => `mv /tmp/x ${place}`,
  (place) => `mv ${place} /tmp/x`,
  (place) => `cp /tmp/x ${place}`,
  (place) => `cp -t ${place} /tmp/x`,
  (place) => `install -d ${place}/x`,
  (place) => `install -m 600 /tmp/x ${place}/x`,
  (place) => `rsync -a /tmp/x ${place}/`,
  (place) => `echo x > ${place}/x`,
  (place) => `chmod 777 ${place}/x`,
];

describe.each([
  ["settings", CONFIG, protectedPaths],
  ["what people decided", STATE, personOnly],
] as const)("where %s are", (_, place, hook) => {
  it.each(WRITES.map((write) => write(place)))("nothing is written: %s", (command) => {
    expect(kindBy(hook, command)).toBe("block");
  });

  it.each([`ls ${place}`, `mkdir ${place}-old`, `touch ${place}.txt`, `cp ${place}/x /tmp/x`])(
    "looking and writing beside it pass: %s",
    (command) => {
      expect(kindBy(hook, command)).toBe("none");
    },
  );
});

it.each([
  "touch .claude/settings.json",
  "touch holdfast.yaml",
  "cd .git/hooks && touch pre-commit",
  "install --strip-program -d /tmp/x .claude/settings.json",
])("a file that is protected is not made either: %s", (command) => {
  expect(judgedByAll(command)).toMatch(/^block protected-paths/);
});

it.each([
  "touch README.md src/index.ts",
  "touch .env",
  "touch * .*",
  "touch src/*.ts",
  "find . -exec touch {} +",
  "find . -name '*.ts' -exec touch {} \\;",
  "git ls-files | xargs touch",
  "mkdir -p src/{a,b}/{c,d}",
  "touch ~/.bashrc",
  "mkdir -p .claude .github/workflows .husky .git/hooks",
  "mkdir -p ~/.ssh ~/.config/other /opt/x",
  "mkdir -p build && cd build && cmake ..",
  "touch $(date +%F).log",
  'touch "$DIR/.keep"; mkdir "$DIR"',
])("everyday files and directories are made: %s", (command) => {
  expect(judgedByAll(command)).toBe("none");
});
