import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sampleEvent } from "../../core/engine.fixture.ts";
import type { AgentEvent } from "../../core/event.ts";
import { exclusively } from "../base/base.fixture.ts";
import { rebuildIndex } from "../base/rebuild.ts";
import { type DrainScene, drainScene, ID, proposal, takeLock } from "../drain/drain.fixture.ts";
import { lintTick } from "../drain/lint-tick-role.ts";
import { sessionStart } from "../drain/session-start-role.ts";
import type { RoleSetting } from "../role.ts";
import type { KnowledgeSection } from "../settings.ts";
import { entryCatalogue, MAX_CATALOGUE_CHARACTERS } from "./catalogue.ts";
import { notifierOf, notifyDesktop } from "./desktop.ts";
import { countSession, readLintState, recordLint } from "./lint-state.ts";
import { waitingSessions } from "./signals.ts";

let scene: DrainScene;
beforeEach(() => {
  scene = drainScene();
});
afterEach(() => scene.remove());

const NOON = new Date("2026-11-10T12:00:00Z");
const minutes = (count: number) => new Date(NOON.getTime() + count * 60_000);

const setting = (section: KnowledgeSection = {}, env: RoleSetting["env"] = {}): RoleSetting => ({
  ...{ root: scene.places.root, section, homeDir: "/home/person", stateDir: "/state", env, takeLock },
  distDir: "/nowhere",
});
const event = (more: object = {}): AgentEvent =>
  ({ ...sampleEvent("session_start"), source: "startup", agent: null, ...more }) as AgentEvent;
const signal = new AbortController().signal;
const started = async (now = NOON, section: KnowledgeSection = {}, more: object = {}) =>
  (await sessionStart(event(more), { now, options: {}, signal }, setting(section))).context ?? [];

function node(path: string, title: string): void {
  const file = join(scene.places.nodesDir, path);
  mkdirSync(join(file, ".."), { recursive: true });
  const id = path.split("/").at(-1)?.replace(".md", "");
  writeFileSync(
    file,
    `---\ntype: practice\ntitle: ${title}\ndescription: About ${title}.\ntags: [one]\nid: ${id}\nschema_version: 3\nderived_from: []\nrelates_to: []\ndepends_on: []\nconfidence: high\n---\n\nBody of ${title}.\n`,
  );
}
const old = { captured_at: "2026-11-01T10:00:00.000Z" };
const recent = { captured_at: "2026-11-09T10:00:00.000Z" };
const queue = (count: number, more: Parameters<DrainScene["log"]>[2] = recent) => {
  for (let number = 1; number <= count; number += 1) scene.log(ID(number), ["a", "b"], more);
};

describe("the start of a session", () => {
  it("N-33 tells the catalogue once, its directive once, and does not grow with nodes deep below", async () => {
    node("build/practice-small-commits.md", "Small commits");
    await rebuildIndex(scene.places, exclusively);
    const [text = "", ...more] = await started();
    expect(more).toEqual([]);
    expect(text.match(/Follow the links that fit the task/g)).toHaveLength(1);
    expect(text).toContain("nodes/build/index.md");
    expect(text).not.toContain("nodes_hash");
    for (let number = 0; number < 30; number += 1) node(`build/deep/practice-n${number}.md`, `N ${number}`);
    await rebuildIndex(scene.places, exclusively);
    expect((await started())[0]?.length).toBeLessThan(text.length + 40);
  });

  it("the catalogue has a bound, and says where the rest is", async () => {
    for (let number = 0; number < 150; number += 1) node(`folder-${number}/practice-n${number}.md`, `N ${number}`);
    await rebuildIndex(scene.places, exclusively);
    const [text = ""] = await started();
    expect(text.length).toBeLessThan(6_500);
    expect(text).toContain("ENTRY.md has the rest");
  });

  it("a catalogue of one endless line is bounded, too", () => {
    mkdirSync(scene.places.dir, { recursive: true });
    writeFileSync(scene.places.entryFile, `---\nnode_count: 1\n---\n${"word ".repeat(50_000)}`);
    expect(entryCatalogue(scene.places)?.length).toBeLessThan(MAX_CATALOGUE_CHARACTERS + 500);
  });

  it("N-34 says what to run where nodes have no catalogue, and nothing where there are no nodes", async () => {
    expect(await started()).toEqual([]);
    node("practice-one.md", "One");
    expect((await started())[0]).toContain("holdfast knowledge index");
  });

  it("N-34 signals a catalogue that is older than its nodes, and none that fits", async () => {
    node("practice-one.md", "One");
    await rebuildIndex(scene.places, exclusively);
    expect((await started()).join()).not.toContain("older than the nodes");
    node("practice-two.md", "Two");
    expect((await started(minutes(1))).join()).toContain("older than the nodes");
    await rebuildIndex(scene.places, exclusively);
    expect((await started(minutes(90))).join()).not.toContain("older than the nodes");
  });

  it("N-34 sees an edit that left size and modification time as they were", async () => {
    node("practice-one.md", "One");
    await rebuildIndex(scene.places, exclusively);
    await started();
    const file = join(scene.places.nodesDir, "practice-one.md");
    const then = new Date("2026-01-01T00:00:00Z");
    utimesSync(file, then, then);
    await started(minutes(1));
    writeFileSync(file, readFileSync(file, "utf8").replace("Body", "Baby"));
    utimesSync(file, then, then);
    expect((await started(minutes(2))).join()).toContain("older than the nodes");
  });

  it.each([
    [19, recent, undefined],
    [20, recent, "20 sessions wait for curation"],
    [20, old, "the oldest for 9 days"],
    [40, recent, "the oldest for 1 days"],
  ])("N-35 of %i sessions %j it says %s", async (count, more, said) => {
    queue(count, more);
    const text = (await started()).join();
    if (said === undefined) expect(text).toBe("");
    else expect(text).toContain(said);
    expect(text.includes("the oldest")).toBe(said?.includes("the oldest") ?? false);
  });

  it("N-35 counts what waits for proposals or for a decision, and neither failed, skipped, curated nor damaged logs", async () => {
    scene.log(ID(1), ["a", "b"]);
    scene.log(ID(2), ["a", "b"], { proposal_status: "done", proposals: { practice: [proposal("One")], map: [] } });
    scene.log(ID(3), ["a", "b"], { proposal_status: "failed" });
    scene.log(ID(4), ["a", "b"], { proposal_status: "skipped" });
    const decided = {
      curator_processed_at: "2026-11-02T00:00:00Z",
      proposals: { practice: [proposal("Two")], map: [] },
    };
    scene.log(ID(5), ["a", "b"], { proposal_status: "done", ...decided });
    scene.log(ID(6), ["a", "b"], { proposal_status: "done" });
    writeFileSync(join(scene.places.sessionsDir, "20261101-1000-broken.md"), "no front matter");
    expect(await waitingSessions(scene.places)).toMatchObject({ sessions: 2, proposals: 1, failed: 1 });
  });

  it("tells that decisions cannot be read, and everything else all the same", async () => {
    scene.log(ID(1), ["a", "b"], { proposal_status: "done", proposals: { practice: [proposal("One")], map: [] } });
    mkdirSync(scene.places.stateDir, { recursive: true });
    writeFileSync(join(scene.places.stateDir, "curation.json"), "{");
    await recordLint(scene.places, { errors: 1, findings: 2, aged: 0 }, NOON, takeLock);
    const text = (await started()).join();
    expect(text).toContain("what was decided on proposals cannot be read");
    expect(text).toContain("1 errors and 2 findings");
    expect(await waitingSessions(scene.places)).toMatchObject({ sessions: 1, proposals: 1 });
  });

  it("N-36 tells what the last look over the base found, until another found it mended", async () => {
    await recordLint(scene.places, { errors: 1, findings: 2, aged: 3 }, NOON, takeLock);
    const text = (await started()).join();
    expect(text).toContain("1 errors and 2 findings");
    expect(text).toContain("3 nodes speak of files that changed after them");
    await recordLint(scene.places, { errors: 0, findings: 0, aged: 0 }, NOON, takeLock);
    expect(await started(minutes(90))).toEqual([]);
  });

  it("A13-1 X-22 tells it once an hour, however many sessions begin, and never has the model say it", async () => {
    queue(40);
    const told = await Promise.all([started(), started(), started()]);
    expect(told.filter((context) => context.length > 0)).toHaveLength(1);
    expect(await started(minutes(59))).toEqual([]);
    const [text = ""] = await started(minutes(61));
    expect(text).toContain("40 sessions wait");
    expect(text).toContain("no part of any answer");
    expect(text).not.toMatch(/append|remind|tell the (?:user|person)|you must|box/i);
  });

  it("A13-1 a clock that was wrong silences nobody for longer than an hour", async () => {
    queue(40);
    await started(minutes(60 * 24 * 365));
    expect(await started()).not.toEqual([]);
  });

  it("after a compaction the catalogue is told again, and nothing else", async () => {
    queue(40);
    node("practice-one.md", "One");
    await rebuildIndex(scene.places, exclusively);
    expect(await started(NOON, {}, { source: "compact" })).toHaveLength(1);
    expect(existsSync(join(scene.places.stateDir, "attention.json"))).toBe(false);
  });

  it("N-12 where its state cannot be written the catalogue is told all the same, with a notice", async () => {
    queue(40);
    node("practice-one.md", "One");
    await rebuildIndex(scene.places, exclusively);
    rmSync(scene.places.stateDir, { recursive: true, force: true });
    writeFileSync(scene.places.stateDir, "a file where a folder should be");
    const verdict = await sessionStart(event(), { now: NOON, options: {}, signal }, setting());
    expect(verdict.context).toHaveLength(1);
    expect(verdict.effects).toMatchObject([{ type: "notice", notice: { is_error: true } }]);
  });
});

describe("a desktop notification", () => {
  const hostile = { title: `$(touch x) "; rm`, body: "a\u001b[2J <b>&\n--help" };

  it("N-38 passes no shell, and no word of it is an option or markup", () => {
    expect(notifierOf(hostile, "linux", { DISPLAY: ":0" })).toEqual([
      "notify-send",
      "--app-name=holdfast",
      "--",
      `$(touch x) "; rm`,
      "a[2J &lt;b&gt;&amp;\n--help",
    ]);
    const words = notifierOf(hostile, "darwin", {}) ?? [];
    expect(words.slice(-2)).toEqual([hostile.title, "a[2J <b>&\n--help"]);
    expect(words.slice(0, -2).join("\n")).not.toContain("touch");
  });

  it("N-38 is not tried where there is no desktop, and harmless where its program is missing", () => {
    expect(notifierOf(hostile, "linux", {})).toBeUndefined();
    expect(notifierOf(hostile, "win32", {})).toBeUndefined();
    expect(notifyDesktop(hostile, { DISPLAY: ":0", PATH: "/nowhere" }, "linux")).toBe(false);
  });

  it("N-38 is one for all signals, and none where the config says so", async () => {
    const bin = join(scene.places.root, "bin");
    const sent = join(scene.places.root, "sent");
    mkdirSync(bin);
    writeFileSync(join(bin, "notify-send"), `#!/bin/sh\nprintf '%s\\n' "$*" >> '${sent}'\n`, { mode: 0o755 });
    queue(40);
    await recordLint(scene.places, { errors: 1, findings: 0, aged: 0 }, NOON, takeLock);
    const env = { DISPLAY: ":0", PATH: `${bin}:/usr/bin:/bin` };
    const start = (now: Date, section: KnowledgeSection) =>
      sessionStart(event(), { now, options: {}, signal }, setting(section, env));
    await start(NOON, { notifications: false });
    if (process.platform === "linux") {
      await start(minutes(61), {});
      await expect.poll(() => existsSync(sent) && readFileSync(sent, "utf8")).toContain("1 errors");
      expect(readFileSync(sent, "utf8").match(/--app-name/g)).toHaveLength(1);
    }
  });
});

describe("the lint tick", () => {
  const count = (session: string, every = 3) => countSession(scene.places, session, every, takeLock);

  it("counts from nothing where what was counted is no number", async () => {
    mkdirSync(scene.places.stateDir, { recursive: true });
    const damaged = { schema_version: 1, sessions_since_last_lint: "x", last_errors: [7], counted: [1, "a"] };
    writeFileSync(join(scene.places.stateDir, "lint-state.json"), JSON.stringify(damaged));
    for (const session of ["1", "2"]) expect(await count(session)).toBe(false);
    expect(await count("3")).toBe(true);
    expect(readLintState(scene.places)).toMatchObject({ last_errors: 0, counted: ["a", "1", "2", "3"] });
  });

  it("N-43 counts sessions up to the Nth, which begins the count anew; the rest of its state stays", async () => {
    await recordLint(scene.places, { errors: 2, findings: 0, aged: 0 }, NOON, takeLock);
    expect([await count("a"), await count("b"), await count("c"), await count("d")]).toEqual([
      false,
      false,
      true,
      false,
    ]);
    expect(readLintState(scene.places)).toMatchObject({ sessions_since_last_lint: 1, last_errors: 2 });
  });

  it("N-43 a session counts once, however often it is resumed or compacted, and a sub-agent's not at all", async () => {
    expect([await count("a"), await count("a"), await count("a"), await count("b")]).toEqual([
      false,
      false,
      false,
      false,
    ]);
    mkdirSync(scene.places.nodesDir, { recursive: true });
    await lintTick(event({ agent: "helper" }), { now: NOON, options: {}, signal }, setting());
    expect(readLintState(scene.places).sessions_since_last_lint).toBe(2);
    await lintTick(event({ agent: null, session: "c" }), { now: NOON, options: {}, signal }, setting());
    expect(readLintState(scene.places).sessions_since_last_lint).toBe(3);
  });

  it("A6 a project without nodes gets no folder of ours by a session's start", async () => {
    const empty = { ...setting(), root: join(scene.places.root, "elsewhere") };
    mkdirSync(empty.root);
    await lintTick(event(), { now: NOON, options: {}, signal }, empty);
    await sessionStart(event(), { now: NOON, options: {}, signal }, empty);
    expect(existsSync(join(empty.root, ".holdfast"))).toBe(false);
  });

  it("A13-15 sessions that begin at once are all counted", async () => {
    const turns = await Promise.all(Array.from({ length: 30 }, (_, index) => count(`s${index}`, 10)));
    expect(turns.filter(Boolean)).toHaveLength(3);
    expect(readLintState(scene.places).sessions_since_last_lint).toBe(0);
  });

  it("a damaged state counts from the beginning", async () => {
    await count("a");
    writeFileSync(join(scene.places.stateDir, "lint-state.json"), "{");
    expect(await count("b", 1)).toBe(true);
  });
});

describe("sessions that wait", () => {
  it("are counted without reading logs that did not change, and anew once one did or is gone", async () => {
    const at = new Date("2026-11-01T10:00:00Z");
    const file = scene.log(ID(1), ["hello", "hi"]);
    const gone = scene.log(ID(2), ["hello", "hi"]);
    utimesSync(file, at, at);
    expect((await waitingSessions(scene.places)).sessions).toBe(2);
    // The same size and time, and nothing that could be read: nobody looks.
    writeFileSync(file, "x".repeat(readFileSync(file, "utf8").length));
    utimesSync(file, at, at);
    rmSync(gone);
    expect((await waitingSessions(scene.places)).sessions).toBe(1);
    scene.log(ID(1), ["hello", "hi"], { proposal_status: "failed" });
    expect(await waitingSessions(scene.places)).toMatchObject({ sessions: 0, failed: 1 });
  });

  it.each(["{", "null", '{"logs":{"x":1}}'])("are counted where what was kept of them says %j", async (text) => {
    scene.log(ID(1), ["hello", "hi"]);
    mkdirSync(scene.places.stateDir, { recursive: true });
    writeFileSync(join(scene.places.stateDir, "sessions-seen.json"), text);
    expect((await waitingSessions(scene.places)).sessions).toBe(1);
  });
});
