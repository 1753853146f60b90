import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { exclusively, newNode } from "../../src/knowledge/base/base.fixture.ts";
import { addNode } from "../../src/knowledge/base/change-nodes.ts";
import { knowledgePlaces } from "../../src/knowledge/places.ts";
import { it, type Machine } from "../program.ts";

const places = ({ projectDir }: Machine) => knowledgePlaces(projectDir);
const knowledge = (machine: Machine, ...args: string[]) => machine.cli(["knowledge", ...args]);

async function withNodes(machine: Machine, ...titles: string[]): Promise<void> {
  machine.write("project/holdfast.yaml", "knowledge: { enabled: true }\n");
  mkdirSync(places(machine).nodesDir, { recursive: true });
  for (const title of titles) await addNode({ places: places(machine), exclusively }, newNode(title), {});
}

describe("holdfast knowledge search", () => {
  it("finds nodes by another form of a word, and by one that is mistyped", async ({ machine }) => {
    await withNodes(machine, "Rotation of signing keys", "Small commits");
    for (const words of [["rotating", "keys"], ["rotaton"]]) {
      const { code, stdout } = await knowledge(machine, "search", ...words);
      expect(code).toBe(0);
      expect(stdout).toContain("Rotation of signing keys");
      expect(stdout).not.toContain("Small commits");
    }
  });

  it("says so where nothing is found, and names what could not be searched every time", async ({ machine }) => {
    await withNodes(machine, "Small commits");
    writeFileSync(join(places(machine).nodesDir, "practice-bad.md"), "no front matter");
    for (let at = 0; at < 2; at++) {
      const { stdout, stderr } = await knowledge(machine, "search", "zanzibar");
      expect(stdout).toContain("no node is about that");
      expect(stderr).toContain("practice-bad.md");
    }
  });

  it("gives programs id, file and score", async ({ machine }) => {
    await withNodes(machine, "Small commits");
    const { results } = JSON.parse((await knowledge(machine, "search", "commits", "--json")).stdout);
    expect(results).toMatchObject([{ id: "practice-small-commits", path: "practice-small-commits.md" }]);
    expect(results[0].score).toBeGreaterThan(0);
  });
});
