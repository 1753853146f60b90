import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { PERSONAL } from "../../approvals/approval.ts";
import { placesOf } from "../../config/places.ts";
import { journalOf } from "../../engine/journals.ts";
import { sealLine } from "../../records/chain.ts";
import { appendRecords } from "../../records/journal.ts";
import { memoryStores } from "../../stores/memory.ts";
import { listen } from "../server/listen.ts";
import { createToken } from "../server/tokens.ts";
import { auditServer } from "./audit-server.ts";
import { handIn } from "./hand-in.ts";
import { machineName } from "./machine-name.ts";
import { problemText } from "./problem-text.ts";

async function machineAndServer() {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-hand-in-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const stores = memoryStores();
  const server = await listen({ stores, host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  const who = { organisation: PERSONAL, name: "records", kind: "agent" as const, agent: null, person: null };
  await stores.putPerson({ id: "test", organisation: who.organisation, name: "Test", roles: ["admin"] });
  const { token } = await createToken(stores, { ...who, scopes: ["ingest"], createdBy: "test", lastsMs: 60_000 });
  const places = placesOf({
    HOME: dir,
    HOLDFAST_STATE_DIR: join(dir, "state"),
    HOLDFAST_CONFIG_DIR: join(dir, "config"),
  });
  const root = join(dir, "project");
  const journal = (project = root) => journalOf("audit", { root: project }, places);
  const record = (changes: object = {}) => ({
    timestamp: "2026-11-15T12:00:00.000Z",
    session: "one",
    event: "pre_tool_use",
    tool: "Bash",
    decision: "none",
    ...changes,
  });
  return {
    // The audit's journal cuts long texts; a line that somebody wrote past it may be of any length.
    append: (...changes: object[]) =>
      appendRecords({ ...journal(), maxTextCharacters: undefined }, changes.map(record)),
    /** What somebody writes into the file past the journal. */
    forge: (line: object) => appendFileSync(journal().file, `${JSON.stringify(record(line))}\n`),
    journal,
    handing: (roots = [root], at = places) => handIn(auditServer(server.url, token), () => roots, at),
    dir,
    places,
    stored: async () => {
      const rows = [];
      let cursor: string | undefined;
      do {
        const page = await stores.audit({ organisation: PERSONAL, limit: 500, ...(cursor ? { cursor } : {}) });
        rows.push(...page.rows);
        cursor = page.next;
      } while (cursor);
      return rows.sort((left, right) => left.sequence - right.sequence);
    },
  };
}

it("a backlog longer than what is looked through from the end is handed in from its beginning, each record once", async () => {
  const { append, handing, stored } = await machineAndServer();
  append(...Array.from({ length: 3_000 }, () => ({})));
  expect(await handing().round()).toEqual({ rows: 3_000 });
  append({}, {});
  expect(await handing().round()).toEqual({ rows: 2 });
  const rows = await stored();
  expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 3_002 }, (_, index) => index + 1));
});

it("a record that the server cannot take holds up no other: its outline stands in its place", async () => {
  const { append, handing, stored } = await machineAndServer();
  append({}, { session: "s".repeat(600), note: "n".repeat(700_000) }, { timestamp: "yesterday" }, {});
  expect(await handing().round()).toEqual({ rows: 4 });
  const rows = await stored();
  expect(rows.map(({ sequence }) => sequence)).toContain(4);
  const long = rows.find(({ sequence }) => sequence === 2);
  expect(long?.session).toHaveLength(500);
  expect(JSON.parse(long?.record ?? "")).toMatchObject({
    seq: 2,
    left_out: expect.stringMatching(/^70\d{4} characters/),
  });
  expect(rows.find(({ sequence }) => sequence === 3)?.at).toBe("1970-01-01T00:00:00.000Z");
});

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const numbersOf = (rows: readonly { sequence: number }[]) => rows.map(({ sequence }) => sequence);

it.each([
  ["without a number", {}],
  ["with a number that was handed in already", { seq: 1 }],
  ["with a number that is none", { seq: 2.5 }],
  ["with a number below all others", { seq: -3 }],
  ["with a number too large to count by", { seq: 2 ** 60 }],
  ["with a number that the journal has not come to", { seq: 9_999 }],
])("a line %s hides no record, neither before nor after it", async (_, line) => {
  const { append, forge, handing, stored } = await machineAndServer();
  append({}, {});
  await handing().round();
  append({}, {});
  forge(line);
  append({});
  forge(line);
  await handing().round();
  append({});
  await handing().round();
  expect(numbersOf(await stored())).toEqual(upTo(6));
});

const toolsOf = (rows: readonly { sequence: number; tool: string | null }[]) =>
  rows.map(({ sequence, tool }) => `${sequence} ${tool}`);

it("a line with the number of a record that is not handed in yet is not taken for it, and is told of by its line", async () => {
  const { append, forge, handing, stored } = await machineAndServer();
  const handIn = handing();
  append({}, {});
  await handIn.round();
  forge({ seq: 3, tool: "Forged" });
  const { rows, changed } = await handIn.round();
  expect({ rows, why: changed?.message }).toEqual({ rows: 0, why: expect.stringContaining("Line 3 of audit.jsonl") });
  append({}, {});
  await handIn.round();
  expect(toolsOf(await stored())).toEqual(["1 Bash", "2 Bash", "3 Bash", "4 Bash"]);
});

it("neither is one with a seal of its own making, before the record or behind it, nor one of a process that begins", async () => {
  const { append, forge, handing, stored, journal } = await machineAndServer();
  append({}, {});
  await handing().round();
  const sealed = (seq: number) => {
    const text = JSON.stringify({ timestamp: "2026-11-15T12:00:00.000Z", tool: "Forged" });
    appendFileSync(journal().file, `${sealLine(text, { seq: seq - 1, hash: "a".repeat(64) }).text}\n`);
  };
  for (const seq of [2, 3, 4]) sealed(seq);
  append({}, {});
  for (const seq of [2, 3, 4, 5]) sealed(seq);
  forge({ seq: 4, tool: "Forged" });
  await handing().round();
  append({});
  await handing().round();
  expect(toolsOf(await stored())).toEqual(upTo(5).map((sequence) => `${sequence} Bash`));
});

it("a record that was changed before it was handed in is left out and told of; those behind it are handed in", async () => {
  const { append, handing, stored, journal } = await machineAndServer();
  const handIn = handing();
  append({}, {});
  await handIn.round();
  append({}, { tool: "Write" }, {});
  const { file } = journal();
  writeFileSync(file, readFileSync(file, "utf8").replace('"Write"', '"Read!"'));
  const { rows, changed } = await handIn.round();
  expect({ rows, why: changed?.message }).toEqual({
    rows: 2,
    why: expect.stringMatching(/Line 4 of audit\.jsonl was changed after it was written$/),
  });
  expect(problemText(changed as Error, { server: "", tokenEnv: "T" })).toContain("holdfast log verify");
  expect(numbersOf(await stored())).toEqual([1, 2, 3, 5]);
  append({});
  expect(await handIn.round()).toEqual({ rows: 1 });
  expect(await handIn.round()).toEqual({ rows: 0 });
  expect(await handing().round()).toEqual({ rows: 0 });
});

it("of two journals that somebody wrote to, both are told of, and neither hides that a third cannot be read", async () => {
  const { handing, dir, journal } = await machineAndServer();
  const roots = ["one", "two", "three"].map((name) => join(dir, name));
  const [one = "", two = "", three = ""] = roots;
  for (const root of [one, two]) {
    appendRecords(journal(root), [{}]);
    appendFileSync(journal(root).file, '{"seq":2}\n');
  }
  const handIn = handing(roots);
  const first = await handIn.round();
  for (const root of [one, two]) expect(first.changed?.message).toContain(root);
  expect(await handIn.round()).toEqual({ rows: 0 });
  appendFileSync(journal(one).file, '{"seq":7}\n');
  mkdirSync(join(three, ".holdfast", "tracking"), { recursive: true });
  symlinkSync("audit.jsonl", journal(three).file);
  const next = await handIn.round();
  expect(next.problem?.message).toContain("ELOOP");
  expect(next.changed?.message).toMatch(/^(?!.*Line 2 ).*Line 3 of audit.jsonl has no seal/);
});

it("a long backlog is handed in past a line that somebody put into it", async () => {
  const { append, forge, handing, stored } = await machineAndServer();
  append(...upTo(700).map(() => ({})));
  forge({ seq: 701, tool: "Forged" });
  append(...upTo(700).map(() => ({})));
  expect(await handing().round()).toMatchObject({ rows: 1_400 });
  expect((await stored()).filter(({ tool }) => tool !== "Bash")).toEqual([]);
});

it("a changed record at the beginning of a long backlog holds up none of those behind it", async () => {
  const { append, handing, stored, journal } = await machineAndServer();
  append({}, { tool: "Write" }, ...upTo(1_200).map(() => ({})));
  const { file } = journal();
  writeFileSync(file, readFileSync(file, "utf8").replace('"Write"', '"Read!"'));
  expect(await handing().round()).toMatchObject({
    rows: 1_201,
    changed: { message: expect.stringContaining("Line 2 ") },
  });
  expect(numbersOf(await stored())).toEqual(upTo(1_202).filter((sequence) => sequence !== 2));
});

it("records written after a journal was deleted are handed in, and what is missing in between is told", async () => {
  const { append, handing, stored, journal } = await machineAndServer();
  append({}, {});
  await handing().round();
  rmSync(journal().file);
  append({});
  expect(await handing().round()).toEqual({ rows: 1 });
  append({});
  rmSync(journal().file);
  append({}, {});
  const { rows, changed } = await handing().round();
  expect({ rows, why: changed?.message }).toEqual({ rows: 2, why: expect.stringContaining("should come before it") });
  expect(numbersOf(await stored())).toEqual([1, 2, 3, 5, 6]);
});

it("a record whose fields somebody made impossible holds up no other", async () => {
  const { append, handing, stored } = await machineAndServer();
  append(
    {},
    { hooks: [{ ms: -5 }, null] },
    { timestamp: "+012345-01-01T00:00:00.000Z" },
    { session: "\ud800", tool: "\udfff" },
    {},
  );
  await handing().round();
  const rows = await stored();
  expect(numbersOf(rows)).toEqual(expect.arrayContaining(upTo(5)));
  expect(rows.map(({ record }) => JSON.parse(record).left_out)).toEqual(upTo(5).map(() => undefined));
});

it("records that are short in characters and long in bytes are sent once, a body's worth at a time", async () => {
  const { append, handing, stored } = await machineAndServer();
  const asked = vi.spyOn(globalThis, "fetch");
  onTestFinished(() => asked.mockRestore());
  append(...upTo(6).map(() => ({ note: "\u8bb0".repeat(200_000) })), { note: "\u8bb0".repeat(400_000) }, {});
  await handing().round();
  const rows = await stored();
  expect(numbersOf(rows)).toEqual(upTo(8));
  const cut = rows.filter(({ record }) => "left_out" in JSON.parse(record));
  expect(numbersOf(cut)).toEqual([7]);
  const answers = await Promise.all(asked.mock.results.map(({ value }) => value as Promise<Response>));
  expect(answers.filter(({ ok }) => !ok)).toEqual([]);
});

it("a journal that cannot be read holds up no other, and is told of", async () => {
  const { append, handing, stored, dir, journal } = await machineAndServer();
  const broken = join(dir, "broken");
  mkdirSync(join(broken, ".holdfast", "tracking"), { recursive: true });
  symlinkSync("audit.jsonl", journal(broken).file);
  append({}, {});
  const { rows, problem } = await handing([broken, join(dir, "project")]).round();
  expect({ rows, why: problem?.message }).toEqual({ rows: 2, why: expect.stringContaining("ELOOP") });
  expect(numbersOf(await stored())).toEqual([1, 2]);
});

it("a machine that was made as a copy of another is told so, instead of losing its records behind the other's", async () => {
  const { append, handing, journal, places, dir } = await machineAndServer();
  append({}, {}, {});
  await handing().round();
  rmSync(journal().file);
  const copy = { ...places, stateDir: join(dir, "copy") };
  mkdirSync(copy.stateDir);
  writeFileSync(join(copy.stateDir, "machine-id"), machineName(places));
  appendRecords(journalOf("audit", { root: join(dir, "project") }, copy), [{ decision: "none" }]);
  const { problem } = await handing(undefined, copy).round();
  expect(problem?.message).toMatch(/up to number 3, and here it ends with 1.*machine-id/);
  rmSync(join(copy.stateDir, "machine-id"));
  expect(await handing(undefined, copy).round()).toEqual({ rows: 1 });
});

it("so is one whose copy overtakes it while it hands in", async () => {
  const { append, handing, places, dir } = await machineAndServer();
  const copy = { ...places, stateDir: join(dir, "copy") };
  mkdirSync(copy.stateDir);
  append({});
  const first = handing();
  await first.round();
  writeFileSync(join(copy.stateDir, "machine-id"), machineName(places));
  const file = journalOf("audit", { root: join(dir, "project") }, places).file;
  renameSync(file, `${file}.first`);
  const ofCopy = journalOf("audit", { root: join(dir, "project") }, copy);
  appendRecords(ofCopy, [{}, {}, {}, {}, {}]);
  await handing(undefined, copy).round();
  renameSync(`${file}.first`, file);
  append({});
  const { problem } = await first.round();
  expect(problem?.message).toMatch(/up to number 5, and here it ends with 2/);
});

it("a machine's name is found whole or not at all, and an empty one is not gone by", async () => {
  const { places } = await machineAndServer();
  const name = machineName(places);
  expect(name).toMatch(/-[0-9a-f]{16}$/);
  expect(machineName(places)).toBe(name);
  expect(readdirSync(places.stateDir)).toEqual(["machine-id"]);
  writeFileSync(join(places.stateDir, "machine-id"), "");
  expect(() => machineName(places)).toThrow("names no machine");
});

it("what is in the way of the token is said without the secrets that an address may hold", () => {
  expect(() => auditServer("https://me:hunter2@records.example/x", "t")).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining("hunter2") }),
  );
});

it("a token of two lines is refused without a word of it", () => {
  expect(() => auditServer("https://records.example", "hf_first\nhf_second")).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/^(?!.*hf_).*line break/) }),
  );
});
