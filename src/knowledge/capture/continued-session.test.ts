import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeLock } from "../../engine/knowledge.ts";
import { readQueue } from "../curation/queue.ts";
import { type ScratchProject, scratchProject } from "./capture.fixture.ts";
import { HOSTS, type HostTranscripts, LESSON, type Turn } from "./conversation.fixture.ts";
import { changeSessionLog } from "./log-writer.ts";
import { newSegmentsOf, openProposals, type SessionFront, withFailure, withProposals } from "./session-log.ts";

let project: ScratchProject;
beforeEach(() => {
  project = scratchProject();
});
afterEach(() => project.remove());

const claude = HOSTS[0] as HostTranscripts;
const MORE: readonly Turn[] = [
  { speaker: "user", text: "Also: the changelog is written by hand, never generated." },
  { speaker: "agent", text: "I will leave CHANGELOG.md alone and say so in CONTRIBUTING.md." },
  { speaker: "user", text: "Good, and every entry names the issue it closes." },
];
const proposal = (title: string) => ({
  type: "practice",
  title,
  tags: [],
  description: "",
  body: "",
  confidence: "high",
});

const change = async (how: (front: SessionFront) => SessionFront) =>
  changeSessionLog((await project.onlyLog()).file, project.places, takeLock, how);

/** As a drain does it: read, think for a while, then write what was made of what was read. */
async function drained(titles: readonly string[], meanwhile: () => Promise<unknown> = async () => {}) {
  const { front: read } = await project.onlyLog();
  await meanwhile();
  const made = { practice: titles.map(proposal), map: [] };
  return change((now) => withProposals(now, read, made, { at: "2026-11-15T11:00:00.000Z", log: null }));
}

const curated = () =>
  change((front) => ({ ...front, curator_processed_at: "2026-11-15T12:00:00.000Z", curator_run_id: "run-1" }));

async function newText(): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of newSegmentsOf(await project.onlyLog())) texts.push(text);
  return texts;
}

describe("a session that goes on", () => {
  it("A13-6 after proposals were made of it, waits again for what is new only", async () => {
    await project.captured(claude, LESSON);
    await drained(["Arm runners"]);
    expect((await project.onlyLog()).front.proposal_status).toBe("done");
    await project.captured(claude, [...LESSON, ...MORE]);
    const { front } = await project.onlyLog();
    expect(front).toMatchObject({ proposal_status: "pending", proposed_segments: LESSON.length });
    expect(front.proposals.practice).toHaveLength(1);
    expect(await newText()).toEqual(MORE.map(({ text }) => text));
  });

  it("A13-6 N-22 after it was curated, waits again; what was decided stays decided", async () => {
    await project.captured(claude, LESSON);
    await drained(["Arm runners"]);
    await curated();
    await project.captured(claude, [...LESSON, ...MORE]);
    expect((await project.onlyLog()).front).toMatchObject({
      ...{ proposal_status: "pending", curator_run_id: "run-1", curator_processed_at: "2026-11-15T12:00:00.000Z" },
      proposals: { practice: [expect.objectContaining({ title: "Arm runners" })] },
    });
    const front = await drained(["Changelog by hand"]);
    expect(front.proposal_status).toBe("done");
    expect(openProposals(front)).toEqual([
      { kind: "practice", index: 1, proposal: expect.objectContaining({ title: "Changelog by hand" }) },
    ]);
  });

  it("N-22 captured again with nothing new, costs nothing: it stays done, curated or not", async () => {
    await project.captured(claude, LESSON);
    await drained(["Arm runners"]);
    await project.captured(claude, LESSON, { by: "session_end" });
    expect((await project.onlyLog()).front).toMatchObject({ proposal_status: "done", captured_by: "session_end" });
    await curated();
    await project.captured(claude, LESSON);
    expect((await project.onlyLog()).front).toMatchObject({ proposal_status: "done", curator_run_id: "run-1" });
  });

  it("A13-6 by a thank-you is not proposed again", async () => {
    await project.captured(claude, LESSON);
    await drained(["Arm runners"]);
    await project.captured(claude, [
      ...LESSON,
      { speaker: "user", text: "Thanks." },
      { speaker: "agent", text: "Bye." },
    ]);
    expect((await project.onlyLog()).front).toMatchObject({ proposal_status: "done", segments: 6 });
  });

  it("A13-3 after a failure, waits again once there is more; unchanged, it stays failed for the drain to retry", async () => {
    await project.captured(claude, LESSON);
    await change((front) => withFailure(front, "x".repeat(900), "_logs/proposal/a.jsonl", "2026-11-15T11:00:00.000Z"));
    await project.captured(claude, LESSON);
    const { front } = await project.onlyLog();
    expect(front.proposal_status).toBe("failed");
    expect(front.proposal_error).toBe(`${"x".repeat(500)}...`);
    await project.captured(claude, [...LESSON, ...MORE]);
    expect((await project.onlyLog()).front).toMatchObject({ proposal_status: "pending", proposal_error: null });
  });

  it("A13-5 while proposals are made of it: what was captured meanwhile is there and still waits", async () => {
    await project.captured(claude, LESSON);
    const front = await drained(["Arm runners"], () => project.captured(claude, [...LESSON, ...MORE]));
    expect(front).toMatchObject({ proposal_status: "pending", proposed_segments: LESSON.length, segments: 7 });
    expect(await newText()).toEqual(MORE.map(({ text }) => text));
    expect(await project.said()).toHaveLength(7);
  });

  it("whose transcript the host wrote anew and shorter, loses nothing that was captured", async () => {
    await project.captured(claude, LESSON);
    await drained(["Arm runners"]);
    await project.captured(claude, [LESSON[3] as Turn, MORE[0] as Turn]);
    expect((await project.said()).map(({ text }) => text)).toEqual(
      [...LESSON, MORE[0] as Turn].map(({ text }) => text),
    );
    expect((await project.onlyLog()).front.proposed_segments).toBe(LESSON.length);
    expect(await newText()).toEqual([MORE[0]?.text]);
  });

  it("keeps what its person took out of the log out of it", async () => {
    await project.captured(claude, LESSON);
    const { file } = await project.onlyLog();
    writeFileSync(file, readFileSync(file, "utf8").replace("have no signing key", "cannot sign"));
    await project.captured(claude, [...LESSON, ...MORE]);
    const said = await project.said();
    expect(said[0]?.text).toContain("cannot sign");
    expect(said).toHaveLength(7);
  });

  it("whose last message the host has written anew, has it in its last form", async () => {
    await project.captured(claude, LESSON);
    await project.captured(claude, [
      ...LESSON.slice(0, 3),
      { speaker: "agent", text: "Not done: the runners are down." },
      ...MORE,
    ]);
    expect((await project.said()).map(({ text }) => text)).toContain("Not done: the runners are down.");
    expect(await project.logText()).not.toContain("[AGENT]: Done: release.yml");
  });

  it("that a person set to skipped, stays so", async () => {
    await project.captured(claude, LESSON);
    await change((front) => ({ ...front, proposal_status: "skipped", proposal_error: "not worth it" }));
    await project.captured(claude, [...LESSON, ...MORE]);
    expect((await project.onlyLog()).front).toMatchObject({ proposal_status: "skipped", segments: 7 });
  });
});

describe("a log", () => {
  it("keeps keys that are somebody else's", async () => {
    await project.captured(claude, LESSON);
    await change((front) => ({ ...front, topics: ["release"], attempts: 2 }));
    await project.captured(claude, [...LESSON, ...MORE]);
    expect((await project.onlyLog()).front).toMatchObject({ topics: ["release"], attempts: 2 });
  });

  it("says below the transcript what became of it, once", async () => {
    await project.captured(claude, LESSON);
    expect(await project.logText()).toMatch(/\n\n## Proposal\n\nWaits for proposals to be made of it\.\n$/);
    await drained(["Arm runners"]);
    const text = await project.logText();
    expect(text).toMatch(/\n\n## Proposal\n\nProposals are complete: 1 of practice, 0 of map\.\n$/);
    expect(text.match(/^## Proposal$/gm)).toHaveLength(1);
    expect(text.match(/^## Transcript$/gm)).toHaveLength(1);
  });

  it("that is begun anew gives no proposal a name that was decided on", async () => {
    await project.captured(claude, LESSON);
    await drained(["Old"]);
    const { file, front } = await project.onlyLog();
    const origin = `${front.session_id}:practice:0`;
    const decided = {
      schema_version: 1,
      decisions: [{ origin, decision: "rejected", at: "2026-11-15T12:00:00.000Z" }],
    };
    writeFileSync(join(project.places.stateDir, "curation.json"), JSON.stringify(decided));
    rmSync(file);
    await project.capture(claude);
    await drained(["New"]);
    const { proposals } = await readQueue(project.places);
    expect(proposals.map(({ origin: name, candidate }) => [name, candidate.title])).toEqual([
      [`${front.session_id}:practice:1`, "New"],
    ]);
  });

  it("is written though what was decided cannot be read, and that is said", async () => {
    mkdirSync(project.places.stateDir, { recursive: true });
    writeFileSync(join(project.places.stateDir, "curation.json"), "{");
    const { file, remarks } = await project.captured(claude, LESSON);
    expect([file !== undefined, remarks]).toEqual([true, [expect.stringContaining("HF1109")]]);
  });

  it("is made of no pipe and no folder: nobody knows when they end", async () => {
    const path = join(project.dir, "pipe");
    execFileSync("mkfifo", [path]);
    for (const transcriptPath of [path, project.root])
      await expect(project.capture(claude, { transcriptPath })).rejects.toThrow("it is no plain file");
    expect(project.logNames()).toEqual([]);
  });

  it("that is damaged is put aside and said, never over-written", async () => {
    await project.captured(claude, LESSON);
    const { file } = await project.onlyLog();
    writeFileSync(file, "---\nproposal_status: [\n---\nmy notes\n");
    const { remarks } = await project.captured(claude, LESSON);
    expect(remarks.join()).toContain("HF1121");
    expect(readFileSync(`${file}.damaged`, "utf8")).toContain("my notes");
    expect(readFileSync(file, "utf8")).toContain("proposal_status: pending");
  });

  it("that is damaged again takes the place of none that was put aside before", async () => {
    await project.captured(claude, LESSON);
    const { file } = await project.onlyLog();
    for (const notes of ["first", "second"]) {
      writeFileSync(file, `---\nproposal_status: [\n---\n${notes}\n`);
      await project.captured(claude, LESSON);
    }
    expect(readFileSync(`${file}.damaged`, "utf8")).toContain("first");
    expect(readFileSync(`${file}.2.damaged`, "utf8")).toContain("second");
  });

  it("of a newer release is left as it is, and that is said", async () => {
    await project.captured(claude, LESSON);
    const { file } = await project.onlyLog();
    const newer = readFileSync(file, "utf8").replace("schema_version: 1", "schema_version: 2");
    writeFileSync(file, newer);
    await expect(project.captured(claude, LESSON)).rejects.toMatchObject({
      code: "HF1121",
      fix: expect.stringContaining("newer release"),
    });
    expect([readFileSync(file, "utf8"), project.logNames().length]).toEqual([newer, 1]);
  });

  it("is its person's: nobody else may read it, and git does not see it", async () => {
    const { statSync } = await import("node:fs");
    await project.captured(claude, LESSON);
    const { file } = await project.onlyLog();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(project.places.sessionsDir, ".gitignore"), "utf8")).toBe("*\n");
  });

  it("leaves no half-written file behind, not even another's", async () => {
    await project.captured(claude, LESSON);
    const { file } = await project.onlyLog();
    const half = join(project.places.sessionsDir, `.${file.split("/").at(-1)}.1.dead.tmp`);
    writeFileSync(half, "half");
    await project.captured(claude, LESSON);
    expect(readdirSync(project.places.sessionsDir).sort()).toEqual([".gitignore", file.split("/").at(-1)]);
  });
});
