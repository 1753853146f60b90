// Where an agent stands is not always a project of its own: people start one in their home directory, containers at the top
// of the machine, and there a home is often the top, too.
import { expect, it } from "vitest";
import { judgedByAll } from "./hooks.fixture.ts";

const HOME = "/home/person";
const inHome = (command: string) => judgedByAll(command, undefined, HOME);
const atTheTop = (command: string) => judgedByAll(command, undefined, "/");
const withHomeAtTheTop = (command: string) => judgedByAll(command, undefined, "/app", "/");
const bothAtTheTop = (command: string) => judgedByAll(command, undefined, "/", "/");

it.each([
  ["rm -rf ~/Documents", "block filesystem/delete-system"],
  ["rm -rf Documents/*", "block filesystem/delete-system"],
  ["rm -rf Documents/taxes", "ask filesystem/delete-elsewhere"],
  ["rm .bashrc", "block filesystem/delete-system"],
  ["mv .ssh /tmp/x", "block filesystem/move-away"],
  ["echo x > .gitconfig", "block filesystem/overwrite-system"],
  ["rm -rf work/app/build", "none"],
  ["rm -rf node_modules", "none"],
  ["echo x > notes.md", "none"],
])("in a home, what is the person's stays the person's: %s", (command, said) => {
  expect(inHome(command)).toBe(said);
});

it.each(["usr/lib", "home", "root", "var/lib", "home/other", "etc/nginx"])(
  "at the top of the machine, the system is no part of the project: %s",
  (path) => {
    for (const judged of [atTheTop, withHomeAtTheTop, bothAtTheTop])
      expect(judged(`rm -rf /${path}`)).toBe("block filesystem/delete-system");
    expect(atTheTop(`rm -rf ${path}`)).toBe("block filesystem/delete-system");
  },
);

it.each(["rm -rf build", "rm -rf node_modules", "rm -rf /tmp/x", "rm -rf app/dist", "echo x > notes.md"])(
  "at the top of the machine, what is not the system's is the project's: %s",
  (command) => {
    expect(atTheTop(command)).toBe("none");
  },
);

it.each([
  ["/usr", "rm -rf lib"],
  ["/home", "rm -rf other"],
  ["/etc", "rm -rf nginx"],
  ["/root", "rm -rf .ssh"],
])("a directory of the system is no project: in %s, %s", (directory, command) => {
  expect(judgedByAll(command, undefined, directory)).toBe("block filesystem/delete-system");
});

it.each([
  ["/", "rm -rf home/other/work"],
  ["/", "rm -rf opt/tool"],
  ["/home", "rm -rf other/work"],
  ["/opt", "rm -rf tool"],
])("what is others' there is asked about, as from anywhere else: in %s, %s", (directory, command) => {
  expect(judgedByAll(command, undefined, directory)).toBe("ask filesystem/delete-elsewhere");
});

it.each(["/var/www/app", "/usr/src/app", "/root/app", "/opt/app", "/srv/app", "/myapp", "/home/other/app"])(
  "a project in one of them is one: %s",
  (directory) => {
    expect(judgedByAll("rm -rf build", undefined, directory)).toBe("none");
  },
);

it.each([
  ["echo x > .git/hooks/pre-commit", "block protected-paths/git-hooks"],
  ["rm -rf .holdfast/tracking", "block protected-paths/own-files"],
  ["echo x > .github/workflows/ci.yml", "ask protected-paths/ci"],
  ["echo x > .claude/settings.json", "block protected-paths/host-registration"],
  ["echo x > ~/.cursor/hooks.json", "block protected-paths/host-registration"],
])("globs of a project or a home at the top of the machine name what lies there: %s", (command, said) => {
  expect(bothAtTheTop(command)).toBe(said);
});

it.each([
  ["rm -rf ~/.ssh", "block filesystem/delete-system"],
  ["cat ~/.kube/config", "ask"],
  ["rm -rf ~/Documents", "block filesystem/delete-system"],
])("a home at the top of the machine holds what is the person's: %s", (command, said) => {
  expect(withHomeAtTheTop(command)).toMatch(new RegExp(`^${said}`));
});
