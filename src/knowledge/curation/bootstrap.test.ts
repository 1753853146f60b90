import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { git } from "../base/git.fixture.ts";
import { readTree } from "../base/tree.ts";
import { knowledgeSettings } from "../settings.ts";
import { bootstrap } from "./bootstrap.ts";
import { accept, keepForLater, reject, undo } from "./curate.ts";
import { type ScratchCuration, scratchCuration } from "./curation.fixture.ts";
import { readQueue } from "./queue.ts";
import { splitDocument } from "./split-document.ts";

let curation: ScratchCuration;
beforeEach(() => {
  curation = scratchCuration();
  git(curation.base.root, "init", "-q");
});
afterEach(() => curation.base.remove());

const LONG = "The runner starts every test file in a process of its own, and kills what is left of it afterwards. ";
const doc = (path: string, text: string) => {
  const file = join(curation.base.root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};
const read = (docs = {}) => bootstrap(curation, knowledgeSettings({ docs }).docs);
const outcomes = async (docs = {}) =>
  Object.fromEntries((await read(docs)).documents.map(({ path, outcome }) => [path, outcome]));

describe("bootstrap", () => {
  it("makes proposals of documents and writes no node", async () => {
    doc("docs/testing.md", `# Testing\n\n## The runner\n\n${LONG}\n\n## Licence\n\n${LONG}`);
    expect(await read()).toEqual({
      documents: [{ path: "docs/testing.md", outcome: "proposed", proposals: 1 }],
      proposals: 1,
    });
    const { proposals } = await readQueue(curation.places);
    expect(proposals.map(({ candidate, source }) => [candidate.title, source.reference])).toEqual([
      ["Testing: The runner", "docs/testing.md"],
    ]);
    expect(readTree(curation.places.nodesDir).nodes).toEqual([]);
  });

  it("reads what did not change no second time, and what was decided is not proposed again", async () => {
    doc("docs/a.md", `# A\n\n${LONG}`);
    await read();
    expect(await outcomes()).toEqual({ "docs/a.md": "unchanged" });
    const [proposal] = (await readQueue(curation.places)).proposals;
    if (!proposal) throw new Error("nothing was proposed");
    await accept(curation, proposal, proposal.candidate, "");
    curation.base.write(".state/bootstrap-state.json", "{");
    expect(await outcomes()).toEqual({ "docs/a.md": "known" });
    expect((await readQueue(curation.places)).proposals).toEqual([]);
    doc("docs/a.md", `# A\n\n${LONG}And more.`);
    await read();
    expect((await readQueue(curation.places)).proposals).toHaveLength(1);
  });

  it("after an edit proposes only the section that changed, in place of what waited of it", async () => {
    const text = (middle: string) => `# Doc\n\n## One\n\n${LONG}\n\n## Two\n\n${LONG}${middle}\n\n## Three\n\n${LONG}`;
    const titles = async () => (await readQueue(curation.places)).proposals.map(({ candidate }) => candidate.body);
    doc("a.md", text("Old."));
    await read();
    const [first, second] = (await readQueue(curation.places)).proposals;
    if (!first || !second) throw new Error("nothing was proposed");
    await reject(curation, first);
    await keepForLater(curation, second);
    doc("a.md", text("New."));
    expect((await read()).documents).toEqual([{ path: "a.md", outcome: "proposed", proposals: 1, superseded: 1 }]);
    expect((await titles()).sort()).toEqual([LONG.trim(), `${LONG}New.`]);
    doc("a.md", text("Old."));
    await read();
    expect((await titles()).sort()).toEqual([LONG.trim(), `${LONG}Old.`]);
    doc("a.md", "# Doc\n");
    expect((await read()).documents).toMatchObject([{ outcome: "empty", superseded: 2 }]);
    expect(await titles()).toEqual([]);
  });

  it("proposes a section again that was taken out and put back, as often as that happens", async () => {
    const waiting = async () => (await readQueue(curation.places)).proposals.map(({ candidate }) => candidate.title);
    for (let turn = 0; turn < 3; turn++) {
      doc("a.md", `# Setup\n\n${LONG}`);
      expect((await read()).proposals).toBe(1);
      expect(await waiting()).toEqual(["Setup"]);
      doc("a.md", "");
      await read();
      expect(await waiting()).toEqual([]);
    }
  });

  it("takes back what waits of a document that is deleted or renamed, keeps what was decided, and reads it anew when it is back", async () => {
    const text = `# A\n\n## One\n\n${LONG}\n\n## Two\n\n${LONG}`;
    const waiting = async () =>
      (await readQueue(curation.places)).proposals.map(({ candidate, source }) => [candidate.title, source.reference]);
    doc("docs/a.md", text);
    doc("b.md", `# B\n\n${LONG}`);
    await read();
    const [first] = (await readQueue(curation.places)).proposals;
    if (!first) throw new Error("nothing was proposed");
    await accept(curation, first, first.candidate, "");
    const all = await waiting();
    expect(all).toHaveLength(2);
    git(curation.base.root, "add", ".");
    rmSync(join(curation.base.root, "docs/a.md"));
    rmSync(join(curation.base.root, "b.md"));
    const below = knowledgeSettings({}).docs;
    expect((await bootstrap(curation, below, { dryRun: true })).documents).toMatchObject([{}, {}]);
    expect(await waiting()).toEqual(all);
    await bootstrap(curation, below, { from: "docs" });
    const left = first.source.reference === "b.md" ? [] : [["B", "b.md"]];
    expect(await waiting()).toEqual(left);
    await read();
    expect(await waiting()).toEqual([]);
    expect(readTree(curation.places.nodesDir).nodes).toHaveLength(1);
    doc("docs/a.md", text);
    doc("b.md", `# B\n\n${LONG}`);
    await read();
    expect((await waiting()).sort()).toEqual(all.sort());
  });

  describe("what a person put off", () => {
    const other = (text: string) => `# B\n\n## Two\n\n${LONG}${text}`;
    const queue = async () =>
      (await readQueue(curation.places)).proposals.map(({ candidate, isLater }) => [candidate.title, isLater]).sort();
    const named = async (title: string) => {
      const found = (await readQueue(curation.places)).proposals.find(({ candidate }) => candidate.title === title);
      if (!found) throw new Error(`nothing is proposed as ${title}`);
      return found;
    };
    const branch = (name: string) => git(curation.base.root, "checkout", "-q", ...name.split(" "));
    const commit = () => {
      git(curation.base.root, "add", "a.md", "b.md");
      git(curation.base.root, "commit", "-qm", "docs");
    };
    beforeEach(async () => {
      doc("a.md", `# A\n\n${LONG}`);
      doc("b.md", other(""));
      commit();
      branch("-b one");
      await read();
      await keepForLater(curation, await named("A"));
      await keepForLater(curation, await named("B: Two"));
    });

    it.each([
      ["is not there", () => git(curation.base.root, "rm", "-q", "a.md", "b.md")],
      [
        "says something else",
        () => {
          doc("a.md", `# A\n\n${LONG}Differently.`);
          doc("b.md", other("Differently."));
          git(curation.base.root, "add", "a.md", "b.md");
        },
      ],
    ])("stays put off, though its document %s on a branch that was read meanwhile", async (_, change) => {
      for (const turn of ["two", "three"]) {
        branch(`-b ${turn}`);
        change();
        git(curation.base.root, "commit", "-qm", turn);
        await read();
        branch("one");
        await read();
        expect(await queue()).toEqual([
          ["A", true],
          ["B: Two", true],
        ]);
      }
      await undo(curation, (await named("A")).origin);
      expect(await queue()).toContainEqual(["A", false]);
      doc("b.md", other("And more."));
      await read();
      expect(await queue()).toEqual([
        ["A", false],
        ["B: Two", false],
      ]);
    });

    it("stays so when the process was killed before it was put off again", async () => {
      doc("a.md", "# A\n");
      await read();
      doc("a.md", `# A\n\n${LONG}`);
      // Only its first write is made: the proposals.
      const stopped: ScratchCuration["exclusively"] = (lockFile, work) =>
        curation.exclusively(lockFile, () => {
          let writes = 0;
          return work({ isHeld: () => ++writes === 1 });
        });
      const killed = bootstrap({ ...curation, exclusively: stopped }, knowledgeSettings().docs);
      await expect(killed).rejects.toThrow("was lost");
      expect(await queue()).toContainEqual(["A", false]);
      await read();
      expect(await queue()).toContainEqual(["A", true]);
    });

    it("is no newer a decision for it: the latest is still taken back first", async () => {
      await reject(curation, await named("B: Two"));
      doc("a.md", "# A\n");
      await read();
      doc("a.md", `# A\n\n${LONG}`);
      await read();
      expect((await undo(curation)).decision).toBe("rejected");
    });
  });

  it("takes back what waits of documents in a folder that became a file, and reads the others", async () => {
    doc("docs/a.md", `# A\n\n${LONG}`);
    await read();
    git(curation.base.root, "add", ".");
    rmSync(join(curation.base.root, "docs"), { recursive: true });
    doc("docs", "no folder any more");
    doc("b.md", `# B\n\n${LONG}`);
    await read();
    expect((await readQueue(curation.places)).proposals.map(({ source }) => source.reference)).toEqual(["b.md"]);
  });

  it("that lost its lock proposes nothing, and reads the document again the next time", async () => {
    doc("a.md", `# Setup\n\n${LONG}`);
    const robbed: ScratchCuration["exclusively"] = (lockFile, work) =>
      curation.exclusively(lockFile, (lock) => {
        rmSync(lockFile);
        return work(lock);
      });
    await expect(bootstrap({ ...curation, exclusively: robbed }, knowledgeSettings().docs)).rejects.toThrow("was lost");
    expect(curation.base.all()).toEqual({});
    expect(await outcomes()).toEqual({ "a.md": "proposed" });
  });

  it("reads documents while another changes the base", async () => {
    doc("a.md", `# Setup\n\n${LONG}`);
    const exclusively: ScratchCuration["exclusively"] = (lockFile, work) => {
      // By the time the lock is asked for, the document was read.
      doc("a.md", "# Nothing\n");
      return curation.exclusively(lockFile, work);
    };
    expect((await bootstrap({ ...curation, exclusively }, knowledgeSettings().docs)).proposals).toBe(1);
  });

  it("leaves out what lies in folders of tools, such as our own skills, unless the config names it", async () => {
    doc(".claude/skills/holdfast-add/SKILL.md", `# Skill\n\n${LONG}`);
    doc("docs/.internal/notes.md", `# Notes\n\n${LONG}`);
    expect(await outcomes()).toEqual({});
    expect(await outcomes({ include: ["docs/**"] })).toEqual({ "docs/.internal/notes.md": "proposed" });
  });

  it("leaves out what git ignores, what teaches nothing, links, our own pages and what the config says", async () => {
    const text = `# T\n\n${LONG}`;
    for (const path of [
      "a.md",
      "LICENSE.md",
      "CHANGELOG.md",
      "ignored.md",
      "deep/b.md",
      "deep/c.md",
      "notes.txt",
      ".holdfast/knowledge/ENTRY.md",
    ])
      doc(path, text);
    doc(".gitignore", "ignored.md\n");
    symlinkSync("/etc/hostname", join(curation.base.root, "link.md"));
    expect(await outcomes({ exclude: ["deep/c.md"] })).toEqual({
      "a.md": "proposed",
      "deep/b.md": "proposed",
      "link.md": "skipped",
    });
    expect(Object.keys(await outcomes({ include: ["*.txt"] }))).toEqual(["notes.txt"]);
  });

  it("secrets in documents do not get into proposals", async () => {
    doc("a.md", `# Setup\n\n${LONG} Use AKIAIOSFODNN7EXAMPLE with ghp_abcdefghijklmnopqrstuvwxyz0123456789.`);
    await read();
    expect(JSON.stringify((await readQueue(curation.places)).proposals)).not.toMatch(/ghp_abcdef/);
  });

  it("with --dry-run nothing is written", async () => {
    doc("a.md", `# Setup\n\n${LONG}`);
    const { proposals } = await bootstrap(curation, knowledgeSettings().docs, { dryRun: true });
    expect(proposals).toBe(1);
    expect(curation.base.all()).toEqual({});
  });
});

describe("a document is cut", () => {
  it("at its headings, and a # in a block of code is none", () => {
    const text = `---\nx: 1\n---\n# Build\n\n${LONG}\n\n\`\`\`sh\n# not a heading\n\`\`\`\n\n## Never push to main\n\n${LONG}\n`;
    expect(splitDocument("docs/build.md", text)).toMatchObject([
      { type: "map", title: "Build", tags: ["build", "docs"], description: LONG.trim().slice(0, 139).trim() },
      { type: "practice", title: "Build: Never push to main" },
    ]);
    expect(splitDocument("docs/build.md", text)[0]?.body).toContain("# not a heading");
  });

  it("in parts where a section is too long, between paragraphs, and no word of it is lost", () => {
    const paragraphs = Array.from({ length: 90 }, (_, at) => `Paragraph ${at}: ${LONG.trim()}`);
    const parts = splitDocument("x.md", `# Long\n\n${paragraphs.join("\n\n")}\n`);
    expect(parts.map(({ title }) => title)).toEqual(["Long (1)", "Long (2)"]);
    expect(parts.flatMap(({ body }) => body.split("\n\n"))).toEqual(paragraphs);
    for (const { body } of parts) expect(body.length).toBeLessThanOrEqual(6000);
  });

  it("in the middle of a block of code only between lines, and each part is a block again", () => {
    const lines = Array.from({ length: 400 }, (_, at) => `  const value${at} = compute(${at});`);
    const parts = splitDocument("x.md", `# Code\n\n\`\`\`ts\n${lines.join("\n")}\n\`\`\`\n`);
    expect(parts.length).toBeGreaterThan(1);
    for (const { body } of parts) expect(body).toMatch(/^```ts\n[\s\S]*\n```$/);
    expect(parts.flatMap(({ body }) => body.split("\n").filter((line) => !line.startsWith("```")))).toEqual(lines);
  });

  it("a line without end between words, and one without words between characters", () => {
    const words = Array.from({ length: 2000 }, (_, at) => `word${at}`);
    const bodies = (text: string) => splitDocument("x.md", `# Long\n\n${text}`).map(({ body }) => body);
    expect(bodies(words.join(" ")).flatMap((body) => body.split(" "))).toEqual(words);
    const faces = `a${"😀".repeat(7000)}`;
    expect(bodies(faces).join("")).toBe(faces);
    for (const body of bodies(faces)) expect(Buffer.from(body).toString()).toBe(body);
  });

  it("the same way every time", () => {
    const text = `# A\n\n${LONG}\n## B\n${LONG}`;
    expect(splitDocument("x.md", text)).toEqual(splitDocument("x.md", text));
  });
});
