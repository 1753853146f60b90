/** Reads the one JSON object a host sends. A host may never close stdin, so the end of the object is the end. */
import { isUtf8 } from "node:buffer";
import { fstatSync, readFileSync } from "node:fs";
import { HoldfastError } from "../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { ObjectScan } from "./object-scan.ts";

export interface PayloadLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** Shorter than the shortest time any host gives us: which event it is, nobody knows before it is read. */
export const PAYLOAD_LIMITS: PayloadLimits = { maxBytes: 64 * 1024 * 1024, timeoutMs: 5_000 };

export interface ByteSource {
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "data" | "end", listener: (chunk: Uint8Array) => void): unknown;
  pause(): unknown;
  /** Files have none. */
  unref?(): unknown;
}

/** A payload that cannot be used; `head` is its beginning, from which the event's name may still be read. */
export class PayloadError extends HoldfastError {
  readonly head: string;

  constructor(message: string, head: string) {
    super("HF301", message);
    this.head = head;
  }
}

/** What follows the object is not looked at: whether it has arrived yet is a matter of chance. */
export function readPayload(source: ByteSource, limits: PayloadLimits = PAYLOAD_LIMITS): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    const scan = new ObjectScan();
    let bytes = 0;
    const timer = setTimeout(
      () => refuse(`stdin held no complete JSON object after ${limits.timeoutMs / 1000} s`),
      limits.timeoutMs,
    );
    const finish = () => {
      clearTimeout(timer);
      source.off("data", take);
      source.off("end", end);
      source.pause();
      // Otherwise a stdin that stays open would keep the process alive.
      source.unref?.();
    };
    const refuse = (message: string) => {
      finish();
      reject(new PayloadError(message, headOf(chunks)));
    };
    const conclude = () => {
      try {
        const payload = parsePayload(chunks);
        finish();
        resolve(payload);
      } catch (error) {
        refuse((error as Error).message);
      }
    };

    const take = (chunk: Uint8Array) => {
      const { state, end } = scan.feed(chunk);
      const part = chunk.subarray(0, end);
      chunks.push(part);
      bytes += part.length;
      if (bytes > limits.maxBytes) refuse(`the payload is larger than ${limits.maxBytes / 1024 / 1024} MiB`);
      else if (state === "not-an-object") refuse("stdin does not begin with a JSON object");
      else if (state === "complete") conclude();
    };
    const end = () => (bytes === 0 ? refuse("stdin was empty") : conclude());
    source.on("data", take);
    source.on("end", end);
    source.on("error", (error) => refuse(`stdin could not be read: ${error.message}`));
  });
}

/** From a descriptor that is a file, where nothing has to be waited for; undefined: it is none. */
export function readPayloadFile(
  descriptor: number,
  { maxBytes }: PayloadLimits = PAYLOAD_LIMITS,
): JsonObject | undefined {
  let bytes: Uint8Array;
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile() || status.size === 0 || status.size > maxBytes) return undefined;
    bytes = readFileSync(descriptor);
  } catch {
    return undefined;
  }
  const { state, end } = new ObjectScan().feed(bytes);
  const object = [bytes.subarray(0, end)];
  if (state === "not-an-object") throw new PayloadError("stdin does not begin with a JSON object", headOf(object));
  try {
    return parsePayload(object);
  } catch (error) {
    throw new PayloadError((error as Error).message, headOf(object));
  }
}

const HEAD_BYTES = 4096;

function headOf(chunks: readonly Uint8Array[]): string {
  const head: Uint8Array[] = [];
  for (let index = 0, bytes = 0; index < chunks.length && bytes < HEAD_BYTES; index++) {
    const chunk = chunks[index] as Uint8Array;
    head.push(chunk);
    bytes += chunk.length;
  }
  return Buffer.concat(head).subarray(0, HEAD_BYTES).toString("utf8");
}

export function parsePayload(chunks: readonly Uint8Array[]): JsonObject {
  const [first, ...others] = chunks;
  const bytes = asBuffer(first && others.length === 0 ? first : Buffer.concat(chunks));
  if (!isUtf8(bytes)) throw new Error("the payload is not UTF-8 text");
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const text = bytes.toString("utf8", hasByteOrderMark ? 3 : 0);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`the payload is not one JSON object: ${(error as Error).message}`);
  }
  if (!isJsonObject(value)) throw new Error("the payload is not a JSON object");
  return value;
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
