/** What runs in the shell itself changes where it stands and what it knows; what runs in a process of its own does not. */
import { describe, expect, it } from "vitest";
import { judgedByAll } from "../hooks.fixture.ts";

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

describe("a directory or a value that the shell took over from what ran in it", () => {
  it.each(
    lines(`
      { cd .claude; } < x; rm settings.json
      { cd .claude; } <<< x; rm settings.json
      if cd .claude; then :; fi < x; rm settings.json
      while cd .claude; do break; done < x; rm settings.json
      for i in 1; do cd .claude; done < x; rm settings.json
      f() { cd .claude; }; f; rm settings.json
      f() { cd "$1"; }; f src; f ../.claude; rm settings.json
      f() { D=.claude; }; f; rm $D/settings.json
      D=.claude; f() { local D=src; }; f; rm $D/settings.json
      D=.claude; f() { local D; D=src; }; f; rm $D/settings.json
      set -- .claude; f() { :; }; f src; rm $1/settings.json
      eval 'cd .claude'; rm settings.json
      eval 'D=.claude'; rm $D/settings.json
      eval 'f() { rm .claude/settings.json; }'; f
      D=.claude; D=src eval ':'; rm $D/settings.json
      builtin cd .claude; rm settings.json
      command cd .claude; rm settings.json
      . /dev/stdin <<< 'cd .claude'; rm settings.json
      source <(echo cd .claude); rm settings.json
      echo 'cd .claude' > /tmp/x.sh; . /tmp/x.sh; rm settings.json
      cd .claude; cd ..; cd -; rm settings.json
      cd .claude; pushd ..; popd; rm settings.json
      pushd .claude; pushd ..; pushd; rm settings.json
      cd .claude; popd; rm settings.json
      pushd .claude; pushd -n src; rm settings.json`),
  )("is where it is judged: %s", (command) => {
    expect(judgedByAll(command)).toBe("block protected-paths/host-registration");
  });

  it.each(
    lines(`
      EDITOR='cd /tmp/x' command true; rm .claude/settings.json
      EDITOR='cd /tmp/x' eval true; rm .claude/settings.json
      PAGER='cd /tmp/x' builtin true; rm .claude/settings.json
      /usr/bin/command cd /tmp/x; rm .claude/settings.json
      alias g='cd /tmp/x'; g; rm .claude/settings.json
      f() { return; cd /tmp/x; }; f; rm .claude/settings.json
      f() { false && cd /tmp/x; }; f; rm .claude/settings.json
      if false; then f() { cd /tmp/x; }; fi; f; rm .claude/settings.json
      f() { return; cd /tmp/x; }; f; cd .claude; rm settings.json
      f() { return; cd /tmp/x; }; f < y; bash -c 'rm .claude/settings.json'
      f() { return; cd /tmp/x; }; f; env -C .claude rm settings.json
      eval 'false && cd /tmp/x'; rm .claude/settings.json`),
  )("is not that of what runs beside it, or may not run at all: %s", (command) => {
    expect(judgedByAll(command)).toBe("block protected-paths/host-registration");
  });

  it.each(
    lines(`
      (cd .claude) < x; rm settings.json
      f() (cd .claude); f; rm settings.json
      f() { (cd .claude); }; f; rm settings.json
      f() { local D=.claude; }; D=src; f; rm $D/settings.json
      sh -c 'cd .claude'; rm settings.json
      eval 'cd .claude' | cat; rm settings.json
      pushd .claude; popd; rm settings.json
      cd .claude; cd -; rm settings.json
      go() { cd "$1" || return 1; npm test; }; go packages/a; rm -rf dist
      mkcd() { mkdir -p "$1" && cd "$1"; }; mkcd build; cmake ..; rm -rf out
      go() { [ -d "$1" ] || return 1; cd "$1"; }; go packages/a; rm -rf dist; cd ../b && rm -rf dist
      eval "$(ssh-agent -s)"; rm -rf dist`),
  )("and what it did not take over is not: %s", (command) => {
    expect(judgedByAll(command)).toBe("none");
  });
});
