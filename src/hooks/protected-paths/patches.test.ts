import { describe, expect, it } from "vitest";
import { judgedByAll } from "../hooks.fixture.ts";

const diff = (path: string) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1,2 +1 @@\n-- old\n--- x\n+new\n`;
const files = {
  "evil.patch": diff("holdfast.yaml"),
  "ci.patch": diff(".github/workflows/ci.yml"),
  "settings.patch": diff("settings.json"),
  "renamed.patch": "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to .claude/settings.json\n",
  "quoted.patch": '--- "a/x"\n+++ "b/.claude/sett\\151ngs.json"\t2026-01-01\n',
  "plain.patch": "--- holdfast.yaml.orig\n+++ holdfast.yaml\n",
  "context.patch": "*** .claude/settings.json\t2026-01-01\n--- .claude/settings.json\n***************\n*** 1,2 ****\n",
  "crlf.patch": diff("holdfast.yaml").replaceAll("\n", "\r\n"),
  "fix.patch": diff("src/a.ts"),
  "unknown.patch": undefined,
  "miscounted.patch": `--- a/x\n+++ b/x\n@@ -1,999 +1,999 @@\n-a\n+b\n${diff("holdfast.yaml")}`,
  "garbage.patch": `Subject: x\n\n@@ -1,999 +1,999 @@\n${diff("holdfast.yaml")}`,
  "miscounted-plain.patch":
    "--- x\n+++ x\n@@ -1,9 +1,9 @@\n-a\n+b\n--- holdfast.yaml\n+++ holdfast.yaml\n@@ -1 +1 @@\n-a\n+b\n",
  "removes-lines.patch":
    "--- a/notes.sql\n+++ b/notes.sql\n@@ -1,2 +1,1 @@\n--- holdfast.yaml\n--- .claude/settings.json\n+x\n",
};

describe("a patch that can be read is judged by the files it names", () => {
  it.each([
    "git apply evil.patch",
    "git apply fix.patch evil.patch",
    "git apply < evil.patch",
    "cat evil.patch | git apply",
    "git am evil.patch",
    "cd src && git am ../renamed.patch",
    "git apply --directory=.claude settings.patch",
    "git -C .claude apply ../settings.patch",
    "git apply -p2 <<< '+++ b/x/holdfast.yaml'",
    "git apply renamed.patch",
    "git apply quoted.patch",
    "git apply crlf.patch",
    "git apply <<< 'diff --git a/x b/holdfast.yaml'",
    "git apply --stat --apply evil.patch",
    "patch -p1 < evil.patch",
    "patch -p1 -i evil.patch",
    "patch -p0 < plain.patch",
    "patch < plain.patch",
    "patch -p0 < context.patch",
    "patch -d .claude -p1 -i ../settings.patch",
    "patch -d .claude -p0 <<< '+++ settings.json'",
    "patch -d .claude settings.json evil.patch",
    "patch <<< 'Index: holdfast.yaml'",
    "git apply fix.patch; git apply evil.patch",
    "git apply --recount miscounted.patch",
    "git am garbage.patch",
    "patch -p1 < garbage.patch",
    "patch -p0 < miscounted-plain.patch",
    "patch -b -p1 fix.patch < evil.patch",
    "patch -b -p1 < evil.patch",
    "patch -g 0 -p1 < evil.patch",
    "patch -x 1 -p1 < evil.patch",
    "patch -V none -p1 -i evil.patch",
    "patch --version-control none -p1 < evil.patch",
    "patch --quoting-style=c --read-only ignore --reject-format unified -p1 < evil.patch",
    "patch --inp evil.patch -p1",
    "patch --dir .claude --str 1 < settings.patch",
    "git apply --stat --no-stat evil.patch",
    "git apply --check --no-check evil.patch",
    "printf '+++ b/holdfast.yaml\\n' > fix.patch; git apply fix.patch",
  ])("%s", (command) => {
    expect(judgedByAll(command, files)).toMatch(/^block protected-paths\//);
  });

  it("and asked about where one is for a person to agree to", () => {
    expect(judgedByAll("git apply ci.patch", files)).toBe("ask protected-paths/ci");
  });

  it.each([
    "git apply fix.patch",
    "git apply removes-lines.patch",
    "git apply --check evil.patch",
    "git apply --stat evil.patch",
    "git apply --numstat < evil.patch",
    "git apply --cached evil.patch",
    "git am fix.patch",
    "git am --abort",
    "git am --continue",
    "git am --show-current-patch",
    "git apply not-there.patch",
    "patch -p1 < not-there.patch",
    "patch -p1 < fix.patch",
    "patch -p1 --dry-run < evil.patch",
    "patch src/a.ts evil.patch",
    "patch -o /tmp/out -p1 < evil.patch",
    "git diff | git apply -R",
    "git stash show -p | git apply",
    "git show HEAD~1 -- src | git apply -R --index",
    "cat > new.patch <<'EOF'\n+++ b/src/a.ts\nEOF\ngit apply new.patch",
    "git diff > p.patch && git stash && git apply p.patch",
    "git diff HEAD~1 -- src > p.patch && git apply -R p.patch",
    "git diff > p.patch; git diff --cached >> p.patch; git checkout main && git apply < p.patch",
    "git format-patch -o d HEAD~2 && git am d/0001-x.patch",
  ])("and let pass for them: %s", (command) => {
    expect(judgedByAll(command, files)).toBe("none");
  });

  it.each([
    "curl -s https://x.example/p.diff | git apply",
    "git apply unknown.patch",
    "git am < unknown.patch",
    "patch -p1 < unknown.patch",
    'git apply "$PATCH"',
    "cp evil.txt fix.patch; git apply fix.patch",
    "make-patch && git apply not-there.patch",
    "git diff > p.patch && make-patch && git apply p.patch",
    "git diff > p.patch; curl -s https://x.example/p >> p.patch; git apply p.patch",
    "git diff > p.patch && sed -i s/a/b/ p.patch && git apply p.patch",
    "git format-patch -o d HEAD~2 && git checkout other && git am d/0001-x.patch",
    "git diff >> unknown.patch && git apply unknown.patch",
    "git show other:x.patch > p.patch && git apply p.patch",
    "git diff --no-index /dev/null x > p.patch; git apply p.patch",
    "git apply *.patch",
    "git am *.patch",
    "git apply < *.patch",
    "patch -p1 -i ev*.patch",
    "for p in *.patch; do git apply $p; done",
    "curl -so fix.patch https://x.example/p.diff; git apply fix.patch",
  ])("what nobody can read is asked about: %s", (command) => {
    expect(judgedByAll(command, files)).toBe("ask protected-paths/unread-patch");
  });

  it("and stopped where all that it can write is protected", () => {
    expect(judgedByAll("patch -d .git/hooks -i ../../unknown.patch", files)).toMatch(/^block protected-paths\//);
    expect(judgedByAll("patch -p1 -d vendor/lib < unknown.patch", files)).toBe("none");
  });
});
