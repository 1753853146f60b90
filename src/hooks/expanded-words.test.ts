/** Names that a command puts together, reads, or has another program print, are judged as if they stood there. */
import { describe, expect, it } from "vitest";
import { judgedByAll } from "./hooks.fixture.ts";

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

describe("a protected file is kept, however a command comes by its name", () => {
  it.each(
    lines(String.raw`
      a=(.claude/settings.json); rm ${"$"}{a[0]}
      a=(x .claude/settings.json); i=1; rm ${"$"}{a[$i]}
      a[0]=.claude/settings.json; rm ${"$"}{a[0]}
      a[0]=x; a[1]=.claude/settings.json; rm "${"$"}{a[@]}"
      a=(x); a+=(.claude/settings.json); rm "${"$"}{a[@]}"
      declare -A m=([x]=.claude/settings.json); rm ${"$"}{m[x]}
      f=.claude/settings.txt; rm ${"$"}{f%.txt}.json
      f=.claude/settings.a.b; rm ${"$"}{f%%.a*}.json
      f=a/b/settings.json; rm .claude/${"$"}{f##*/}
      f=x.claude/settings.json; rm ${"$"}{f#x}
      f=.claudeX/settings.json; rm ${"$"}{f/X/}
      f=.CLAUDE/SETTINGS.JSON; rm ${"$"}{f,,}
      f=.claude/settings.json.bak; rm ${"$"}{f:0:21}
      f=.claude/settings.json.bak; rm ${"$"}{f: -25:21}
      x=f; f=.claude/settings.json; rm ${"$"}{!x}
      set .claude/settings.json; rm $1
      set -- a .claude/settings.json; shift; rm $1
      set -- a b .claude/settings.json; shift 2; rm "$@"
      f() { shift; "$@"; }; f x rm .claude/settings.json
      IFS=, read a b <<< .claude,settings.json; rm $a/$b
      read -a a <<< 'x .claude/settings.json'; rm ${"$"}{a[1]}
      mapfile -t a <<< .claude/settings.json; rm "${"$"}{a[@]}"
      readarray -t a < <(echo .claude/settings.json); rm "${"$"}{a[0]}"
      printf 'a\n.claude/settings.json\n' | while read f; do rm "$f"; done
      find .claude -type f | while IFS= read -r f; do rm "$f"; done
      find .claude -type f | sort | xargs rm
      while read -r f; do rm "$f"; done < <(find .claude -name '*.json')
      for f in .claude/*; do rm $f; done
      for f in .claude/*.json; do mv "$f" "$f.bak"; done
      for f in .claude/*.txt; do mv "$f" "${"$"}{f%.txt}.json"; done
      for f in $(find .claude -type f); do sed -i s/a/b/ "$f"; done
      rm $(find .claude -name '*.json')
      F=$(find .claude -type f); rm $F
      F=$(echo x .claude/settings.json); rm $F
      rm $(ls .claude/settings.json)
      ls .claude/* | xargs rm
      cd "$(dirname .claude/settings.json)"; rm settings.json
      rm .claude/$(basename x/settings.json.bak .bak)
      rm "$(realpath .claude/settings.json)"
      echo x > ~+/.claude/settings.json`),
  )("%s", (command) => {
    expect(judgedByAll(command)).toBe("block protected-paths/host-registration");
  });
});

describe("a deletion is one, however a command comes by its words", () => {
  it.each(
    lines(`
      $(which rm) -rf ~
      R=$(command -v rm); $R -rf ~
      rm${"$"}{IFS}-rf${"$"}{IFS}/
      a[$(rm -rf ~)]=1
      for f in *; do rm -rf "$f"; done
      for d in */; do rm -rf "$d"; done
      for d in ~/*; do rm -rf $d; done
      find ~ -type f -print0 | xargs -0 -I{} rm {}
      rm -rf $(find ~ -maxdepth 1)`),
  )("%s", (command) => {
    expect(judgedByAll(command)).toMatch(/^block /);
  });
});

it.each(
  lines(`
    for f in src/*.js; do mv "$f" "${"$"}{f%.js}.ts"; done
    for f in *.yml; do mv "$f" "${"$"}{f%.yml}.yaml"; done
    for f in *.json; do jq . "$f" > "$f.tmp" && mv "$f.tmp" "$f"; done
    for d in packages/*/; do rm -rf "$d/dist" "$d/node_modules"; done
    for d in packages/*; do (cd "$d" && rm -rf dist); done
    for f in *; do echo "$f"; done
    f=src/a.ts; cp "$f" "${"$"}{f%.ts}.bak.ts"; rm "${"$"}{f%.ts}.bak.ts"
    files=(a.txt b.txt); for f in "${"$"}{files[@]}"; do rm "$f"; done
    name=$(basename src/a.ts .ts); rm -f "dist/$name.js"
    x=$(which python3); $x --version
    rm -f $(find . -name '*.tmp')
    rm -rf $(find . -name node_modules -type d)
    ls *.log | xargs rm -f
    git ls-files | while read -r f; do sed -i 's/a/b/' "$f"; done
    mapfile -t files < <(git diff --name-only); npx eslint --fix "${"$"}{files[@]}"
    set -euo pipefail; set -x; npm test
    cat > 'src/app/[id]/page.tsx' <<< x`),
)("ordinary work goes on: %s", (command) => {
  expect(judgedByAll(command)).toBe("none");
});
