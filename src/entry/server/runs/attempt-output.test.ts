import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { redact } from "../../../core/redact.ts";
import { outputFileOf } from "../../../runs/files/attempt-file.ts";
import { stored } from "../../../runs/files/store.fixture.ts";
import type { RunStore } from "../../../runs/store.ts";
import { attemptOutput, wholeOutput } from "./attempt-output.ts";
import { testRuns } from "./runs.fixture.ts";

const SECRET = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const KEY = [
  "-----BEGIN RSA PRIVATE KEY-----",
  ...Array.from({ length: 25 }, () => randomBytes(48).toString("base64")),
  "-----END RSA PRIVATE KEY-----",
].join("\n");
const KEY_LINES = KEY.split("\n").slice(1, -1);

async function printed(text: string, lostBytes = 0): Promise<{ store: RunStore; run: string; file: string }> {
  const { store } = await testRuns("acme");
  const { id } = await stored(store);
  const file = outputFileOf(store.directoryOf(id), 1);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const cut: RunStore = { ...store, attemptOutput: async () => ({ file, lostBytes }) };
  return { store: lostBytes > 0 ? cut : store, run: id, file };
}

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at} of it\n`).join("");

async function all(file: string, lostBytes = 0): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of wholeOutput({ file, lostBytes })) pieces.push(piece);
  return pieces;
}

describe("the end of an output", () => {
  it("is all of a short one", async () => {
    const { store, run } = await printed(`one ${SECRET}\ntwo`);
    expect(await attemptOutput(store, run, 1, 1_000)).toEqual({ text: redact(`one ${SECRET}\ntwo`), isCut: false });
  });

  it("is all of one that is short in characters, however long in bytes", async () => {
    const text = "ж\n".repeat(6_000);
    const { store, run } = await printed(text);
    expect(await attemptOutput(store, run, 1, 16_384)).toEqual({ text, isCut: false });
  });

  it("is whole lines of a long one", async () => {
    const { store, run } = await printed(lines(20_000));
    const { text, isCut } = await attemptOutput(store, run, 1, 1_000);
    expect([text.split("\n")[0], text.endsWith("line 19999 of it\n"), isCut]).toEqual([
      expect.stringMatching(/^line \d+ of it$/),
      true,
      true,
    ]);
    expect(text.length).toBeLessThanOrEqual(1_000);
  });

  it("shows no part of a secret that its beginning falls into, on one line or on many", async () => {
    const tail = lines(100);
    for (let cutInto = 1; cutInto < KEY.length; cutInto += 97) {
      const { store, run } = await printed(`${lines(20_000)}${KEY}\n${tail}`);
      const { text } = await attemptOutput(store, run, 1, tail.length + cutInto);
      expect(KEY_LINES.filter((line) => text.includes(line))).toEqual([]);
      expect(text).toContain("line 99 of it");
    }
  });

  it("is nothing where a single line is longer than what is shown, and says that there is more", async () => {
    const { store, run } = await printed(`${"x".repeat(200_000)}${SECRET}`);
    expect(await attemptOutput(store, run, 1, SECRET.length - 10)).toEqual({ text: "", isCut: true });
  });

  it("of which the beginning was lost is cut, and the rest of a secret at that place is not shown", async () => {
    const { store, run } = await printed(`${KEY_LINES.join("\n")}\n${lines(10_000)}`, 1);
    const { text, isCut } = await attemptOutput(store, run, 1, 10_000_000);
    expect([isCut, KEY_LINES.filter((line) => text.includes(line)), text.endsWith("line 9999 of it\n")]).toEqual([
      true,
      [],
      true,
    ]);
  });
});

describe("all of an output", () => {
  it("comes in pieces, redacted as if it were one", async () => {
    const parts = Array.from({ length: 400 }, (_, at) => `${lines(200)}${at % 3 === 0 ? KEY : `key ${SECRET}`}\n`);
    const text = parts.join("");
    const { file } = await printed(text);
    const pieces = await all(file);
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join("") === redact(text)).toBe(true);
  });

  it("of one long line, too", async () => {
    const text = Array.from({ length: 6_000 }, (_, at) => `{"at":${at},"key":"${SECRET}"},`).join("");
    const { file } = await printed(text);
    const pieces = await all(file);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join("") === redact(text)).toBe(true);
  });

  it("says what is not kept", async () => {
    const { file } = await printed(`${KEY_LINES.join("\n")}\n${lines(10_000)}`, 77);
    const text = (await all(file, 77)).join("");
    expect(text).toMatch(/^\[the first 77 bytes and a little more are not kept\]\nline \d+ of it\n/);
    expect(KEY_LINES.filter((line) => text.includes(line))).toEqual([]);
  });
});
