import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "../files/make-directory.ts";
import type { Head } from "./chain.ts";
import { codeOf } from "./io-failure.ts";

/** The head that was last written down, out of reach of whoever can edit the journal. */
export function readHeadFile(path: string): Head | undefined {
  try {
    return parseHead(readFileSync(path, "utf8"));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Overwrites in place with one short write of a fixed length: a crash leaves the old head or the new one. */
export function writeHeadFile(path: string, head: Head): void {
  const descriptor = openForWriting(path);
  try {
    writeSync(descriptor, `${JSON.stringify({ seq: head.seq, hash: head.hash }).padEnd(TEXT_LENGTH)}\n`, 0);
  } finally {
    closeSync(descriptor);
  }
}

const TEXT_LENGTH = 127;

function openForWriting(path: string): number {
  const flags = constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    makeDirectory(dirname(path), 0o700);
    return openSync(path, flags, 0o600);
  }
}

function parseHead(text: string): Head | undefined {
  const [, seq, hash] = /^\{"seq":(\d{1,15}),"hash":"([0-9a-f]{64})"\}\s*$/.exec(text) ?? [];
  return seq === undefined || hash === undefined ? undefined : { seq: Number(seq), hash };
}
