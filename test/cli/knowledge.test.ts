import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { exclusively, newNode, nodeFile } from "../../src/knowledge/base/base.fixture.ts";
import { addNode } from "../../src/knowledge/base/change-nodes.ts";
import { readTree } from "../../src/knowledge/base/tree.ts";
import type { Candidate } from "../../src/knowledge/curation/contracts.ts";
import { addBatch } from "../../src/knowledge/curation/proposal-files.ts";
import { knowledgePlaces } from "../../src/knowledge/places.ts";
import { it, type Machine } from "../program.ts";
import { noTerminal, onTerminal } from "./terminal.ts";

const places = ({ projectDir }: Machine) => knowledgePlaces(projectDir);
const open = (machine: Machine) => ({ places: places(machine), exclusively });
const ids = (machine: Machine) => readTree(places(machine).nodesDir).nodes.map(({ id }) => id);
const knowledge = (machine: Machine, ...args: string[]) => machine.cli(["knowledge", ...args]);
const asJson = async (machine: Machine, ...args: string[]) =>
  JSON.parse((await knowledge(machine, ...args, "--json")).stdout);
const project = (machine: Machine, path: string) => machine.read(`project/${path}`);

const proposed = (title: string): Candidate => {
  const { relatesTo: _, dependsOn: __, derivedFrom: ___, ...candidate } = newNode(title);
  return candidate;
};
const HELD = { isHeld: () => true };
const propose = (machine: Machine, ...titles: string[]) =>
  titles.map((title) => {
    const batch = { from: "docs/a.md", madeAt: "2026-01-01T00:00:00Z", candidates: [proposed(title)] };
    return `${addBatch({ places: places(machine), lock: HELD }, "docs", batch).id}:practice:0`;
  });

describe("holdfast knowledge init", () => {
  it("N-1 N-7 N-8 makes a base, switches it on, and tells agents of it; a second time changes no byte", async ({
    machine,
  }) => {
    machine.write("project/AGENTS.md", "# Ours\n");
    machine.write("project/.gitignore", "dist/\n");
    machine.write("project/holdfast.yaml", "# my rules\nversion: 1\n");
    expect((await knowledge(machine, "init", "--hosts", "claude-code,codex")).code).toBe(0);
    expect(project(machine, "holdfast.yaml")).toBe("# my rules\nversion: 1\n\nknowledge:\n  enabled: true\n");
    expect(project(machine, ".gitignore")).toBe("dist/\n");
    expect(project(machine, ".holdfast/knowledge/.gitignore")).toBe(
      "/_sessions/\n/_logs/\n/_proposals/\n/.state/\n.*.tmp\n",
    );
    expect(project(machine, "AGENTS.md")).toMatch(/^# Ours\n\n<!-- >>> holdfast:knowledge >>> -->/);
    expect(project(machine, ".claude/skills/holdfast-curate/SKILL.md")).toBe(
      project(machine, ".agents/skills/holdfast-curate/SKILL.md"),
    );
    expect((await asJson(machine, "status")).enabled).toBe(true);
    const again = await asJson(machine, "init", "--hosts", "claude-code,codex");
    expect(again).toMatchObject({ changes: [], pages: [] });
  });

  it("A13-16 --remove gives every file its old bytes back, and nodes stay", async ({ machine }) => {
    machine.write("project/AGENTS.md", "# Ours");
    await knowledge(machine, "init", "--hosts", "claude-code");
    await addNode(open(machine), newNode("Kept"));
    expect((await knowledge(machine, "init", "--remove")).code).toBe(0);
    expect(project(machine, "AGENTS.md")).toBe("# Ours");
    expect(existsSync(join(machine.projectDir, "holdfast.yaml"))).toBe(false);
    expect(existsSync(join(machine.projectDir, ".claude/skills/holdfast-add/SKILL.md"))).toBe(false);
    expect(ids(machine)).toEqual(["practice-kept"]);
  });

  it.for([
    ["yaml", "version: 1\n", "\n# my rules\nredact: true\n"],
    ["toml", "version = 1\n", "\n# my rules\n[notices]\nquiet = true\n"],
  ] as const)(
    "--remove takes its lines out of a holdfast.%s that people wrote on behind them",
    async ([format, before, behind], { machine }) => {
      machine.write(`project/holdfast.${format}`, before);
      await knowledge(machine, "init");
      machine.write(`project/holdfast.${format}`, project(machine, `holdfast.${format}`) + behind);
      expect((await knowledge(machine, "init", "--remove")).code).toBe(0);
      expect(project(machine, `holdfast.${format}`)).toBe(before + behind);
    },
  );

  it.for([
    ["yaml", "version: 1\n\nknowledge:\n  enabled: true\n  lint_every: 7\n"],
    ["toml", "version = 1\n\n[knowledge]\nenabled = true\nlint_every = 7\n"],
    ["json", '{ "version": 1, "knowledge": { "enabled": true } }\n'],
  ] as const)(
    "--remove never says it is off while a holdfast.%s that people changed has it on",
    async ([format, text], { machine }) => {
      await knowledge(machine, "init", "--hosts", "claude-code");
      rmSync(join(machine.projectDir, "holdfast.yaml"));
      machine.write(`project/holdfast.${format}`, text);
      const { code, stdout, stderr } = await knowledge(machine, "init", "--remove");
      expect(code).not.toBe(0);
      expect(stderr).toMatch(new RegExp(`still on in .*holdfast.${format}`));
      expect(stdout).not.toContain("switched off");
      expect(project(machine, `holdfast.${format}`)).toBe(text);
      expect(existsSync(join(machine.projectDir, ".claude/skills/holdfast-add/SKILL.md"))).toBe(true);
    },
  );

  it("--remove leaves the starter file that holdfast init wrote, with or without the switch in it", async ({
    machine,
  }) => {
    await machine.cli(["init", "--hosts", "claude-code"]);
    const starter = machine.read("project/holdfast.yaml");
    expect((await knowledge(machine, "init", "--remove")).code).toBe(0);
    expect(machine.read("project/holdfast.yaml")).toBe(starter);
    await knowledge(machine, "init", "--hosts", "claude-code");
    expect(machine.read("project/holdfast.yaml")).not.toBe(starter);
    expect((await knowledge(machine, "init", "--remove")).code).toBe(0);
    expect(machine.read("project/holdfast.yaml")).toBe(starter);
    await machine.cli(["uninstall"]);
    expect(existsSync(join(machine.projectDir, "holdfast.yaml"))).toBe(false);
  });

  it("--remove says that another config still has it on", async ({ machine }) => {
    await knowledge(machine, "init");
    machine.write("config/holdfast.yaml", "knowledge:\n  enabled: true\n");
    const { code, stdout } = await knowledge(machine, "init", "--remove");
    expect([code, stdout]).toEqual([1, expect.stringContaining("another config switches it on here")]);
    expect(stdout).not.toContain("switched off");
  });

  it("N-4 a config in which somebody switched it off is not changed over their head", async ({ machine }) => {
    machine.write("project/holdfast.yaml", "knowledge: { enabled: false }\n");
    const { code, stderr } = await knowledge(machine, "init");
    expect(code).not.toBe(0);
    expect(stderr).toContain("set knowledge.enabled to true there yourself");
    expect(project(machine, "holdfast.yaml")).toBe("knowledge: { enabled: false }\n");
    expect(existsSync(places(machine).dir)).toBe(false);
  });

  it("N-6 after an update it refreshes our skills and the block, and leaves the config as people have it", async ({
    machine,
  }) => {
    await knowledge(machine, "init", "--hosts", "claude-code");
    const skill = ".claude/skills/holdfast-add/SKILL.md";
    const [text, block] = [project(machine, skill), project(machine, "AGENTS.md")];
    const config = "knowledge:\n  enabled: true\n  lint_every: 7 # ours\n";
    machine.write("project/holdfast.yaml", config);
    machine.write(`project/${skill}`, `${text}\nOf an older version.\n`);
    machine.write("project/AGENTS.md", block.replace(/\n(?=<!-- <<< holdfast)/, "\nOf an older version.\n"));
    expect((await knowledge(machine, "init", "--hosts", "claude-code")).code).toBe(0);
    expect([skill, "AGENTS.md", "holdfast.yaml"].map((path) => project(machine, path))).toEqual([text, block, config]);
  });

  it("a skill of somebody else under our name stays as it is", async ({ machine }) => {
    machine.write("project/.claude/skills/holdfast-add/SKILL.md", "mine");
    await knowledge(machine, "init", "--hosts", "claude-code");
    expect(project(machine, ".claude/skills/holdfast-add/SKILL.md")).toBe("mine");
  });

  it("a session that stands in a subdirectory finds the same base", async ({ machine }) => {
    await knowledge(machine, "init");
    mkdirSync(join(machine.projectDir, "deep/er"), { recursive: true });
    const { code, stdout } = await machine.cli(["knowledge", "status", "--json"], {
      cwd: join(machine.projectDir, "deep/er"),
    });
    expect({ code, enabled: JSON.parse(stdout).enabled }).toEqual({ code: 0, enabled: true });
  });

  it("without a base every command says how to start one", async ({ machine }) => {
    for (const verb of ["status", "lint", "index", "curate", "doctor", "prune", "bootstrap"]) {
      const { code, stderr } = await knowledge(machine, verb);
      expect({ verb, code, tells: stderr.includes("holdfast knowledge init") }).toEqual({ verb, code: 3, tells: true });
    }
  });
});

describe("holdfast knowledge add", () => {
  it("N-48 prints the id and nothing else; the body may come on stdin", async ({ machine }) => {
    await knowledge(machine, "init");
    const args = [
      "knowledge",
      "add",
      "--type",
      "map",
      "--title",
      "The queue",
      "--description",
      "Where jobs wait",
      "--tags",
      "jobs",
      "--folder",
      "parts",
    ];
    const first = await machine.run(args, { stdin: "It is in `src/queue`.\n" });
    expect(first).toMatchObject({ code: 0, stdout: "map-the-queue\n", stderr: "" });
    expect((await machine.run(args, { stdin: "Another." })).stdout).toBe("map-the-queue-2\n");
    expect(project(machine, ".holdfast/knowledge/nodes/parts/map-the-queue.md")).toContain("It is in `src/queue`.");
    expect((await knowledge(machine, "lint")).code).toBe(0);
  });

  it("N-48 what is wrong is said before anything is written", async ({ machine }) => {
    await knowledge(machine, "init");
    const good = ["add", "--type", "map", "--title", "x", "--description", "y", "--body", "z"];
    const wrong = [
      ["add", "--type", "maps", "--title", "x"],
      ["add", "--type", "map", "--description", "y", "--body", "z"],
      [...good, "--folder", "../x"],
      [...good, "--relates-to", "map-none"],
      [...good, "--slug", "Not A Slug"],
      [...good, "--from", "file"],
    ];
    for (const args of wrong) expect((await knowledge(machine, ...args)).code, args.join(" ")).not.toBe(0);
    expect(ids(machine)).toEqual([]);
  });

  it("--propose writes no node: it waits for a person", async ({ machine }) => {
    await knowledge(machine, "init");
    const { stdout } = await knowledge(
      machine,
      "add",
      "--propose",
      "--type",
      "map",
      "--title",
      "x",
      "--description",
      "y",
      "--body",
      "z",
    );
    expect(ids(machine)).toEqual([]);
    const { proposals } = await asJson(machine, "curate", "--list");
    expect(proposals.map(({ origin }: { origin: string }) => `${origin}\n`)).toEqual([stdout]);
  });
});

describe("holdfast knowledge curate", () => {
  it("N-49 decides by flags, for skills and scripts", async ({ machine }) => {
    await knowledge(machine, "init");
    const [one = "", two = "", three = "", four = ""] = propose(machine, "One", "Two", "Three", "Four");
    await addNode(open(machine), newNode("Zebra", { description: "Stripes", tags: ["zoo"] }), { folder: "zoo" });
    expect(await asJson(machine, "curate", "--accept", one, "--folder", "a")).toMatchObject({
      decision: "accepted",
      nodeId: "practice-one",
    });
    expect(await asJson(machine, "curate", "--merge", two, "--into", "practice-zebra")).toMatchObject({
      decision: "merged",
    });
    expect(
      await asJson(machine, "curate", "--contradict", three, "--into", "practice-zebra", "--reason", "no"),
    ).toMatchObject({ decision: "conflict" });
    expect(await asJson(machine, "curate", "--later", four)).toMatchObject({ decision: "later" });
    expect(await asJson(machine, "curate", "--reject", four)).toMatchObject({ decision: "rejected" });
    expect(await asJson(machine, "curate", "--list")).toMatchObject({ proposals: [] });
    expect(await asJson(machine, "curate", "--undo", one)).toMatchObject({ origin: one, nodeId: "practice-one" });
    expect(ids(machine)).toEqual(["practice-zebra"]);
    expect(await asJson(machine, "status")).toMatchObject({ proposals: { open: 1 }, conflicts: 1 });
  });

  it("N-49 carries out a skill's actions from stdin, tells what failed, and exits with 1 then", async ({ machine }) => {
    await knowledge(machine, "init");
    const [one = "", two = ""] = propose(machine, "One", "Two");
    const action = (origin: string, home: string, title: string) => ({
      action: "add",
      candidate_origin: origin,
      target_node_id: null,
      proposed_node: proposed(title),
      rationale: "why",
      home_folder: home,
    });
    const actions = JSON.stringify([action(one, "a", "One"), action(two, "../b", "Two")]);
    const { code, stdout } = await machine.run(["knowledge", "curate", "--actions", "-", "--json"], { stdin: actions });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ written: 1, failed: 1 });
    expect(ids(machine)).toEqual(["practice-one"]);
  });

  it("N-50 actions that do not fit are refused whole, each place named, in JSON and in YAML", async ({ machine }) => {
    await knowledge(machine, "init");
    const json = await machine.run(["knowledge", "curate", "--actions", "-"], { stdin: '[{"action":"add"}]' });
    expect(json.code).not.toBe(0);
    expect(json.stderr).toContain('0.candidate_origin missing field "candidate_origin"');
    const yaml = machine.write("project/actions.yaml", "- action: remove\n");
    const { code, stdout } = await knowledge(machine, "validate", "knowledge-actions", yaml);
    expect(code).toBe(1);
    expect(stdout).toContain('0.action must be one of add, modify, contradict, drop, not "remove"');
    expect(JSON.parse((await machine.cli(["schema", "knowledge-actions"])).stdout)).toMatchObject({ type: "array" });
    expect((await knowledge(machine, "validate", "knowledge-action", yaml)).stderr).toContain(
      "did you mean knowledge-actions?",
    );
  });

  it("without a terminal it asks nothing and says what to use", async ({ machine }) => {
    await knowledge(machine, "init");
    const { code, stderr } = await machine.run(["knowledge", "curate"]);
    expect(code).toBe(3);
    expect(stderr).toContain("--accept");
  });

  it.skipIf(noTerminal)(
    "a person reviews proposals one by one: edits and accepts, rejects, takes it back",
    async ({ machine }) => {
      await knowledge(machine, "init");
      propose(machine, "First idea", "Second idea", "Third \u001b[31m idea");
      const editor = machine.write("editor.sh", '#!/bin/sh\nsed -i "s/All about/Everything about/" "$1"\n');
      const terminal = onTerminal(machine, ["knowledge", "curate"], { env: { EDITOR: `sh '${editor}'` } });
      const DOWN = "\u001b[B";
      const choose = (steps: number) => terminal.type(`${DOWN.repeat(steps)}\r`);
      await terminal.shows("(3 left)");
      choose(1);
      await terminal.shows("In which folder");
      terminal.type("\u007f".repeat(20));
      terminal.type("ideas\r");
      await terminal.shows("accepted");
      await terminal.shows("(2 left)");
      choose(4);
      await terminal.shows("rejected");
      await terminal.shows("(1 left)");
      choose(6);
      await terminal.shows("taken back");
      // Nothing new is shown before the question comes again; this ends it in either state.
      terminal.type("\u0003");
      const { code, screen } = await terminal.ended;
      expect(code).toBe(130);
      expect(screen).not.toContain("\u001b[31m idea");
      const { nodes } = readTree(places(machine).nodesDir);
      expect(nodes).toHaveLength(1);
      expect(nodes[0]).toMatchObject({ folder: "ideas", body: expect.stringContaining("Everything about") });
      expect((await asJson(machine, "curate", "--list")).proposals).toHaveLength(2);
    },
  );
});

describe("a person at a terminal, while others decide too", () => {
  it.skipIf(noTerminal)("takes back what they decided last, not what somebody decided since", async ({ machine }) => {
    await knowledge(machine, "init");
    propose(machine, "First idea", "Second idea", "Third idea");
    const origins = async () =>
      (await asJson(machine, "curate", "--list")).proposals.map(({ origin }: { origin: string }) => origin);
    const [first, second, third] = await origins();
    const terminal = onTerminal(machine, ["knowledge", "curate"]);
    const choose = (steps: number) => terminal.type(`${"\u001b[B".repeat(steps)}\r`);
    await terminal.shows("(3 left)");
    choose(4);
    await terminal.shows("rejected");
    await terminal.shows("(2 left)");
    expect((await knowledge(machine, "curate", "--reject", third)).code).toBe(0);
    choose(6);
    await terminal.shows("taken back");
    terminal.type("\u0003");
    await terminal.ended;
    expect(await origins()).toEqual([first, second]);
  });
});

describe("holdfast knowledge index, lint, prune, bootstrap", () => {
  it("N-44 N-45 lint exits with 1 for errors only, and index refuses a base that cannot be read", async ({
    machine,
  }) => {
    await knowledge(machine, "init");
    await addNode(open(machine), newNode("Alone"));
    expect(await knowledge(machine, "lint")).toMatchObject({ code: 0, stdout: expect.stringContaining("orphan") });
    machine.write("project/.holdfast/knowledge/nodes/map-bad.md", "x");
    expect(await knowledge(machine, "lint")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("unreadable-node"),
    });
    expect(await knowledge(machine, "index")).toMatchObject({ code: 3, stderr: expect.stringContaining("map-bad.md") });
  });

  it("N-45 index says that nothing differs, writes nothing then, and --dry-run writes nothing ever", async ({
    machine,
  }) => {
    await knowledge(machine, "init");
    machine.write("project/.holdfast/knowledge/nodes/map-a.md", nodeFile("map-a"));
    const entry = join(places(machine).dir, "ENTRY.md");
    const before = statSync(entry).mtimeMs;
    expect((await asJson(machine, "index", "--dry-run")).written).toContain(".holdfast/knowledge/ENTRY.md");
    expect(statSync(entry).mtimeMs).toBe(before);
    expect((await asJson(machine, "index")).written).toContain(".holdfast/knowledge/ENTRY.md");
    expect(await knowledge(machine, "index")).toMatchObject({ code: 0, stdout: "up to date: 1 node\n" });
  });

  it("N-45 --stage puts into git's index what was written, and nothing when nothing differs", async ({ machine }) => {
    const git = (...args: string[]) => execFileSync("git", args, { cwd: machine.projectDir, encoding: "utf8" });
    git("init", "-q");
    await knowledge(machine, "init");
    machine.write("project/.holdfast/knowledge/nodes/map-a.md", nodeFile("map-a"));
    expect((await knowledge(machine, "index", "--stage")).code).toBe(0);
    expect(git("diff", "--cached", "--name-only").trim().split("\n")).toEqual([
      ".holdfast/knowledge/ENTRY.md",
      ".holdfast/knowledge/GRAPH.md",
      ".holdfast/knowledge/nodes/index.md",
    ]);
    git("reset", "-q");
    await knowledge(machine, "index", "--stage");
    expect(git("diff", "--cached", "--name-only")).toBe("");
  });

  it("search finds nodes by what they say, and says when none does", async ({ machine }) => {
    await knowledge(machine, "init");
    await addNode(open(machine), newNode("The job queue", { body: "Workers take jobs from the queue in order." }));
    await addNode(
      open(machine),
      newNode("Colours of the page", { description: "Which palette the page has", body: "Green." }),
    );
    const { results } = await asJson(machine, "search", "how", "does", "the", "job", "queue", "work");
    expect(results[0]).toMatchObject({ id: "practice-the-job-queue" });
    expect(await knowledge(machine, "search", "zebra")).toMatchObject({ code: 1, stdout: "no node is about that\n" });
  });

  it("bootstrap makes proposals of documents that git has", async ({ machine }) => {
    execFileSync("git", ["init", "-q"], { cwd: machine.projectDir });
    await knowledge(machine, "init");
    machine.write(
      "project/docs/tests.md",
      `# Tests\n\n${"Every test file runs in a process of its own. ".repeat(4)}\n`,
    );
    expect(await asJson(machine, "bootstrap")).toMatchObject({
      proposals: 1,
      documents: [{ path: "docs/tests.md", outcome: "proposed" }],
    });
    expect(await asJson(machine, "bootstrap")).toMatchObject({ proposals: 0, documents: [{ outcome: "unchanged" }] });
    expect(ids(machine)).toEqual([]);
  });

  it("N-58 prune takes a number of days, and nothing else", async ({ machine }) => {
    await knowledge(machine, "init");
    machine.write("project/.holdfast/knowledge/_logs/x.jsonl", "1");
    expect(await asJson(machine, "prune", "--days", "1")).toMatchObject({ deleted: [] });
    expect((await knowledge(machine, "prune", "--days", "soon")).code).toBe(3);
  });
});

describe("holdfast knowledge doctor", () => {
  const grades = (sections: { title: string; findings: { check: string; grade: string }[] }[], title: string) =>
    Object.fromEntries(
      sections.find((section) => section.title === title)?.findings.map(({ check, grade }) => [check, grade]) ?? [],
    );

  it("N-51 warnings leave exit code 0, errors make it 1, each with what mends it", async ({ machine }) => {
    await knowledge(machine, "init", "--hosts", "claude-code");
    await machine.cli(["init", "--hosts", "claude-code"]);
    await addNode(open(machine), newNode("Alone", { derivedFrom: ["docs/gone.md"] }));
    const fine = await knowledge(machine, "doctor", "--json");
    const { sections } = JSON.parse(fine.stdout);
    expect(fine.code).toBe(0);
    expect(grades(sections, "Knowledge")).toMatchObject({
      config: "good",
      private: "good",
      nodes: "good",
      lint: "warning",
      sources: "warning",
    });
    expect(grades(sections, "Claude Code")).toMatchObject({ registered: "good", skills: "good", called: "note" });
    rmSync(join(places(machine).dir, ".gitignore"));
    machine.write("project/.holdfast/knowledge/nodes/bad.md", "x");
    const bad = await knowledge(machine, "doctor");
    expect(bad.code).toBe(1);
    expect(bad.stdout).toContain("what people said in sessions could be committed");
    expect(bad.stdout).toContain("holdfast knowledge lint");
  });

  it("N-51 A13-7 a host that is used here and does not call us is an error that says what to run", async ({
    machine,
  }) => {
    await knowledge(machine, "init", "--hosts", "claude-code");
    const { code, stdout } = await knowledge(machine, "doctor");
    expect(code).toBe(1);
    expect(stdout).toContain("holdfast init --hosts claude-code");
  });

  it("A13-17 a config that is wrong is an error of doctor, not a silent switch", async ({ machine }) => {
    await knowledge(machine, "init", "--hosts", "claude-code");
    machine.write("project/holdfast.yaml", "knowledge: { enable: true }\n");
    const { code, stdout } = await knowledge(machine, "doctor");
    expect(code).toBe(1);
    expect(stdout).toContain('unknown key "enable"');
  });
});
