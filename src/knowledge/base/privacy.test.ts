import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ScratchBase, scratchBase } from "./base.fixture.ts";
import { commitAll, git } from "./git.fixture.ts";
import { withIgnoreLines } from "./ignore-lines.ts";
import { privacy } from "./privacy.ts";

let base: ScratchBase;
beforeEach(() => {
  base = scratchBase();
});
afterEach(() => base.remove());

const ignoring = (text: string) => writeFileSync(base.places.ignoreFile, text);

describe("what people said in sessions", () => {
  it("is private where git ignores it, however the lines are written and wherever they stand", async () => {
    git(base.root, "init", "-q");
    ignoring("# ours\r\n/_sessions\r\n/_logs\r\n/_*\r\n.state/\r\n");
    expect(await privacy(base.places)).toEqual({ kind: "private" });
    ignoring("");
    writeFileSync(join(base.root, ".gitignore"), ".holdfast/\n");
    expect(await privacy(base.places)).toEqual({ kind: "private" });
  });

  it("is not private where a line lets it in again, though all our lines are there", async () => {
    git(base.root, "init", "-q");
    ignoring(`${withIgnoreLines(undefined)}!/_sessions/\n`);
    expect(await privacy(base.places)).toEqual({ kind: "exposed", folders: [".holdfast/knowledge/_sessions"] });
    ignoring("");
    expect(await privacy(base.places)).toMatchObject({ kind: "exposed", folders: { length: 4 } });
  });

  it("is not private once it was committed, whatever is ignored since", async () => {
    git(base.root, "init", "-q");
    base.write("_sessions/20260105-0800-x.md", "secret");
    commitAll(base.root, "all of it");
    ignoring(withIgnoreLines(undefined));
    expect(await privacy(base.places)).toEqual({
      kind: "tracked",
      files: [".holdfast/knowledge/_sessions/20260105-0800-x.md"],
    });
  });

  it("outside git is private where the lines are there for when it comes into one", async () => {
    expect(await privacy(base.places)).toMatchObject({ kind: "exposed" });
    ignoring(withIgnoreLines(undefined));
    expect(await privacy(base.places)).toEqual({ kind: "private" });
  });
});
