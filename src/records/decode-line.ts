import { isUtf8 } from "node:buffer";

/** Bytes that are not UTF-8 must not decode to the text that was sealed: two different files would look the same. */
export function decodeLine(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? "utf8" : "latin1");
}
