import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { waitingSessions } from "../attention/signals.ts";
import { newNode, nodeFile } from "../base/base.fixture.ts";
import { addNode } from "../base/change-nodes.ts";
import { readTree } from "../base/tree.ts";
import { performActions, readActions, withoutDoubles } from "./actions.ts";
import { conflictFiles } from "./conflicts.ts";
import { type Action, CONTRACTS, problemText } from "./contracts.ts";
import { accept, keepForLater, merge, reject, setAgainst, undo } from "./curate.ts";
import { candidate, type ScratchCuration, scratchCuration } from "./curation.fixture.ts";
import { addBatch } from "./proposal-files.ts";
import { proposeNode } from "./propose.ts";
import { type Proposal, proposalNamed, readQueue } from "./queue.ts";
import { settleSessions } from "./settle.ts";
import { similarNodes, suggestedFolder } from "./similar.ts";

let curation: ScratchCuration;
beforeEach(() => {
  curation = scratchCuration();
});
afterEach(() => curation.base.remove());

const queue = () => readQueue(curation.places);
const origins = async () => (await queue()).proposals.map(({ origin }) => origin);
const named = async (name: string) => proposalNamed(await queue(), name);
const HELD = { isHeld: () => true };
const nodes = () => readTree(curation.places.nodesDir).nodes;
const ids = () => nodes().map(({ id }) => id);

describe("the queue", () => {
  it("holds every proposal nobody has decided on, of sessions and of documents", async () => {
    curation.session("s1", [candidate("One"), candidate("Two", { type: "map" })]);
    curation.session("s2", [candidate("Three")], { curator_processed_at: "2026-01-01T00:00:00Z" });
    curation.session("s3", [], { proposal_status: "pending" });
    addBatch({ ...curation, lock: HELD }, "docs", {
      from: "docs/a.md",
      madeAt: "2026",
      candidates: [candidate("Four")],
    });
    const found = await queue();
    expect(found.proposals.map(({ candidate: { title } }) => title)).toEqual(["One", "Two", "Four"]);
    expect(found).toMatchObject({ problems: [], pendingSessions: 1 });
  });

  it("a proposal that does not fit, and a log that cannot be read, are told and hide no other", async () => {
    curation.session("s1", [candidate("One"), { ...candidate("Two"), confidence: "sure" as "high" }]);
    curation.base.write("_sessions/20260105-0900-bad.md", "no log");
    const found = await queue();
    expect(found.proposals.map(({ origin }) => origin)).toEqual(["s1:practice:0"]);
    expect(found.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining("no front matter"),
      expect.stringContaining("confidence must be one of low, medium, high"),
    ]);
  });

  it("a proposal is named by the beginning of its origin where that is enough", async () => {
    curation.session("s1", [candidate("One"), candidate("Two")]);
    expect((await named("s1:practice:1")).candidate.title).toBe("Two");
    await expect(named("s1")).rejects.toThrow("begins the names of 2 proposals");
    await expect(named("s9")).rejects.toThrow("no proposal s9 waits");
  });

  it("a whole name never means another proposal that begins with it", async () => {
    curation.session(
      "s1",
      Array.from({ length: 11 }, (_, at) => candidate(`Title ${at}`)),
    );
    await reject(curation, await named("s1:practice:1"));
    await expect(named("s1:practice:1")).rejects.toThrow("no proposal s1:practice:1 waits");
    expect(await origins()).toContain("s1:practice:10");
  });

  it("what a newer release decided is an error: nothing of it is written over", async () => {
    const text = JSON.stringify({ schema_version: 2, decisions: [], delegated: ["s1:practice:0"] });
    curation.base.write(".state/curation.json", text);
    curation.session("s1", [candidate("One")]);
    await expect(queue()).rejects.toMatchObject({ code: "HF1109", fix: expect.stringContaining("newer") });
    const proposal: Proposal = {
      origin: "s1:practice:0",
      candidate: candidate("One"),
      isLater: false,
      source: { kind: "session", reference: "session:s1", alsoFrom: [], at: "", host: undefined, folder: undefined },
    };
    await expect(reject(curation, proposal)).rejects.toMatchObject({ code: "HF1109" });
    expect(curation.base.read(".state/curation.json")).toBe(text);
  });

  it("damage to what was decided is an error: nothing is proposed again in silence", async () => {
    curation.base.write(".state/curation.json", "{");
    await expect(queue()).rejects.toThrow("what was decided on proposals cannot be read");
  });
});

describe("what a repository brings", () => {
  it("cannot have a file outside of nodes and conflicts written or deleted by an undo", async () => {
    for (const file of ["../../outside.md", "nodes/../../../x.md", "/etc/x.md", "nodes/x.txt"]) {
      const step = { file, before: "payload", after: "x" };
      const entry = { origin: "docs-a:map:0", decision: "accepted", at: "2026-01-01", nodeId: "map-a", undo: step };
      curation.base.write(".state/curation.json", JSON.stringify({ schema_version: 1, decisions: [entry] }));
      await expect(undo(curation)).rejects.toMatchObject({ code: "HF1109" });
    }
  });
});

describe("a person decides", () => {
  beforeEach(() => {
    curation.session("s1", [candidate("One"), candidate("Two")]);
  });

  it("accepted, it is a node that says where it comes from, and waits no more", async () => {
    const deed = await accept(curation, await named("s1:practice:0"), candidate("One"), "build");
    expect(deed).toMatchObject({
      decision: "accepted",
      nodeId: "practice-one",
      file: ".holdfast/knowledge/nodes/build/practice-one.md",
    });
    expect(nodes()[0]).toMatchObject({ id: "practice-one", folder: "build", derivedFrom: ["session:s1"] });
    expect(await origins()).toEqual(["s1:practice:1"]);
  });

  it("merged, its text stands behind the node's, whose other keys stay", async () => {
    await addNode(curation, newNode("Target", { tags: ["git"] }), { folder: "x" });
    await merge(curation, await named("s1:practice:0"), "practice-target");
    expect(nodes()[0]).toMatchObject({
      body: "All about Target.\n\nAll about One.",
      tags: ["git", "build"],
      derivedFrom: ["session:s1"],
    });
  });

  it("merged into a node that has another name now, it goes there", async () => {
    await addNode(curation, newNode("Target"));
    curation.base.write("nodes/.redirects.json", JSON.stringify({ "practice-old": ["practice-target"] }));
    expect(await merge(curation, await named("s1:practice:0"), "practice-old")).toMatchObject({
      nodeId: "practice-target",
    });
  });

  it("rejected, it waits no more; kept for later, it waits behind the others", async () => {
    await keepForLater(curation, await named("s1:practice:0"));
    expect(await origins()).toEqual(["s1:practice:1", "s1:practice:0"]);
    await reject(curation, await named("s1:practice:0"));
    expect(await origins()).toEqual(["s1:practice:1"]);
    expect(ids()).toEqual([]);
  });

  it("N-49 set against a node, it becomes a file of its own and no node is touched", async () => {
    await addNode(curation, newNode("Target"));
    const before = readFileSync(join(curation.places.nodesDir, "practice-target.md"), "utf8");
    await setAgainst(curation, await named("s1:practice:0"), "practice-target", "says # the opposite");
    expect(readFileSync(join(curation.places.nodesDir, "practice-target.md"), "utf8")).toBe(before);
    const [file] = conflictFiles(curation.places);
    const text = curation.base.read(`conflicts/${file}`);
    expect(text).toContain("status: pending");
    expect(text).toContain("target_node_id: practice-target");
    expect(text).toContain("## Rationale\n\nsays # the opposite\n\n## Proposed node");
  });

  it("every decision can be taken back: files as they were, the proposal open again", async () => {
    await addNode(curation, newNode("Target"));
    const files = curation.base.all();
    const proposal = await named("s1:practice:0");
    for (const decide of [
      () => accept(curation, proposal, proposal.candidate, "x"),
      () => merge(curation, proposal, "practice-target"),
      () => reject(curation, proposal),
      () => setAgainst(curation, proposal, "practice-target", "no"),
    ]) {
      await decide();
      expect(await origins()).not.toContain("s1:practice:0");
      await undo(curation);
      expect(await origins()).toEqual(["s1:practice:0", "s1:practice:1"]);
      const now = curation.base.all();
      for (const path of [".state/curation.json", "_sessions/20260105-0800-s1.md"]) delete now[path];
      const then = { ...files };
      delete then["_sessions/20260105-0800-s1.md"];
      expect(now).toEqual(then);
    }
  });

  it("what somebody changed since is not taken back over their head", async () => {
    const { file } = await accept(curation, await named("s1:practice:0"), candidate("One"), "");
    writeFileSync(join(curation.base.root, file as string), nodeFile("practice-one", {}, "mine"));
    await expect(undo(curation)).rejects.toThrow("changed since");
    expect(ids()).toEqual(["practice-one"]);
  });

  it("a decision is taken once, also by two at the same time", async () => {
    const proposal = await named("s1:practice:0");
    await accept(curation, proposal, proposal.candidate, "");
    await expect(accept(curation, proposal, proposal.candidate, "")).rejects.toThrow("was accepted meanwhile");
    expect(ids()).toEqual(["practice-one"]);
  });

  it("killed between the node and the decision, accepting again writes no second node", async () => {
    const proposal = await named("s1:practice:0");
    await accept(curation, proposal, proposal.candidate, "");
    rmSync(join(curation.places.stateDir, "curation.json"));
    await accept(curation, proposal, proposal.candidate, "");
    expect(ids()).toEqual(["practice-one"]);
  });

  /** Nothing more is written once `isWritten`. */
  const killedOnce = (isWritten: () => boolean): ScratchCuration => ({
    ...curation,
    exclusively: (lockFile, work) => curation.exclusively(lockFile, () => work({ isHeld: () => !isWritten() })),
  });

  it.each([
    ["accepted", (who: ScratchCuration, proposal: Proposal) => accept(who, proposal, proposal.candidate, "")],
    ["merged", (who: ScratchCuration, proposal: Proposal) => merge(who, proposal, "practice-target")],
  ])("killed once the node is written, a proposal is %s all the same, and can be taken back", async (_, decide) => {
    await addNode(curation, newNode("Target"));
    const files = () => ids().map((id) => readFileSync(join(curation.places.nodesDir, `${id}.md`), "utf8"));
    const before = files();
    const proposal = await named("s1:practice:0");
    const isWritten = () => files().join() !== before.join();
    await expect(decide(killedOnce(isWritten), proposal)).rejects.toThrow("was lost");
    expect([isWritten(), await origins()]).toEqual([true, ["s1:practice:1"]]);
    await expect(decide(curation, proposal)).rejects.toThrow("meanwhile");
    await reject(curation, await named("s1:practice:1"));
    expect((await undo(curation, "s1:practice:0")).origin).toBe("s1:practice:0");
    expect([files(), await origins()]).toEqual([before, ["s1:practice:0"]]);
  });

  it("killed before the node is written, a proposal waits as it did", async () => {
    let writes = 0;
    const exclusively: ScratchCuration["exclusively"] = (lockFile, work) =>
      curation.exclusively(lockFile, () => work({ isHeld: () => ++writes === 1 }));
    const proposal = await named("s1:practice:0");
    await expect(accept({ ...curation, exclusively }, proposal, proposal.candidate, "x")).rejects.toThrow("was lost");
    expect([ids(), await origins()]).toEqual([[], ["s1:practice:0", "s1:practice:1"]]);
    await expect(undo(curation)).rejects.toThrow("nothing was decided yet");
    await accept(curation, proposal, proposal.candidate, "x");
    expect(ids()).toEqual(["practice-one"]);
  });

  it("killed while a decision is taken back, it can be taken back again, and the proposal waits", async () => {
    await addNode(curation, newNode("Target"));
    const target = () => readFileSync(join(curation.places.nodesDir, "practice-target.md"), "utf8");
    const before = target();
    const proposal = await named("s1:practice:0");
    await accept(curation, proposal, proposal.candidate, "");
    await expect(undo(killedOnce(() => !ids().includes("practice-one")))).rejects.toThrow("was lost");
    await undo(curation);
    await merge(curation, proposal, "practice-target");
    await expect(undo(killedOnce(() => target() === before))).rejects.toThrow("was lost");
    await undo(curation);
    expect([ids(), target()]).toEqual([["practice-target"], before]);
    expect(await origins()).toEqual(["s1:practice:0", "s1:practice:1"]);
  });

  it("killed between the conflict and the decision, setting it against the node again writes no second one", async () => {
    await addNode(curation, newNode("Target"));
    const conflicts = () => conflictFiles(curation.places);
    for (const rationale of ["says the opposite", "really"]) {
      const killed = setAgainst(
        killedOnce(() => conflicts().some((file) => curation.base.read(`conflicts/${file}`).includes(rationale))),
        await named("s1:practice:0"),
        "practice-target",
        rationale,
      );
      await expect(killed).rejects.toThrow("was lost");
    }
    await setAgainst(curation, await named("s1:practice:0"), "practice-target", "no");
    await setAgainst(curation, await named("s1:practice:1"), "practice-target", "no");
    expect(conflicts()).toHaveLength(2);
  });

  it("taking back the second of two decisions for one text leaves the node of the first", async () => {
    curation.session("s1b", [candidate("One")]);
    await accept(curation, await named("s1:practice:0"), candidate("One"), "");
    const again = { ...(await named("s1b:practice:0")), source: (await named("s1:practice:1")).source };
    await accept(curation, again, candidate("One"), "");
    await undo(curation);
    expect(ids()).toEqual(["practice-one"]);
  });

  it("a session is settled when all of it is decided, and open again when one decision is taken back", async () => {
    const file = "_sessions/20260105-0800-s1.md";
    await accept(curation, await named("s1:practice:0"), candidate("One"), "");
    expect(curation.base.read(file)).not.toContain("curator_processed_at");
    await reject(curation, await named("s1:practice:1"));
    expect(curation.base.read(file)).toContain("curator_processed_at");
    expect(curation.base.read(file)).toContain("[USER]: hello");
    await undo(curation, "s1:practice:0");
    expect(curation.base.read(file)).not.toContain("curator_processed_at");
    expect(await origins()).toEqual(["s1:practice:0"]);
  });

  it("undo of what nobody decided changes nothing: proposals decided long ago do not wait again", async () => {
    const file = curation.session("s2", [candidate("Three"), candidate("Four")], {
      curated: { practice: 2, map: 0 },
      curator_processed_at: "2026-01-04T08:00:00.000Z",
    });
    const before = readFileSync(file, "utf8");
    for (const origin of ["s2:practice:0", "s2:practice:-7", "s2:practice:x", "s2:map:0"])
      await expect(undo(curation, origin)).rejects.toThrow(`nothing was decided on ${origin}`);
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it("an undo that is refused leaves the session settled", async () => {
    const { file } = await accept(curation, await named("s1:practice:0"), candidate("One"), "");
    await reject(curation, await named("s1:practice:1"));
    writeFileSync(join(curation.base.root, file as string), nodeFile("practice-one", {}, "mine"));
    await expect(undo(curation, "s1:practice:0")).rejects.toThrow("changed since");
    expect(curation.base.read("_sessions/20260105-0800-s1.md")).toContain("curator_processed_at");
  });

  it("a decision that is taken back while another process settles its session is not lost with it", async () => {
    await reject(curation, await named("s1:practice:0"));
    const unsettled = curation.base.read("_sessions/20260105-0800-s1.md");
    await reject(curation, await named("s1:practice:1"));
    curation.base.write("_sessions/20260105-0800-s1.md", unsettled);
    let isBetween = true;
    const slow: ScratchCuration["takeLock"] = async (file) => {
      // It has looked at the session, and another takes a decision back before it gets to write.
      if (isBetween) {
        isBetween = false;
        await undo(curation, "s1:practice:1");
      }
      return curation.takeLock(file);
    };
    await settleSessions({ ...curation, takeLock: slow });
    expect(await origins()).toEqual(["s1:practice:1"]);
  });

  it("A13-6 a session of which nothing was proposed does not wait for ever", async () => {
    curation.session("s2", []);
    expect(await settleSessions(curation)).toEqual(["s2"]);
    expect(await settleSessions(curation)).toEqual([]);
  });
});

describe("what a proposal is compared with", () => {
  it("nodes of the same name come first, then those with the most words in common, in any script", async () => {
    for (const title of ["Small commits", "Run the tests before a commit", "テスト 実行 手順"])
      await addNode(curation, newNode(title), { folder: "f" });
    const similar = (title: string) =>
      similarNodes(candidate(title, { description: "" }), nodes()).map(({ node: { title: found } }) => found);
    expect(similar("Small commits")[0]).toBe("Small commits");
    expect(similar("テスト 実行")[0]).toBe("テスト 実行 手順");
    expect(similarNodes(candidate("Zebra", { tags: ["stripes"], description: "Quite other" }), nodes())).toEqual([]);
  });

  it("it would go where the node most like it is, else where its source says", async () => {
    await addNode(curation, newNode("Small commits"), { folder: "git" });
    const small = candidate("Small commits");
    expect(suggestedFolder(small, similarNodes(small, nodes()), nodes(), "docs")).toBe("git");
    expect(suggestedFolder(small, [], nodes(), "docs")).toBe("docs");
    expect(suggestedFolder(candidate("x", { tags: ["git"] }), [], nodes())).toBe("git");
  });
});

describe("actions of a skill", () => {
  const action = (index: number, changes: Partial<Action> = {}): Action => ({
    action: "add",
    candidate_origin: `s1:practice:${index}`,
    target_node_id: null,
    proposed_node: candidate(["One", "Two", "Three"][index] as string),
    rationale: "why",
    home_folder: "",
    ...changes,
  });

  beforeEach(() => {
    curation.session("s1", [candidate("One"), candidate("Two"), candidate("Three")]);
  });

  it("N-49 one that fails is reported and stops no other", async () => {
    const result = await performActions(curation, [
      action(0, { home_folder: "../out" }),
      action(1),
      action(2, { action: "modify", target_node_id: "practice-none" }),
      action(0, { action: "drop", candidate_origin: "s9:practice:0", proposed_node: null }),
    ]);
    expect(result).toMatchObject({ written: 1, failed: 3 });
    expect(result.results.map(({ outcome }) => outcome)).toEqual(["failed", "written", "failed", "failed"]);
    expect(result.results.map(({ message }) => message)).toEqual([
      expect.stringContaining("no folder inside nodes/"),
      undefined,
      expect.stringContaining("there is no node practice-none"),
      expect.stringContaining("no proposal s9:practice:0 waits"),
    ]);
    expect(ids()).toEqual(["practice-two"]);
  });

  it("N-49 a contradiction becomes a conflict, and the node stays as it is", async () => {
    await addNode(curation, newNode("Target"));
    const before = nodes();
    const result = await performActions(curation, [
      action(0, { action: "contradict", target_node_id: "practice-target" }),
    ]);
    expect(result).toMatchObject({ written: 0, conflicts: 1, failed: 0 });
    expect(nodes()).toEqual(before);
    expect(conflictFiles(curation.places)).toEqual([`${result.runId}-1.md`]);
  });

  it("N-49 of several for one node the surest stays, and of equally sure ones the first", () => {
    const same = candidate("Same");
    const actions = [
      action(0, { proposed_node: { ...same, confidence: "low" } }),
      action(1, { proposed_node: { ...same, confidence: "high" } }),
      action(2, { proposed_node: { ...same, confidence: "high" } }),
    ];
    const { kept, doubles } = withoutDoubles(actions);
    expect(kept).toEqual([actions[1]]);
    expect(doubles.map(({ keptOrigin }) => keptOrigin)).toEqual(["s1:practice:1", "s1:practice:1"]);
  });

  it("N-49 doubles are decided too, so that they are not proposed again", async () => {
    const same = candidate("Same");
    await performActions(curation, [action(0, { proposed_node: same }), action(1, { proposed_node: same })]);
    expect(await origins()).toEqual(["s1:practice:2"]);
    expect(ids()).toEqual(["practice-same"]);
  });

  it("N-49 of doubles the next one is taken where the surest fails", async () => {
    const same = candidate("Same");
    const result = await performActions(curation, [
      action(0, { proposed_node: same, home_folder: "../out" }),
      action(1, { proposed_node: same }),
    ]);
    expect(result.results.map(({ outcome }) => outcome)).toEqual(["failed", "written"]);
    expect(ids()).toEqual(["practice-same"]);
  });

  it("N-50 what does not fit is named by its place, all of it at once", () => {
    const wrong = [
      action(0),
      { ...action(1), action: "ad", extra: 1, proposed_node: { ...candidate("x"), tags: "a" } },
    ];
    expect(() => readActions(wrong)).toThrow(
      /1\.extra unknown field "extra"\n.*1\.action must be one of add, modify, contradict, drop, not "ad"\n.*1\.proposed_node\.tags must be a list, not a string/,
    );
    expect(CONTRACTS["knowledge-actions"]?.check({}).map(problemText)).toEqual(["the input must be a list of actions"]);
  });
});

describe("somebody who proposes a node", () => {
  it("has all of it reviewed: where it goes, what it has to do with, and everything it comes from", async () => {
    for (const title of ["Near", "Below"]) await addNode(curation, newNode(title));
    const node = newNode("Idea", {
      relatesTo: ["practice-near"],
      dependsOn: ["practice-below"],
      derivedFrom: ["docs/a.md", "docs/b.md"],
    });
    const { origin, isNew } = await proposeNode(curation, node, "build");
    expect(isNew).toBe(true);
    const proposal = await named(origin);
    expect(proposal.source).toMatchObject({ reference: "docs/a.md", alsoFrom: ["docs/b.md"], folder: "build" });
    await accept(curation, proposal, proposal.candidate, "build");
    expect(nodes().find(({ id }) => id === "practice-idea")).toMatchObject({
      folder: "build",
      relatesTo: ["practice-near"],
      dependsOn: ["practice-below"],
      derivedFrom: ["docs/a.md", "docs/b.md"],
    });
  });

  it("keeps what it has to do with where it is merged", async () => {
    for (const title of ["Near", "Target"]) await addNode(curation, newNode(title));
    const { origin } = await proposeNode(curation, newNode("Idea", { relatesTo: ["practice-near"] }));
    await merge(curation, await named(origin), "practice-target");
    expect(nodes().find(({ id }) => id === "practice-target")?.relatesTo).toEqual(["practice-near"]);
  });

  it("is told that the same waits already, and that the same was decided before", async () => {
    const propose = (folder?: string) => proposeNode(curation, newNode("Idea"), folder);
    const { origin } = await propose();
    expect(await propose()).toEqual({ origin, isNew: false });
    expect((await propose("build")).origin).not.toBe(origin);
    await reject(curation, await named(origin));
    await expect(propose()).rejects.toThrow("was proposed before, and was rejected");
  });

  it("is told at once what could never be accepted", async () => {
    await expect(proposeNode(curation, newNode("Idea"), "../out")).rejects.toThrow("no folder inside nodes/");
    const dangling = newNode("Idea", { relatesTo: ["map-none"] });
    await expect(proposeNode(curation, dangling)).rejects.toThrow("map-none, which is no node");
    expect((await queue()).proposals).toEqual([]);
  });
});

it("a decision whose lock was lost is not taken, and the proposal still waits", async () => {
  curation.session("s1", [candidate("One")]);
  const robbed: ScratchCuration["exclusively"] = (lockFile, work) =>
    curation.exclusively(lockFile, (lock) => {
      rmSync(lockFile);
      return work(lock);
    });
  const proposal = await named("s1");
  const slow = { ...curation, exclusively: robbed };
  await expect(reject(slow, proposal)).rejects.toThrow("was lost");
  await expect(accept(slow, proposal, proposal.candidate, "")).rejects.toThrow("was lost");
  expect([(await queue()).proposals.length, ids()]).toEqual([1, []]);
});

describe("where a session's log cannot be written", () => {
  const locked = () => ({ ...curation, takeLock: () => Promise.reject(new Error("it stayed locked")) });

  it("a decision is taken all the same, says so, and the next one settles the log", async () => {
    curation.session("s1", [candidate("One")]);
    curation.session("s2", [candidate("Two")]);
    const proposal = await named("s1");
    const deed = await accept(locked(), proposal, proposal.candidate, "");
    expect(deed).toMatchObject({ decision: "accepted", nodeId: "practice-one", unsettled: "it stayed locked" });
    expect(await settleSessions(curation)).toEqual(["s1"]);
  });

  it("what is decided does not wait any more where the start of a session counts it", async () => {
    curation.session("s1", [candidate("One"), candidate("Two")]);
    curation.session("s2", [candidate("Three")]);
    const waiting = async () => {
      const { sessions, proposals } = await waitingSessions(curation.places);
      return [sessions, proposals];
    };
    expect(await waiting()).toEqual([2, 3]);
    await reject(curation, await named("s1:practice:0"));
    expect(await waiting()).toEqual([2, 2]);
    await keepForLater(curation, await named("s1:practice:1"));
    expect(await waiting()).toEqual([2, 2]);
    expect(await reject(locked(), await named("s2"))).toMatchObject({ unsettled: "it stayed locked" });
    expect(await waiting()).toEqual([1, 1]);
  });

  it("a decision is not taken back halfway: it stands until it can be", async () => {
    curation.session("s1", [candidate("One")]);
    await reject(curation, await named("s1"));
    await expect(undo(locked())).rejects.toThrow("it stayed locked");
    expect((await queue()).proposals).toEqual([]);
    await undo(curation);
    expect((await queue()).proposals).toHaveLength(1);
  });
});
