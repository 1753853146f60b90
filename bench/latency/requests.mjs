// Requests as the native client sends them, as files for bench/load.c.
import { dist } from "./dist.mjs";
import { payloadOf } from "./payloads.mjs";
import { HOOK } from "./scratch.mjs";

const { HEADER_BYTES, MAGIC } = await dist("entry/daemon/protocol.js");

/** The driver writes an id of its own over this one. */
const PLACE_OF_ID = "0".repeat(32);

export function writeRequest(scratch, name, projectDir, changes) {
  const block = (entries) => Buffer.from(entries.map((entry) => `${entry}\0`).join(""));
  const parts = [
    block(HOOK),
    block(Object.entries(scratch.env).map(([key, value]) => `${key}=${value}`)),
    Buffer.from(projectDir),
    Buffer.from(JSON.stringify(payloadOf(projectDir, changes))),
    Buffer.from(PLACE_OF_ID),
  ];
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt32LE(MAGIC, 0);
  for (const [index, part] of parts.entries()) head.writeUInt32LE(part.length, 4 + 4 * index);
  return scratch.write(`requests/${name}`, Buffer.concat([head, ...parts]));
}
