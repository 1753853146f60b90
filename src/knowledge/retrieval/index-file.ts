/**
 * The index as a file, so that a new process need not read every node: numbers first, as they lie in memory, then texts.
 * It holds nothing that the nodes do not say. One that is damaged, or of another version, is made anew.
 */
import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { makeDirectory } from "../../files/make-directory.ts";
import { type FieldNumbers, type IndexedFile, SearchIndex, Word } from "./search-index.ts";

const MAGIC = 0x4b464c48;
/** Of the format, and of how words are read and stemmed: what was made otherwise cannot be compared. */
const VERSION = 1;
const HEADER_NUMBERS = 8;

/** undefined: there is none that can be used. */
export function readIndexFile(file: string): SearchIndex | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return undefined;
  }
  try {
    return decoded(bytes);
  } catch {
    return undefined;
  }
}

/** Whole or not at all; two that write at once both write something true. */
export function writeIndexFile(file: string, index: SearchIndex): void {
  makeDirectory(dirname(file));
  // Hidden, as all that killed writers leave behind: git ignores it, and prune deletes it.
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    writeFileSync(temporary, encoded(index), { mode: 0o600 });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

export function encoded(index: SearchIndex): Buffer {
  const { files, lengths, words } = index.parts;
  const postings = words.reduce((sum, word) => sum + word.postings.length, 0);
  const numbers = new Uint32Array(lengths.length * 4 + words.length + postings);
  let at = 0;
  for (const fields of lengths) for (const length of fields) numbers[at++] = length;
  for (const word of words) numbers[at++] = word.postings.length;
  for (const word of words) {
    numbers.set(word.postings, at);
    at += word.postings.length;
  }
  const texts = Buffer.from(
    [
      JSON.stringify(files.map((file) => file ?? null)),
      words.map(({ text }) => text).join(" "),
      words.map(({ text, stem }) => (stem === text ? "" : stem)).join(" "),
    ].join("\n"),
  );
  const body = Buffer.concat([Buffer.from(numbers.buffer), texts]);
  const header = new Uint32Array(HEADER_NUMBERS);
  header.set([MAGIC, VERSION, crc32(body), body.length, files.length, words.length, postings]);
  return Buffer.concat([Buffer.from(header.buffer), body]);
}

export function decoded(bytes: Buffer): SearchIndex | undefined {
  const headerBytes = HEADER_NUMBERS * 4;
  if (bytes.length < headerBytes) return undefined;
  const [magic, version, sum, size, fileCount = 0, wordCount = 0, postingCount = 0] = numbersIn(
    bytes,
    0,
    HEADER_NUMBERS,
  );
  const body = bytes.subarray(headerBytes);
  if (magic !== MAGIC || version !== VERSION || size !== body.length || sum !== crc32(body)) return undefined;
  const numbers = numbersIn(body, 0, fileCount * 4 + wordCount + postingCount);
  const [filesText = "", wordsText = "", stemsText = ""] = body
    .subarray(numbers.byteLength)
    .toString("utf8")
    .split("\n");
  const files = (JSON.parse(filesText) as (IndexedFile | null)[]).map((file) => file ?? undefined);
  const lengths = files.map((_, slot) => [...numbers.subarray(slot * 4, slot * 4 + 4)] as unknown as FieldNumbers);
  const texts = wordCount === 0 ? [] : wordsText.split(" ");
  const stems = stemsText.split(" ");
  let from = fileCount * 4 + wordCount;
  const words = texts.map((text, at) => {
    const to = from + (numbers[fileCount * 4 + at] as number);
    const word = new Word(text, stems[at] || text, { all: numbers, from, to });
    from = to;
    return word;
  });
  return SearchIndex.of({ files, lengths, words });
}

/** In place where memory is aligned for it. */
function numbersIn(bytes: Buffer, from: number, count: number): Uint32Array {
  const start = bytes.byteOffset + from;
  if (start % 4 === 0) return new Uint32Array(bytes.buffer, start, count);
  return new Uint32Array(new Uint8Array(bytes.subarray(from, from + count * 4)).buffer);
}
