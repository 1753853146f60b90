import { describe, expect, it } from "vitest";
import { judgedByAll } from "../hooks.fixture.ts";

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

describe("a protected file is protected under every name it goes by", () => {
  it.each(
    lines(String.raw`
      rm -r .hold*
      rm -rf .h*
      rm -rf .git/h*
      rm .git/h?oks/pre-commit
      rm .holdfast/t*/x
      rm .c*/s*
      mv .claud? x
      mv .[c]laude x
      echo x > .git/[c]onfig
      sed -i s/a/b/ .git/[[:alpha:]]onfig
      rm hold[f]ast.yaml
      shopt -s extglob; rm @(holdfast).yaml
      rm holdfast.@(yaml|toml)
      echo x > .claude/$name
      echo x > ".claude/$name.json"
      cp x ".holdfast/$dir/x"
      find . -name settings.json -delete
      find . -name 'settings*' -delete
      find . -name '*.json' -delete
      find . -name settings.json -exec rm {} +
      find . -name settings.json | xargs rm
      find . -name holdfast.yaml -print0 | xargs -0 rm
      find . -iname HOLDFAST.YAML -delete
      find . -name hooks -exec rm -rf {} +
      find . -path './.claude/*' -delete
      find . -path '*/hooks/*' -delete
      find . -path './.git/hook*' -delete
      find . -wholename './holdfast.yaml' -delete
      find . -regex '.*/holdfast\.yaml' -delete
      git mv settings.json .claude/
      git mv x/settings.json .claude
      git mv evil/hooks .holdfast/
      git mv evil/.claude .
      cd $DIR && echo x > holdfast.yaml
      cd "$DIR"; rm .claude/settings.json
      pushd "$DIR" && sed -i s/a/b/ holdfast.yaml
      cd - && cp x holdfast.yaml
      cd "$(mktemp -d)/.." && cp x holdfast.yaml`),
  )("%s", (command) => {
    expect(judgedByAll(command)).toMatch(/^block /);
  });

  it.each(
    lines(String.raw`
      rm -rf node_*
      rm -f .git/*.lock
      rm *.[ch]
      rm -rf build* dist* .next*
      rm src/[a-m]*.json
      rm .github/*.md
      rm -f ".git/$name.lock"
      echo x > ./$name.yaml
      echo x > .claude/commands/$name.md
      echo x > .github/$name.md
      git mv docs/a.md .claude/commands/
      git mv a.ts b.ts
      find . -name '*.pyc' -delete
      find . -name __pycache__ -exec rm -rf {} +
      find . -name '*.bak' | xargs rm
      find . -name .DS_Store -print0 | xargs -0 rm
      find . -path './node_modules/*' -delete
      find . -path '*/__pycache__/*' -delete
      find src -name settings.json -delete
      find . -name settings.json
      find . -regex '.*\.orig' -delete
      cd "$DIR" && echo x > result.json
      cd "$DIR" && npm install
      T=$(mktemp -d) && cd "$T/p" && mkdir .claude && echo x > .claude/settings.json
      ssh host 'echo x > holdfast.yaml'
      ssh host 'cd app && cp settings.json .claude/'`),
  )("while everyday work goes on: %s", (command) => {
    expect(judgedByAll(command)).toBe("none");
  });
});

describe("a wildcard is judged by the files that are there", () => {
  const plain = { "a.txt": "", "b.yaml": "", "x/c.yaml": "", ".cache/x": "", "src/d.ts": "" };

  it.each([
    "gzip *",
    "vim *",
    "sed -i s/a/b/ *",
    "dos2unix *.yaml",
    "rm *.yaml",
    "rm -r .c*",
    "cp x/*.yaml .",
    "mv x/* .",
    "cp x/* .claude/",
    "ls && gzip *",
    "cd x && gzip *",
    "sudo rm *.yaml",
  ])("which are nobody's: %s", (command) => {
    expect(judgedByAll(command, plain)).toBe("none");
  });

  it.each([
    ["gzip *", { "holdfast.yaml": "" }],
    ["rm *.yaml", { "holdfast.yaml": "" }],
    ["rm -r .c*", { ".claude/settings.json": "" }],
    ["cp x/*.yaml .", { "x/holdfast.yaml": "" }],
    ["cp x/* .claude/", { "x/settings.json": "" }],
    ["cp -r x/* .github/", { "x/hooks/a": "" }],
    ["mv x/h* .", { "x/holdfast.yaml": "" }],
  ])("or ours: %s", (command, more) => {
    expect(judgedByAll(command, { ...plain, ...more })).toMatch(/^block protected-paths\//);
  });

  it.each([
    ["something else in the line may put them there", "make && cp x/*.yaml ."],
    ["the line itself puts them there", "cp /tmp/y x/ && cp x/*.yaml ."],
    ["the wildcard finds names with a dot in front", "shopt -s dotglob; gzip *"],
    ["more than the last part is a wildcard", "rm */*.yaml *.yaml"],
    ["it is no wildcard of the shell's", "find . -type f -exec sed -i s/a/b/ {} +"],
  ])("but not where %s: %s", (_, command) => {
    expect(judgedByAll(command, plain)).toMatch(/^block protected-paths\//);
  });

  it.each(["/home/person/proj (1)", "/home/person/proj?", "/home/person/*"])("in a project at %s too", (project) => {
    const files = { ".claude/settings.json": "", "a.yaml": "", "holdfast.yaml": "", "src/x": "" };
    for (const command of ["rm .claude/*", "rm .claude/s*", "rm *.yaml", "rm -rf .c*/*", "cp src/../*.yaml ."])
      expect([command, judgedByAll(command, files, project)]).toEqual([command, expect.stringMatching(/^block /)]);
    for (const command of ["rm a*.yaml", "rm src/*"])
      expect([command, judgedByAll(command, files, project)]).toEqual([command, "none"]);
  });
});

describe("a project whose own path has characters of wildcards in it", () => {
  const commands = lines(`
    rm -rf .claude
    rm -rf .holdfast
    rm -rf .git/hooks
    rm .claude/settings.json
    rm .claude/s*
    rm .c*/s*
    rm .[c]laude/settings.json
    mv .claud? x
    echo x > .git/[c]onfig
    tar xf a.tar -C .holdfast/hooks`);
  const projects = ["/srv/[app]/site", "/srv/a*b/site", "/srv/what?/site", "/srv/site [1]", "/home/person/[x]"];

  it.each(projects.flatMap((project) => commands.map((command) => [project, command] as const)))(
    "is protected like others: in %s, %s",
    (project, command) => {
      expect(judgedByAll(command, undefined, project)).toMatch(/^block/);
    },
  );

  it.each(projects)("and everyday work goes on in %s", (project) => {
    for (const command of [
      "rm -rf dist",
      "rm src/*.js",
      "rm .cache/s*",
      "rm app/[slug]/page.tsx",
      "rm -rf 'app/[slug]'",
    ])
      expect(judgedByAll(command, undefined, project)).toBe("none");
  });
});

it.each([
  String.raw`rm .claude/[s\]]ettings.json`,
  String.raw`rm .claude/[s\]x]ettings.json`,
  "rm .claude/[]s]ettings.json",
])("a bracket with a bracket in it is a wildcard: %s", (command) => {
  expect(judgedByAll(command)).toMatch(/^block/);
});
