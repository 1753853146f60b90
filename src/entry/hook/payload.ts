/** Reads the one JSON object a host sends. A host may never close stdin, so the end of the object is the end. */
import { HoldfastError } from "../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";

export interface PayloadLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

export const PAYLOAD_LIMITS: PayloadLimits = { maxBytes: 64 * 1024 * 1024, timeoutMs: 10_000 };

export interface ByteSource {
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  on(event: "end" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  removeAllListeners(): unknown;
  pause(): unknown;
}

/** A payload that cannot be used; `head` is its beginning, from which the event's name may still be read. */
export class PayloadError extends HoldfastError {
  readonly head: string;

  constructor(message: string, head: string) {
    super("HF301", message);
    this.head = head;
  }
}

export function readPayload(source: ByteSource, limits: PayloadLimits = PAYLOAD_LIMITS): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    const scan = new ObjectScan();
    let bytes = 0;
    const timer = setTimeout(
      () => finish(() => reject(refuse(`stdin held no complete JSON object after ${limits.timeoutMs / 1000} s`))),
      limits.timeoutMs,
    );
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      source.removeAllListeners();
      source.on("error", () => {});
      source.pause();
      settle();
    };
    const refuse = (message: string) => new PayloadError(message, headOf(chunks));
    const conclude = () =>
      finish(() => {
        try {
          resolve(parsePayload(chunks));
        } catch (error) {
          reject(refuse((error as Error).message));
        }
      });

    source.on("data", (chunk) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > limits.maxBytes) {
        finish(() => reject(refuse(`the payload is larger than ${limits.maxBytes / 1024 / 1024} MiB`)));
        return;
      }
      const state = scan.feed(chunk);
      if (state === "not-an-object") finish(() => reject(refuse("stdin does not begin with a JSON object")));
      if (state === "complete") conclude();
    });
    source.on("end", () => (bytes === 0 ? finish(() => reject(refuse("stdin was empty"))) : conclude()));
    source.on("error", (error) => finish(() => reject(refuse(`stdin could not be read: ${error.message}`))));
  });
}

const HEAD_BYTES = 4096;

const headOf = (chunks: readonly Uint8Array[]) =>
  Buffer.concat(chunks.slice(0, 8)).subarray(0, HEAD_BYTES).toString("utf8");

function parsePayload(chunks: readonly Uint8Array[]): JsonObject {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Error("the payload is not UTF-8 text");
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`the payload is not one JSON object: ${(error as Error).message}`);
  }
  if (!isJsonObject(value)) throw new Error("the payload is not a JSON object");
  return value;
}

/** Finds where the object ends, byte by byte and only once. UTF-8 never hides a quote or a brace in another character. */
class ObjectScan {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #started = false;

  feed(chunk: Uint8Array): "open" | "complete" | "not-an-object" {
    for (const byte of chunk) {
      if (this.#escaped) this.#escaped = false;
      else if (this.#inString) {
        if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE && this.#started) this.#inString = true;
      else if (byte === OPEN_BRACE) {
        this.#started = true;
        this.#depth += 1;
      } else if (byte === CLOSE_BRACE && this.#started) {
        this.#depth -= 1;
        if (this.#depth === 0) return "complete";
      } else if (!this.#started && !BEFORE_OBJECT.includes(byte)) return "not-an-object";
    }
    return "open";
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** White space and the byte order mark. */
const BEFORE_OBJECT: readonly number[] = [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf];
