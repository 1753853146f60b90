import { hash } from "node:crypto";
import { parseRecord } from "./read-record.ts";

/** The last line of a chain: everything the next line has to know. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

export interface Seal extends Head {
  readonly prev: string;
}

/** What JSON can hold. `seq`, `prev` and `hash` belong to the seal: a record's own are dropped. */
export type JournalRecord = object;

export type LineCheck =
  | { readonly kind: "intact"; readonly head: Head }
  /** `content`: not what was sealed. `seal`: never sealed. `link`: sealed, but after another line than the one before. */
  | { readonly kind: "edited"; readonly seq: number | undefined; readonly by: "content" | "seal" | "link" }
  | { readonly kind: "missing"; readonly seq: number; readonly expectedSeq: number }
  | { readonly kind: "reordered"; readonly seq: number; readonly expectedSeq: number }
  /** Not JSON: what a crash in the middle of a write leaves. */
  | { readonly kind: "unreadable" };

/** What keeps a line from following another. */
export type ChainBreak = Exclude<LineCheck, { kind: "intact" | "unreadable" }>;

/** What the first line of a chain follows. */
export const CHAIN_START: Head = { seq: 0, hash: "0".repeat(64) };

/** Fields that are JSON already (`"a":1,"b":2`), without secrets: they are written at the end of a record's own. */
export const READY_FIELDS: unique symbol = Symbol("fields that are JSON already");

export interface WithReadyFields {
  readonly [READY_FIELDS]?: string;
}

/** A record as the JSON that a line begins with. */
export function recordText(record: JournalRecord, ready?: string): string {
  const text = fieldsText(record);
  if (ready === undefined) return text;
  return `${text.slice(0, -1)}${text === "{}" ? "" : ","}${ready}}`;
}

function fieldsText(record: JournalRecord): string {
  if (!("seq" in record || "prev" in record || "hash" in record)) return JSON.stringify(record);
  const { seq: _seq, prev: _prev, hash: _hash, ...fields } = record as Record<string, unknown>;
  return JSON.stringify(fields);
}

/** The line for a record's text that follows the head, without its newline, and the head it makes. */
export function sealLine(text: string, head: Head): { readonly text: string; readonly head: Head } {
  const opening = text.slice(0, -1);
  const seq = head.seq + 1;
  const body = `${opening}${opening === "{" ? "" : ","}"seq":${seq},"prev":"${head.hash}"}`;
  const sealed = hashOf(head.hash, body);
  return { text: `${body.slice(0, -1)},"hash":"${sealed}"}`, head: { seq, hash: sealed } };
}

/** What became of a line that should follow the head. */
export function checkLine(text: string, expectedHead: Head): LineCheck {
  const seal = readSeal(text);
  if (!seal) return parseRecord(text) ? { kind: "edited", seq: undefined, by: "seal" } : { kind: "unreadable" };
  if (!isAsSealed(text, seal)) return { kind: "edited", seq: seal.seq, by: "content" };
  const { seq } = seal;
  const expectedSeq = expectedHead.seq + 1;
  if (seq > expectedSeq) return { kind: "missing", seq, expectedSeq };
  if (seq < expectedSeq) return { kind: "reordered", seq, expectedSeq };
  if (seal.prev !== expectedHead.hash) return { kind: "edited", seq, by: "link" };
  return { kind: "intact", head: { seq, hash: seal.hash } };
}

/** The seal at the end of a line, believed as written; `isAsSealed` tells whether the line deserves it. */
export function readSeal(text: string): Seal | undefined {
  const [, seq, prev, sealed] = SEAL.exec(text.slice(-LONGEST_SEAL)) ?? [];
  if (seq === undefined || prev === undefined || sealed === undefined) return undefined;
  return { seq: Number(seq), prev, hash: sealed };
}

/** How much of a line is the seal with the comma before it; 0: it has none, or nothing else. */
export function sealLength(text: string): number {
  const [found = ""] = SEAL.exec(text.slice(-LONGEST_SEAL)) ?? [];
  return found.startsWith(",") ? found.length : 0;
}

export function withoutSeal(text: string): string {
  const length = sealLength(text);
  return length === 0 ? text : `${text.slice(0, -length)}}`;
}

export function isAsSealed(text: string, seal: Seal): boolean {
  return hashOf(seal.prev, `${text.slice(0, -HASH_FIELD_LENGTH - 1)}}`) === seal.hash;
}

const SEAL = /[{,]"seq":([1-9]\d{0,14}),"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}$/;
/** No seal is longer than this. */
export const LONGEST_SEAL = 200;
const HASH_FIELD_LENGTH = ',"hash":""'.length + 64;

function hashOf(prev: string, body: string): string {
  return hash("sha256", prev + body, "hex");
}
