import { describe, expect, it } from "vitest";
import { judgedByAll } from "../hooks.fixture.ts";

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** Programs that nobody thinks of as writing: into a directory, by an option, in place, from an archive or the network. */
describe("a protected file is protected from whatever writes it", () => {
  it.each(
    lines(String.raw`
      cp /tmp/holdfast.yaml .
      cp /tmp/settings.json .claude/
      cp -t .claude /tmp/settings.json
      cp -r /tmp/evil/.claude .
      cp -r /tmp/evil/. .claude/
      cp -r /tmp/evil/hooks .git/
      cp -r evil/. .claude
      cp evil/* .holdfast/
      cp evil/* .claude/
      cp evil/*.json .claude/
      cp evil/settings* .claude/
      cp evil/hold* .
      cp -r evil/* .github/
      cp -r evil/h* .github/
      mv "$f" .claude/
      mv evil/* .github/
      rsync -a evil/ .git/
      rsync -a evil/ .github/
      rm .claude/settings*
      mv /tmp/settings.json .claude/
      ln -s /tmp/x holdfast.local.yaml
      ln -s /tmp/settings.json .claude/settings.local.json
      ln -sfn /tmp/evil .claude
      rsync -a /tmp/holdfast.yaml .
      rsync -a /tmp/evil/ .git/hooks/
      rsync --remove-source-files holdfast.yaml /tmp/
      scp host:/x/pre-commit .git/hooks/
      tar xf /tmp/a.tar -C .git/hooks
      tar --directory=.claude -xf /tmp/a.tar
      tar -cf /tmp/a.tar --remove-files holdfast.yaml
      unzip -o /tmp/a.zip -d .git/hooks
      7z x /tmp/a.7z -o.git/hooks
      cpio -idm -D .git/hooks < /tmp/a.cpio
      cd .git/hooks && tar xf a.tar
      cd .git/hooks && unzip a.zip
      cd .git/hooks && cpio -id < a.cpio
      cd .claude && 7z x a.7z
      cd .holdfast && curl -s https://x.example/a.tgz | tar xz
      tar xf evil.tar holdfast.yaml
      tar xf evil.tar -C . .claude
      tar xf evil.tar --wildcards '*.yaml'
      unzip evil.zip holdfast.yaml
      unzip -j evil.zip x/holdfast.yaml
      7z x evil.7z holdfast.yaml
      zip -m /tmp/a.zip holdfast.yaml
      gzip holdfast.yaml
      gunzip holdfast.yaml.gz
      sed -i 's/block/allow/' *
      sed -i 's/block/allow/' .claude/*
      sed -i 's/block/allow/' $(git rev-parse --show-toplevel)/*
      truncate -s 0 *
      perl -pi -e 's/block/allow/' *
      find . -type f -exec sed -i 's/block/allow/' {} +
      find . -type f -print0 | xargs -0 sed -i 's/block/allow/'
      sed -n 'w holdfast.yaml' /tmp/x
      sed 's/a/b/w holdfast.yaml' /tmp/x
      awk 'BEGIN{f="holdfast.yaml"; print "x" > f}'
      awk -v f=holdfast.yaml 'BEGIN{print "x" > f}'
      sort --output=holdfast.yaml /tmp/x
      sort /tmp/x -oholdfast.yaml
      uniq /tmp/x holdfast.yaml
      split -b 1 /tmp/x .git/hooks/
      openssl enc -base64 -in /tmp/x -out holdfast.yaml
      gpg --output holdfast.yaml --decrypt /tmp/x
      curl -sSLo .git/hooks/pre-commit https://x.example/y
      curl https://x.example/pre-commit --output-dir .git/hooks -O
      (cd .git/hooks && curl -O https://x.example/pre-commit)
      curl -D holdfast.yaml https://x.example
      wget -O holdfast.yaml https://x.example/y
      wget -P .git/hooks https://x.example/pre-commit
      vim -es -c '%d' -c wq holdfast.yaml
      vim -es -c 'w! holdfast.yaml' -c q /tmp/x
      ex -sc '%s/a/b/|x' holdfast.yaml
      printf '1d\nw\nq\n' | ed -s holdfast.yaml
      printf 'w holdfast.yaml\nq\n' | ed -s /tmp/x
      vim -c 'call writefile([], "holdfast.yaml")' -c q
      emacs --batch --eval '(write-region "" nil "holdfast.yaml")'
      yq -i '.guards = {}' holdfast.yaml
      npx prettier --write .claude/settings.json
      sd a b holdfast.yaml
      dos2unix holdfast.yaml
      rename s/holdfast/x/ holdfast.yaml
      patch holdfast.yaml /tmp/p
      patch -p1 <<< '+++ b/holdfast.yaml'
      git apply <<< '+++ b/holdfast.yaml'
      git mv holdfast.yaml x.yaml
      git stash push -- holdfast.yaml
      git archive HEAD -o holdfast.yaml
      git diff --output=holdfast.yaml
      git format-patch -o .git/hooks HEAD~1
      find . -fprintf holdfast.yaml x
      find . -name holdfast.yaml -delete
      find . -name 'holdfast.y*' -delete
      find . -maxdepth 1 -name 'holdfast*' -exec rm {} \;
      rm hold*
      rm *.yaml
      chattr +i holdfast.yaml
      cat x > $(git rev-parse --show-toplevel)/holdfast.yaml
      cat x > "$DIR/holdfast.yaml"
      rm -rf "$(git rev-parse --show-toplevel)/.claude"
      root=$(git rev-parse --show-toplevel); rm -rf "$root/.holdfast"
      python3 -c 'import os; os.symlink("/tmp/x","holdfast.local.yaml")'
      node -e 'require("fs").linkSync("/tmp/x","holdfast.local.yaml")'`),
  )("%s", (command) => {
    expect(judgedByAll(command)).toMatch(/^block protected-paths\//);
  });

  it.each(
    lines(`
      sed -e p .env
      cut -c1- .env
      paste .env
      diff .env /dev/null
      perl -pe '' .env
      dd if=.env
      tar cf - .env
      sort .env`),
  )("and a secret from whatever shows it: %s", (command) => {
    expect(judgedByAll(command)).toMatch(/^ask /);
  });

  it.each(
    lines(`
      rm -rf "$BUILD_DIR"/*
      rm -rf "$APP/.claude"
      git clone https://x.example/y "$dir" && rm -rf "$dir/.git"`),
  )("what is deleted in a directory nobody knows is asked about, as ever: %s", (command) => {
    expect(judgedByAll(command)).toBe("ask filesystem/delete-unknown");
  });

  it.each(
    lines(`
      cp -r template/. .
      cp *.md docs/
      cp src/* .
      cp docs/* .github/
      cp docs/*.md .github/
      mv *.yml .github/
      rsync -a docs/ .github/ISSUE_TEMPLATE/
      chmod +x "$BIN_DIR"/*
      gzip "$LOGS"/*
      mv "$tmp"/* dist/
      prettier --write "$DIR"/*
      rm -f "$OUT"/*.yaml
      rm src/*.json
      sed -i s/a/b/ src/*
      cp notes.md .claude/
      cp package.json /tmp/
      mv tmp.json package.json
      ln -s ../shared/commands .claude/commands
      rsync -av --delete dist/ build/
      scp user@host:/tmp/a.txt logs/
      tar -xzf vendor.tgz -C vendor
      sudo tar -C /usr/local -xzf go1.22.tar.gz
      tar czf /tmp/backup.tgz .claude
      unzip a.zip -d vendor
      tar xf a.tar
      tar xzf a.tgz --strip-components=1
      tar xf a.tar -O holdfast.yaml
      tar xf a.tar docs
      tar xzf x.tgz package/package.json
      unzip a.zip
      unzip -p a.zip holdfast.yaml
      unzip a.zip '*.json' -d out
      unzip a.zip -x '*.md'
      7z x a.7z
      cd vendor && tar xf a.tar
      cd /opt && sudo tar xf a.tgz
      cd ~/Downloads && unzip a.zip
      cd "$TMP" && tar xf a.tgz
      curl -s https://x.example/a.tgz | tar xz
      gunzip -c data.gz > data
      sed -e 's/show /etc/' -e 's/x/y/' a.txt
      awk -v n=5 '$1 > n {print}' data.csv
      sort -u -o list.txt list.txt
      sort holdfast.yaml
      diff holdfast.yaml /tmp/other.yaml
      curl -sSL https://x.example/a.tgz | tar xz -C vendor
      wget -q -P /tmp https://x.example/a.tgz
      vim -c ':set nu' src/a.ts
      npx prettier --write .
      npx prettier --write *
      npx eslint --fix *
      black *
      mv "$f" .github/
      git mv docs/a.md docs/old/
      git stash push -m wip src/a.ts
      git format-patch -1 -o /tmp/patches
      find . -name '*.pyc' -delete
      find src -name '*.js' -exec sed -i 's/a/b/' {} +
      rm *.log
      echo x > $OUT/result.json`),
  )("while everyday work goes on: %s", (command) => {
    expect(judgedByAll(command)).toBe("none");
  });
});
