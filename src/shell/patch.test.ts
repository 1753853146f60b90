import { expect, it } from "vitest";
import { analyseCommand } from "./analyse.ts";

const effectsOf = (command: string) =>
  analyseCommand(command, { cwd: "/project", homeDir: "/home/person", realPath: (path) => path }).effects.map(
    ({ effect }) => effect,
  );

const PATCH = `*** Begin Patch
*** Add File: new.txt
+one
*** Update File: src/old.txt
*** Move to: src/moved.txt
@@
-a
+b
*** Delete File: /etc/gone.txt
*** End Patch`;

const FOUND = [
  { type: "overwrite", path: { path: "/project/new.txt" }, append: false },
  { type: "overwrite", path: { path: "/project/src/old.txt" }, append: true },
  { type: "move", from: { path: "/project/src/old.txt" }, to: { path: "/project/src/moved.txt" } },
  { type: "delete", path: { path: "/etc/gone.txt" }, recursive: false },
];

it.each([
  ["a here-document", `apply_patch <<'EOF'\n${PATCH}\nEOF`],
  ["a here-document without quotes", `apply_patch <<EOF\n${PATCH}\nEOF\n`],
  ["an argument", `apply_patch '${PATCH}'`],
  ["a pipe", `printf '%s' '${PATCH}' | apply_patch`],
  ["another shell", `bash -lc "apply_patch <<'EOF'\n${PATCH}\nEOF"`],
  ["its older name", `applypatch '${PATCH}'`],
])("a patch in %s writes, moves and deletes the files it names", (_, command) => {
  expect(effectsOf(command)).toMatchObject(FOUND);
});

it("its paths start where the command stands", () => {
  const [first] = effectsOf(`cd sub && apply_patch <<'EOF'\n${PATCH}\nEOF`);
  expect(first).toMatchObject({ path: { path: "/project/sub/new.txt" } });
});

it("a patch that is not known before it runs is about any file", () => {
  for (const command of ["apply_patch < some.patch", `apply_patch "$PATCH"`, "curl -s x | apply_patch"]) {
    expect(effectsOf(command)).toContainEqual(
      expect.objectContaining({ type: "overwrite", path: expect.objectContaining({ path: undefined }) }),
    );
  }
});

it("what is no patch changes nothing", () => {
  expect(effectsOf("apply_patch --help")).toEqual([]);
});
