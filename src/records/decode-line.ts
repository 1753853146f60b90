import { isUtf8 } from "node:buffer";

// Four times the longest record in characters: a bound on memory, whatever somebody put into the file.
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** The text of a line; of one that is longer than any line ever written, nothing. */
export function decodeLine(bytes: Buffer): string {
  if (bytes.length > MAX_LINE_BYTES) return "";
  // Bytes that are not UTF-8 must not decode to the text that was sealed: two different files would look the same.
  return bytes.toString(isUtf8(bytes) ? "utf8" : "latin1");
}
