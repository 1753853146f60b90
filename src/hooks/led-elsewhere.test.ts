/** Names that lead elsewhere: links and mounts that the line makes itself, CDPATH, copies of scripts. */
import { describe, expect, it } from "vitest";
import { judgedByAll } from "./hooks.fixture.ts";

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

describe("what is done under another name is done to the file itself", () => {
  it.each(
    lines(`
      ln -s .claude c && rm c/settings.json
      ln -s .claude c; cp x c/settings.json
      ln .claude/settings.json y && echo x > y
      ln -s $PWD/.claude/settings.json y; echo x > y
      ln -s ../.claude/settings.json src/y; echo x > src/y
      ln -s .claude a; ln -s a b; rm b/settings.json
      ln -st src ../.claude; rm src/.claude/settings.json
      cp -l .claude/settings.json y; echo x > y
      cp -s $PWD/.claude/settings.json y; echo x > y
      true || ln -s /tmp/x .claude; rm .claude/settings.json
      docker run --rm -v $PWD:/w -w /w alpine rm .claude/settings.json
      docker run --rm -v "$PWD":/w alpine sh -c 'echo x > /w/.claude/settings.json'
      podman run --mount type=bind,source=.,target=/w alpine rm /w/.claude/settings.json
      CDPATH=$PWD/.claude cd x; rm ../settings.json
      CDPATH=.claude; cd sub; rm ../settings.json`),
  )("a protected file is kept: %s", (command) => {
    expect(judgedByAll(command)).toBe("block protected-paths/host-registration");
  });

  it.each(
    lines(`
      ln -s ~ h; rm -rf h/
      ln -s / r && rm -rf r/etc
      docker run --rm -v $PWD:/w -w /w alpine rm -rf .
      docker run --rm -v $HOME:/w -w /w/work alpine rm -rf project
      CDPATH=/ cd etc; rm -rf *
      echo 'rm -rf ~' > x; mv x y; sh y
      echo 'rm -rf ~' > x; cp x bin/y; ./bin/y
      echo 'rm -rf ~' > x; cp x bin; sh bin/x`),
  )("and so is what a deletion would take: %s", (command) => {
    expect(judgedByAll(command)).toMatch(/^block /);
  });

  it.each(
    lines(`
      ln -s ../shared shared && ls shared
      ln -sfn releases/2 current && rm -rf current/cache
      ln -s a b; ln -s b a; rm a/x
      ln -s $PWD/src /tmp/x && rm /tmp/x
      ln -sf ../../node_modules/.bin/tsc bin/tsc
      docker run --rm -v "$PWD":/app -w /app node:20 npm ci
      docker run --rm -v "$PWD":/app -w /app node:20 rm -rf node_modules
      docker run --rm -v data:/var/lib/postgresql/data -w /tmp postgres:16 rm -rf x
      CDPATH= cd -- src && rm -rf dist
      echo 'npm test' > x.sh; mv x.sh y.sh; sh y.sh
      cp template.sh run.sh; sh run.sh`),
  )("while everyday work goes on: %s", (command) => {
    expect(judgedByAll(command)).toBe("none");
  });
});
