import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { takeLock } from "../../engine/knowledge.ts";
import { type KnowledgePlaces, knowledgePlaces } from "../places.ts";
import { recordReads } from "./usage.ts";

let root: string;
let places: KnowledgePlaces;
let file: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "holdfast-usage-"));
  places = knowledgePlaces(root);
  file = join(places.stateDir, "usage.jsonl");
  mkdirSync(places.stateDir, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const NOW = new Date("2026-11-15T10:00:00.000Z");
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 24 * 60 * 60 * 1000).toISOString();
const line = (document: string, session_id: string, used_at = daysAgo(1)) =>
  `${JSON.stringify({ document, type: "leaf", session_id, used_at })}\n`;
const read = (id: string, ...documents: string[]) =>
  recordReads(
    documents.map((name) => ({ type: "read" as const, path: join(places.nodesDir, `${name}.md`) })),
    { id, places, now: NOW, takeLock },
  );
const recorded = () =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text) as { document: string; session_id: string });
const ofSession = (id: string) => recorded().filter(({ session_id }) => session_id === id);

it("what was read longer ago than it is kept goes with the next reading, and the rest stays", async () => {
  writeFileSync(
    file,
    line("practice-old", "s1", daysAgo(400)) + line("practice-new", "s1") + line("practice-odd", "s1", "yesterday"),
  );
  expect(await read("s2", "practice-now")).toEqual([]);
  expect(recorded().map(({ document }) => document)).toEqual(["practice-new", "practice-now"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(places.stateDir)).toEqual(["usage.jsonl"]);
});

it("a file of any length is brought back to its limit, the newest readings staying", async () => {
  for (let part = 0; part < 30; part++)
    appendFileSync(file, Array.from({ length: 1_000 }, (_, at) => line(`practice-${part}-${at}`, "s1")).join(""));
  await read("s2", "practice-now");
  expect(statSync(file).size).toBeLessThan(1024 * 1024);
  const documents = recorded().map(({ document }) => document);
  expect(documents.slice(-2)).toEqual(["practice-29-999", "practice-now"]);
  expect(documents).not.toContain("practice-0-0");
});

it("a session that goes on keeps what is recorded of it, so that no reading is counted twice", async () => {
  writeFileSync(file, line("practice-first", "mine", daysAgo(300)) + line("practice-old", "s1", daysAgo(300)));
  for (let part = 0; part < 20; part++)
    appendFileSync(file, Array.from({ length: 1_000 }, (_, at) => line(`practice-${part}-${at}`, "s1")).join(""));
  await read("mine", "practice-first", "practice-second");
  await read("mine", "practice-first", "practice-second");
  expect(ofSession("mine").map(({ document }) => document)).toEqual(["practice-first", "practice-second"]);
  expect(statSync(file).size).toBeLessThan(1024 * 1024);
});

it("sessions that record at once lose no reading of each other while the file is cut", async () => {
  writeFileSync(file, line("practice-old", "s0", daysAgo(400)));
  const sessions = Array.from({ length: 8 }, (_, at) => `s${at + 1}`);
  await Promise.all(sessions.map((id) => read(id, "practice-a", "practice-b")));
  expect(
    recorded()
      .map(({ session_id, document }) => `${session_id} ${document}`)
      .sort(),
  ).toEqual(sessions.flatMap((id) => [`${id} practice-a`, `${id} practice-b`]));
});

it("whoever lost the lock meanwhile cuts nothing, and says so", async () => {
  const text = line("practice-old", "s1", daysAgo(400)) + line("practice-new", "s1");
  writeFileSync(file, text);
  const robbed: typeof takeLock = async (lockFile) => {
    const lock = await takeLock(lockFile);
    return { isHeld: () => false, release: () => lock.release() };
  };
  const reads = [{ type: "read" as const, path: join(places.nodesDir, "practice-now.md") }];
  expect(await recordReads(reads, { id: "s2", places, now: NOW, takeLock: robbed })).toEqual([
    expect.stringContaining("lock"),
  ]);
  expect(readFileSync(file, "utf8")).toBe(text);
});
