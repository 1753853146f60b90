/** Lines in which a `cd` may not run. Who judges them in both places has to keep these (decision 0057). */
import { expect, it } from "vitest";
import { judgedByAll } from "./hooks.fixture.ts";

it.each([
  `[ -f a ] && cd .claude; echo '{}' > "$PWD/settings.json"`,
  `[ -f a ] && cd .claude; D=$PWD; cd /tmp; rm $D/settings.json`,
  `if [ -f a ]; then cd .claude; else ls; fi; pushd /tmp; popd; rm settings.json`,
  `if [ -f a ]; then cd .claude; else ls; fi; cd /tmp; rm $OLDPWD/settings.json`,
  `echo 'rm -rf ~' > src/x.sh; if [ -d src ]; then cd src; else mkdir src; fi; sh x.sh`,
  `mkdir a/b || cd .claude; rm settings.json`,
  `X=$(! true) || cd .claude; rm settings.json`,
  `popd || cd .claude; rm settings.json`,
  `if true; then cd .claude; exit > /nonexistent/x; fi; rm settings.json`,
  `mkdir a/b || cd ..; rm -rf project`,
])("is stopped: %s", (command) => {
  expect(judgedByAll(command)).toMatch(/^block /);
});

it.each([
  `for d in a b c d e f g h i j; do test -d /srv/$d && cd /srv/$d && git status -s; done`,
  `cd web && npm test && cd ..; cd api && npm test && cd ..; cd packages/a && npm test && cd ../..; cd src && make && cd ..; git status`,
  `if [ -d web ]; then cd web; fi; rm -rf "$PWD/dist"`,
  `set -e; cd /tmp/foo; rm -rf *`,
])("is not asked about: %s", (command) => {
  expect(judgedByAll(command)).toBe("none");
});
