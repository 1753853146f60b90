/** Where it is not certain that a `cd` has run, what follows is judged where it would lead and where it would not. */
import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../shell/analyse.ts";
import { judgedByAll } from "../hooks.fixture.ts";

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

describe("a cd that may not have run", () => {
  it.each(
    lines(`
      false && cd /tmp/x; rm .claude/settings.json
      [ -d /tmp/x ] && cd /tmp/x; rm .claude/settings.json
      [[ -d /tmp/x ]] && cd /tmp/x; rm .claude/settings.json
      make && cd /tmp/x && ls; rm .claude/settings.json
      X=$(false) && cd /tmp/x; rm .claude/settings.json
      echo a > b/c && cd /tmp/x; rm .claude/settings.json
      cd /tmp/x || true; rm .claude/settings.json
      cd /tmp/x || { echo none; }; rm .claude/settings.json
      exit() { :; }; cd /tmp/x || exit; rm .claude/settings.json
      cd /tmp/x || return; rm .claude/settings.json
      cd /tmp/x || (exit 1); rm .claude/settings.json
      cd /tmp/x || rm .claude/settings.json
      ! cd /tmp/x && rm .claude/settings.json
      true || cd /tmp/x; rm .claude/settings.json
      cd /tmp/x && ls || true; rm .claude/settings.json
      if false; then cd /tmp/x; fi; rm .claude/settings.json
      if false; then cd /tmp/x; elif false; then cd /tmp/y; fi; rm .claude/settings.json
      if cd /tmp/x; then :; fi; rm .claude/settings.json
      if cd /tmp/x; then :; else rm .claude/settings.json; fi
      if [ -f a ]; then cd /tmp/x; else rm .claude/settings.json; fi
      if [ -f a ]; then cd .claude; else cd /tmp/x; fi; rm settings.json
      while false; do cd /tmp/x; done; rm .claude/settings.json
      until cd /tmp/x; do break; done; rm .claude/settings.json
      for i in $LIST; do cd /tmp/x; done; rm .claude/settings.json
      for i in 1 2; do [ $i = 1 ] && break; cd /tmp/x; done; rm .claude/settings.json
      for i in 1; do cd .claude; break; cd /tmp/x; done; rm settings.json
      for ((i=0; i<0; i++)); do cd /tmp/x; done; rm .claude/settings.json
      case a in b) cd /tmp/x;; esac; rm .claude/settings.json
      case a in b) cd /tmp/x;; *) rm .claude/settings.json;; esac
      case a in a) cd .claude;& b) rm settings.json;; esac
      f() { cd .claude; return; cd /tmp/x; }; f; rm settings.json
      { false && cd /tmp/x; } < y; rm .claude/settings.json
      false && cd /tmp/x; rm $PWD/.claude/settings.json
      false && cd /tmp/y; cd /tmp/x || true; cd -; rm .claude/settings.json
      false && cd /tmp/x; bash -c 'rm .claude/settings.json'
      /usr/bin/cd /tmp/x; rm .claude/settings.json`),
  )("leaves what follows where it was, too: %s", (command) => {
    expect(judgedByAll(command)).toBe("block protected-paths/host-registration");
  });

  it.each(
    lines(`
      false && cd /tmp/x; rm -rf .git
      cd /tmp/x || true; rm -rf *
      if [ -d build ]; then cd build; fi; rm -rf ./*`),
  )("holds for what is destroyed as for what is protected: %s", (command) => {
    expect(judgedByAll(command)).toMatch(/^block/);
  });
});

describe("a cd that has run, or else nothing of what follows", () => {
  it.each(
    lines(`
      cd /tmp/x; rm -rf .git
      cd /tmp/x && rm -rf .git
      cd /tmp/x && git init && rm -rf .git
      cd /tmp/x && git init; rm -rf .git
      make && cd /tmp/x && rm -rf .git
      mkdir -p /tmp/x && cd /tmp/x; rm -rf *
      mkdir /tmp/x && cd /tmp/x; rm -rf *
      echo go && cd /tmp/x; rm -rf *
      export A=1 && cd /tmp/x; rm -rf *
      D=$(mktemp -d) && cd "$D"; rm -rf *
      cd /tmp/x || exit 1; rm -rf .git
      cd /tmp/x || { echo none >&2; exit 1; }; rm -rf .git
      cd /tmp/x 2>/dev/null || exit; rm -rf .git
      command cd /tmp/x || exit; rm -rf .git
      die() { echo "$1"; exit 1; }; cd /tmp/x || die none; rm -rf .git
      if ! cd /tmp/x; then exit 1; fi; rm -rf .git
      if cd /tmp/x; then rm -rf .git; fi
      if true; then cd /tmp/x; fi; rm -rf .git
      [ -d /tmp/x ] || exit 1; cd /tmp/x; rm -rf .git
      [ -d /tmp/x ] && cd /tmp/x && rm -rf .git
      if [ -d a ]; then cd /tmp/x; else cd /tmp/y; fi; rm -rf .git
      case $A in a) cd /tmp/x;; *) cd /tmp/y;; esac; rm -rf .git
      case $A in a) cd /tmp/x;; *) exit 1;; esac; rm -rf .git
      for d in a b; do cd /tmp/$d || continue; rm -rf .git; done
      while read -r d; do cd "/tmp/x/y" || exit; rm -rf .git; done < list
      (cd /tmp/x && rm -rf .git)`),
  )("is judged where it led: %s", (command) => {
    expect(judgedByAll(command)).toBe("none");
  });

  it.each(
    lines(`
      for d in packages/a packages/b; do [ -d "$d" ] && cd "$d"; rm -rf dist; cd ..; done
      for d in */; do cd "$d" && npm test; cd ..; done; rm -rf dist
      if [ -d build ]; then cd build; make clean; cd ..; fi; rm -rf build
      [ -f package.json ] && cd app; npm ci; rm -rf node_modules
      test -d .venv && cd src || cd lib; rm -rf __pycache__
      cd app || true; rm -rf coverage; git status
      while read -r d; do cd "$d"; git pull; cd -; done < list; rm -rf dist
      cd a || cd b || cd c; rm -f out.txt; echo done > log.txt
      case "$1" in web) cd web;; api) cd api;; esac; rm -rf node_modules; npm ci`),
  )("everyday lines in doubt are left alone: %s", (command) => {
    expect(judgedByAll(command)).toBe("none");
  });
});

describe("a cd to a directory that is not there", () => {
  const deletedBy = (command: string) =>
    analyseCommand(command, {
      cwd: "/p",
      homeDir: "/home/person",
      realPath: (path) => path,
      isDirectory: (path) => ["/p", "/p/src", "/tmp"].includes(path),
    }).effects.flatMap(({ effect }) => (effect.type === "delete" ? [effect.path.path] : []));

  it.each([
    ["cd none; rm -rf x", ["/p/none/x", "/p/x"]],
    ["cd none 2>/dev/null; rm -rf x", ["/p/none/x", "/p/x"]],
    ["cd none && ls; rm -rf x", ["/p/none/x", "/p/x"]],
    ["pushd none; rm -rf x", ["/p/none/x", "/p/x"]],
    ["touch a; cd none; rm -rf x", ["/p/none/x", "/p/x"]],
    ["mkdir src && cd src; rm -rf x", ["/p/src/x", "/p/x"]],
  ])("may leave the shell where it was: %s", (command, deleted) => {
    expect(deletedBy(command)).toEqual(deleted);
  });

  it.each([
    ["cd none && rm -rf x", ["/p/none/x"]],
    ["cd src; rm -rf x", ["/p/src/x"]],
    ["cd src || true; rm -rf x", ["/p/src/x"]],
    ["cd src && make || echo failed; rm -rf x", ["/p/src/x"]],
    ["mkdir -p none; cd none; rm -rf x", ["/p/none/x"]],
    ["git clone u none; cd none; rm -rf x", ["/p/none/x"]],
    ["mkdir none && cd none; rm -rf x", ["/p/none/x"]],
  ])("is no doubt where it is there, or may have been made, or nothing else runs: %s", (command, deleted) => {
    expect(deletedBy(command)).toEqual(deleted);
  });
});

describe("other ways to a directory", () => {
  it.each(
    lines(`
      cd src; CDPATH=.. cd .claude; rm settings.json
      CDPATH=$HOME/work/project; cd /tmp; cd .claude; rm settings.json
      export CDPATH=/a:..; cd src; cd .claude; rm settings.json
      cd .claude; cd ..; rm ~-/settings.json
      cd .claude; cd ..; cd ~-; rm settings.json
      cd .claude; rm ~+/settings.json
      cd .claude; D=~+; cd ..; rm $D/settings.json
      rm ~+/.claude/settings.json
      cd .claude; pushd /tmp; rm ~1/.claude/settings.json`),
  )("are followed: %s", (command) => {
    expect(judgedByAll(command)).toBe("block protected-paths/host-registration");
  });
});

describe("what a trap runs", () => {
  it.each(
    lines(`
      trap -- 'rm .claude/settings.json' EXIT INT
      trap 'rm settings.json' EXIT; cd .claude
      trap 'rm settings.json' DEBUG; cd .claude; ls; cd ..
      trap 'rm settings.json' EXIT; cd .claude; exit; cd ..
      trap f EXIT; f() { rm .claude/settings.json; }
      trap 'rm $F' EXIT; F=.claude/settings.json
      (trap 'rm settings.json' EXIT; cd .claude)
      echo $(trap 'rm settings.json' EXIT; cd .claude)
      bash -c "trap 'rm settings.json' EXIT; cd .claude"
      set() { trap 'rm settings.json' EXIT; }; set; cd .claude
      eval "trap 'rm settings.json' EXIT"; cd .claude`),
  )("is judged where and with what it will run: %s", (command) => {
    expect(judgedByAll(command)).toBe("block protected-paths/host-registration");
  });

  it.each(
    lines(`
      T=$(mktemp -d); trap 'rm -rf "$T"' EXIT; cd "$T"; git init
      trap - EXIT; rm -rf dist
      trap '' INT; cd packages/a; rm -rf dist
      trap -p EXIT
      trap 'kill $PID' EXIT; npm start & PID=$!; cd e2e; npm test
      (trap 'rm settings.json' EXIT); cd .claude; ls`),
  )("is left alone like any other command: %s", (command) => {
    expect(judgedByAll(command)).toBe("none");
  });
});
