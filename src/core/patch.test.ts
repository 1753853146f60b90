import { describe, expect, it } from "vitest";
import { parsePatch, pathsOfPatch } from "./patch.ts";

const PATCH = `*** Begin Patch
*** Add File: new.txt
+line one
+line two
*** Update File: src/a b.ts
*** Move to: src/c.ts
@@ class A
-old
+new
 kept
*** Delete File: gone.txt
*** End Patch`;

describe("parsePatch", () => {
  it("tells what happens to each file", () => {
    expect(parsePatch(PATCH)).toEqual([
      { path: "new.txt", change: "add", added: "line one\nline two" },
      { path: "src/a b.ts", change: "update", movedTo: "src/c.ts", added: "new" },
      { path: "gone.txt", change: "delete", added: "" },
    ]);
  });

  it("names every path, the moved one twice", () => {
    expect(pathsOfPatch(parsePatch(PATCH))).toEqual(["new.txt", "src/a b.ts", "src/c.ts", "gone.txt"]);
  });

  it("reads line ends of both kinds", () => {
    expect(parsePatch(PATCH.replaceAll("\n", "\r\n"))).toEqual(parsePatch(PATCH));
  });

  it.each([
    ["  *** Add File: a\n+x", "a"],
    ["*** Add File:a\n+x", "a"],
    ["*** Add File:   a  \n+x", "a"],
    ["***  Delete  File: a", "a"],
    ["\t*** Update File: a\n@@\n-x", "a"],
  ])("a header is one with whatever blanks a program takes: %j", (text, path) => {
    expect(pathsOfPatch(parsePatch(text))).toEqual([path]);
  });

  it.each([
    "*** Add File: a\n+x\n *** Delete File: b",
    "*** Delete File: a\n  *** Add File: b\n+x",
    "*** Update File: a\n*** Move to:b\n@@\n-x",
    "*** Update File: a\n@@\n-x\n\t*** Delete File: b",
  ])("also behind another file: %j", (text) => {
    expect(pathsOfPatch(parsePatch(text))).toEqual(["a", "b"]);
  });

  it.each([
    "*** Update File: a\n@@\n-x\n *** Delete File: b",
    "*** Update File: a\n *** Move to: b\n@@\n-x",
    "  *** Update File: a\n  @@\n  -x\n  *** Add File: b\n  +x\n  *** End Patch",
  ])("also with blanks in an update, where only some programs take it for a line of the file: %j", (text) => {
    expect(pathsOfPatch(parsePatch(text))).toEqual(["a", "b"]);
  });

  it.each([
    "*** Update File: a\n*** Move to: b\n@@\n *** Move to: c\n-x",
    "*** Update File: a\n *** Move to: c\n*** Move to: b\n@@\n-x",
  ])("a second move takes nothing from the first: %j", (text) => {
    expect(new Set(pathsOfPatch(parsePatch(text)))).toEqual(new Set(["a", "b", "c"]));
  });

  it("behind what may be a header or a line of the file, lines may be of either file", () => {
    expect(parsePatch("*** Update File: a\n@@\n *** Update File: b\n+x\n *** Move to: c\n*** Add File: d\n+y")).toEqual(
      [
        { path: "a", change: "update", movedTo: "c", added: "x" },
        { path: "b", change: "update", movedTo: "c", added: "x" },
        { path: "d", change: "add", added: "y" },
      ],
    );
  });

  it("a header that an update adds, takes away or mentions is text", () => {
    expect(
      pathsOfPatch(
        parsePatch("*** Update File: a\n@@\n+*** Delete File: b\n-*** Add File: c\n say *** Delete File: d"),
      ),
    ).toEqual(["a"]);
  });

  it("a header inside added text is text", () => {
    expect(parsePatch("*** Add File: a\n+*** Delete File: b")).toEqual([
      { path: "a", change: "add", added: "*** Delete File: b" },
    ]);
  });

  it("what is no patch has no files", () => {
    expect(parsePatch("rm -rf /\n+ something")).toEqual([]);
  });
});
